package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.contenders.Primitive;
import io.holdfast.benchmarks.measure.Metric;
import java.time.Duration;
import java.util.Map;

/**
 * One thread, one name: what a lock costs that nobody else wants. On idle cores each round trip also wakes a sleeping
 * core, twice, which can take longer than all the rest; on hot cores that is left out.
 */
public final class Uncontended implements Workload {
    private final Primitive primitive;
    private final boolean hot;

    public Uncontended(boolean hot) {
        this(Primitive.LOCK, hot);
    }

    public Uncontended(Primitive primitive, boolean hot) {
        this.primitive = primitive;
        this.hot = hot;
    }

    @Override
    public Primitive primitive() {
        return primitive;
    }

    @Override
    public String name() {
        return (primitive == Primitive.LOCK ? "a" : primitive.id()) + (hot ? "-hot" : "-idle");
    }

    @Override
    public String title() {
        return primitive.prefix() + "uncontended: 1 thread, 1 name, " + (hot ? "hot" : "idle") + " cores";
    }

    @Override
    public Metric main() {
        return Metric.CYCLE_P50;
    }

    @Override
    public boolean admits(Contender contender) {
        return contender.home() != Contender.Home.HERE;
    }

    @Override
    public Duration overhead(Duration time) {
        return InJvm.warmUp(time).plusMillis(250);
    }

    @Override
    public Map<Metric, Double> measure(Contender contender, Servers servers, Duration time) {
        InJvm.Outcome outcome;
        try (Spinners spinners = hot ? Spinners.onePerCore() : Spinners.none()) {
            spinners.check();
            outcome = InJvm.run(contender, servers, time, new InJvm.Crowd(1, 1, 1));
            spinners.check();
        }
        return InJvm.cycleMetrics(outcome);
    }
}
