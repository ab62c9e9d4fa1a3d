package io.holdfast.benchmarks.measure;

/** What is measured. A name says its unit. */
public enum Metric {
    CYCLE_P50("cycle p50, µs"),
    CYCLE_P99("cycle p99, µs"),
    CYCLE_P999("cycle p99.9, µs"),
    THROUGHPUT("throughput, cycles/s"),
    WAIT_P50("wait p50, µs"),
    WAIT_P99("wait p99, µs"),
    /** Of the thread with the most to that with the least; one without any counts as one. */
    FAIRNESS("fairness, max/min per thread"),
    LARGEST_SHARE("largest share of a JVM, %"),
    SMALLEST_SHARE("smallest share of a JVM, %"),
    /** Reads from sockets: round trips, as long as nothing is sent in bulk. */
    REQUESTS("requests/cycle"),
    /** As the server counts them, which includes each call that a script makes. */
    COMMANDS("commands and calls/cycle"),
    BYTES_IN("bytes to server/cycle"),
    BYTES_OUT("bytes from server/cycle"),
    CLIENT_CPU("client CPU, µs/cycle"),
    SERVER_CPU("server CPU, µs/cycle"),
    /** By all threads of the JVM, since some clients leave the work to threads of their own. */
    ALLOCATION("allocated, bytes/cycle"),
    /** Increments under the lock that went missing: anything but zero means that the lock did not exclude. */
    LOST_UPDATES("lost updates"),
    FAILED_ROUNDS("failed rounds");

    private final String text;

    Metric(String text) {
        this.text = text;
    }

    /** With its unit, as in tables. */
    public String text() {
        return text;
    }
}
