package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.contenders.Primitive;
import io.holdfast.benchmarks.measure.Metric;
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

    /** What it is done with. */
    default Primitive primitive() {
        return Primitive.LOCK;
    }

    /** Whether it makes sense with that contender, which has the primitive. */
    default boolean admits(Contender contender) {
        return true;
    }

    /** Whether each measurement starts with new JVMs, so that a round of warm-up would be of no use to the next. */
    default boolean startsCold() {
        return false;
    }

    /** How many rounds it gets if so many are asked for. */
    default int rounds(int asked) {
        return asked;
    }

    /** What one measurement takes about, beyond the measured time. */
    Duration overhead(Duration time);

    /** One measurement on servers that nobody else uses. */
    Map<Metric, Double> measure(Contender contender, Servers servers, Duration time);
}
