package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.measure.Metric;
import io.holdfast.servers.RedisServer;
import java.time.Duration;
import java.util.Map;

/** Something to do with locks, for a fixed time. */
public interface Workload {
    /** Short, for {@code --only}. */
    String name();

    /** One line for people. */
    String title();

    /** The metric that stands for the others in the chart. */
    Metric main();

    /** Whether it makes sense with that contender. */
    boolean admits(Contender contender);

    /** Whether each measurement starts with new JVMs, so that a round of warm-up would be of no use to the next. */
    default boolean startsCold() {
        return false;
    }

    /** What one measurement takes about, beyond the measured time. */
    Duration overhead(Duration time);

    /** One measurement on a server that nobody else uses. */
    Map<Metric, Double> measure(Contender contender, RedisServer server, Duration time);
}
