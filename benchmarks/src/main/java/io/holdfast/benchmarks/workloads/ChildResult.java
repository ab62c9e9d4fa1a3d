package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.measure.Crew;
import io.holdfast.benchmarks.measure.Latencies;

/** What a child tells its parent, in one line. */
record ChildResult(
        long cycles,
        long allCycles,
        long nanos,
        long cpuNanos,
        long allocated,
        Latencies waitTimes,
        Latencies handOvers) {
    static final String PREFIX = "result ";

    static ChildResult of(Crew.Result result) {
        return new ChildResult(
                result.total(),
                result.allCycles(),
                result.nanos(),
                result.cpuNanos(),
                result.allocated(),
                result.waitTimes(),
                result.handOvers());
    }

    double throughput() {
        return cycles * 1e9 / nanos;
    }

    String print() {
        return PREFIX + cycles + " " + allCycles + " " + nanos + " " + cpuNanos + " " + allocated + " "
                + waitTimes.print() + " " + handOvers.print();
    }

    static ChildResult parse(String line) {
        String[] words = line.split(" ", -1);
        return new ChildResult(
                Long.parseLong(words[1]),
                Long.parseLong(words[2]),
                Long.parseLong(words[3]),
                Long.parseLong(words[4]),
                Long.parseLong(words[5]),
                Latencies.parse(words[6]),
                Latencies.parse(words[7]));
    }
}
