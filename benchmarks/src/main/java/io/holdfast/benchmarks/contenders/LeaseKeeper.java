package io.holdfast.benchmarks.contenders;

import java.time.Duration;

/** A contender one thread of which can hold any number of leases, which are renewed meanwhile. */
public interface LeaseKeeper {
    /** Connects; every lease is of that length. */
    Keeping keep(String host, int port, Duration lease);

    /** A connected client. Thread safe. */
    interface Keeping extends AutoCloseable {
        /** Takes a lock that is free; what comes back is what an application would keep. */
        Object take(String name);

        /** Gives back what was taken; false if it was lost meanwhile. */
        boolean release(Object taken);

        @Override
        void close();
    }
}
