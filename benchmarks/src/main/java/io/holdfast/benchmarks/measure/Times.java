package io.holdfast.benchmarks.measure;

import java.util.Map;

/** A kind of time, and the metrics that tell of it. */
public enum Times {
    CYCLE(Metric.CYCLE_P50, Metric.CYCLE_P99, Metric.CYCLE_P999),
    WAIT(Metric.WAIT_P50, Metric.WAIT_P99, Metric.WAIT_P999),
    HAND_OVER(Metric.HAND_OVER_P50, Metric.HAND_OVER_P99, Metric.HAND_OVER_P999);

    private final Metric p50;
    private final Metric p99;
    private final Metric p999;

    Times(Metric p50, Metric p99, Metric p999) {
        this.p50 = p50;
        this.p99 = p99;
        this.p999 = p999;
    }

    /** Adds the percentiles of these times, in microseconds. */
    public void put(Map<Metric, Double> metrics, Latencies times) {
        metrics.put(p50, times.percentile(0.5) / 1e3);
        metrics.put(p99, times.percentile(0.99) / 1e3);
        metrics.put(p999, times.percentile(0.999) / 1e3);
    }
}
