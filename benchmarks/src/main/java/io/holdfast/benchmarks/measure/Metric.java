package io.holdfast.benchmarks.measure;

/** What is measured. A name says its unit. */
public enum Metric {
    CYCLE_P50("cycle p50, µs"),
    CYCLE_P99("cycle p99, µs"),
    CYCLE_P999("cycle p99.9, µs"),
    THROUGHPUT("throughput, cycles/s"),
    /** By one thread alone: more than this no lock can let through. */
    IDEAL("same section, no lock, cycles/s"),
    WAIT_P50("wait p50, µs"),
    WAIT_P99("wait p99, µs"),
    WAIT_P999("wait p99.9, µs"),
    /** From just before an unlock to the return of the next lock, in whatever thread or JVM. */
    HAND_OVER_P50("hand-over p50, µs"),
    HAND_OVER_P99("hand-over p99, µs"),
    HAND_OVER_P999("hand-over p99.9, µs"),
    /** Of the thread with the most to that with the least; one without any counts as one. */
    FAIRNESS("fairness, max/min per thread"),
    JVM_FAIRNESS("fairness, max/min per JVM"),
    LARGEST_SHARE("largest share of a JVM, %"),
    SMALLEST_SHARE("smallest share of a JVM, %"),
    /** From before the JVM is started until its first lock is held. */
    FIRST_LOCK("start to first lock, ms"),
    JARS("jars"),
    JAR_SIZE("size of jars, MB"),
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
    /** Sent by clients; what scripts call is not in it. */
    SENT_PER_SECOND("commands sent/s"),
    CLIENT_CPU_PER_SECOND("client CPU, ms/s"),
    SERVER_CPU_PER_SECOND("server CPU, ms/s"),
    RENEWALS("renewals/lease/s"),
    HEAP_PER_LEASE("heap, bytes/lease"),
    /** Sent by clients; what scripts call is not in it. */
    SENT_PER_RELEASE("commands sent/release"),
    BYTES_PER_RELEASE("bytes both ways/release"),
    /** Of the commands of clients, by the server's own clock. */
    SERVER_TIME_PER_RELEASE("server time, µs/release"),
    HEAP_GROWTH("heap left, bytes/name"),
    REDIS_GROWTH("Redis memory left, bytes/name"),
    LOST_LEASES("lost leases"),
    /** Increments under the lock that went missing: anything but zero means that the lock did not exclude. */
    LOST_UPDATES("lost updates"),
    /** Told where more than one may be. */
    MOST_INSIDE("most inside at once"),
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
