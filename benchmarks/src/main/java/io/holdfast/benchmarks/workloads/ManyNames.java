package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.measure.Metric;
import java.time.Duration;
import java.util.Map;

/** Many threads with a name each: how much one client gets through. */
public final class ManyNames implements Workload {
    private final int threads;

    public ManyNames(int threads) {
        this.threads = threads;
    }

    @Override
    public String name() {
        return "b";
    }

    @Override
    public String title() {
        return "throughput: " + threads + " threads, " + threads + " names";
    }

    @Override
    public Metric main() {
        return Metric.THROUGHPUT;
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
        return InJvm.cycleMetrics(InJvm.run(contender, servers, time, new InJvm.Crowd(threads, threads, 1)));
    }
}
