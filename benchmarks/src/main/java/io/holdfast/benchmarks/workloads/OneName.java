package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.measure.Metric;
import io.holdfast.benchmarks.measure.Times;
import java.time.Duration;
import java.util.Map;

/** Many threads of one JVM want the same name: how fast the lock goes from hand to hand, and whether all get it. */
public final class OneName implements Workload {
    private final int threads;

    public OneName(int threads) {
        this.threads = threads;
    }

    @Override
    public String name() {
        return "c" + threads;
    }

    @Override
    public String title() {
        return "contended: " + threads + " threads, 1 name, empty section";
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
        InJvm.Outcome outcome = InJvm.run(contender, servers, time, threads, 1);
        Map<Metric, Double> metrics = InJvm.metrics(outcome);
        metrics.put(Metric.FAIRNESS, InJvm.fairness(outcome.crew().cycles()));
        Times.WAIT.put(metrics, outcome.crew().waitTimes());
        Times.HAND_OVER.put(metrics, outcome.crew().handOvers());
        return metrics;
    }
}
