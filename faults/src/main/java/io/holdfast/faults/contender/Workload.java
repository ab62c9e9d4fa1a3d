package io.holdfast.faults.contender;

import java.util.List;
import java.util.Locale;

/** What is taken, one kind of lock for each workload; names are those of the locks. */
public enum Workload {
    /** One holder. */
    LOCK(2, List.of("lock")),
    /** One holder, first come, first served. */
    FAIR(1, List.of("fair")),
    /** Readers or one writer. */
    READ_WRITE(2, List.of("rw")),
    /** Three permits, of which one or two are taken. */
    SEMAPHORE(2, List.of("permits")),
    /** Two of three locks together. */
    SEVERAL(1, List.of("one", "two", "three")),
    /** Latches, a new one again and again, whose names begin with this; each is counted down twice, and two wait for it. */
    LATCH(2, List.of("latch")),
    /** One leader; every process stands for it all its life. */
    ELECTION(1, List.of("election"));

    /** How many permits the semaphore has. */
    public static final int PERMITS = 3;

    /** How often each latch has to be counted down. */
    public static final int COUNTS = 2;

    private final int threads;

    @SuppressWarnings("ImmutableEnumChecker") // an unmodifiable one
    private final List<String> locks;

    Workload(int threads, List<String> locks) {
        this.threads = threads;
        this.locks = locks;
    }

    /** Threads of each process. */
    public int threads() {
        return threads;
    }

    public List<String> locks() {
        return locks;
    }

    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
