package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.measure.Metric;
import io.holdfast.servers.RedisServer;
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
        return true;
    }

    @Override
    public Duration overhead(Duration time) {
        return InJvm.warmUp(time).plusMillis(250);
    }

    @Override
    public Map<Metric, Double> measure(Contender contender, RedisServer server, Duration time) {
        InJvm.Outcome outcome = InJvm.run(contender, server, time, threads, threads);
        Map<Metric, Double> metrics = InJvm.metrics(outcome);
        metrics.put(Metric.CYCLE_P50, outcome.crew().cycleTimes().percentile(0.5) / 1e3);
        metrics.put(Metric.CYCLE_P99, outcome.crew().cycleTimes().percentile(0.99) / 1e3);
        return metrics;
    }
}
