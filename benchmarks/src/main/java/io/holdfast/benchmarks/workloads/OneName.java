package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.contenders.Primitive;
import io.holdfast.benchmarks.measure.Metric;
import io.holdfast.benchmarks.measure.Times;
import java.time.Duration;
import java.util.Map;

/** Many threads of one JVM want the same name: how fast it goes from hand to hand, and whether all get it. */
public final class OneName implements Workload {
    private final Primitive primitive;
    private final int threads;
    private final int places;

    public OneName(int threads) {
        this(Primitive.LOCK, threads, 1);
    }

    /** So many may be in at once. */
    public OneName(Primitive primitive, int threads, int places) {
        this.primitive = primitive;
        this.threads = threads;
        this.places = places;
    }

    @Override
    public Primitive primitive() {
        return primitive;
    }

    @Override
    public String name() {
        return switch (primitive) {
            case LOCK -> "c" + threads;
            case FAIR, READ, WRITE, QUORUM -> primitive.id() + "-" + threads;
            case PERMIT -> primitive.id() + "-" + threads + "on" + places;
        };
    }

    @Override
    public String title() {
        return primitive.prefix() + (places < threads ? "contended: " : "shared: ") + threads + " threads, 1 name, "
                + (primitive == Primitive.PERMIT ? "permits: " + places + ", " : "") + "empty section";
    }

    @Override
    public Metric main() {
        return Metric.THROUGHPUT;
    }

    @Override
    public boolean admits(Contender contender) {
        return contender.reach() != Contender.Reach.NONE;
    }

    @Override
    public Duration overhead(Duration time) {
        return InJvm.warmUp(time).plusMillis(250);
    }

    @Override
    public Map<Metric, Double> measure(Contender contender, Servers servers, Duration time) {
        InJvm.Outcome outcome = InJvm.run(contender, servers, time, new InJvm.Crowd(threads, 1, places));
        Map<Metric, Double> metrics = InJvm.metrics(outcome);
        metrics.put(Metric.FAIRNESS, InJvm.fairness(outcome.crew().cycles()));
        Times.WAIT.put(metrics, outcome.crew().waitTimes());
        if (places == 1) {
            Times.HAND_OVER.put(metrics, outcome.crew().handOvers());
        }
        return metrics;
    }
}
