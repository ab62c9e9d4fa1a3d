package io.holdfast.spi;

/** What not every store can do. */
public enum Capability {
    /** Excludes other processes, not only other threads of this one. */
    ACROSS_PROCESSES,
    /** Tells a waiter that its turn has come; without it waiters only re-check. */
    NOTIFICATION,
    /** Serves tickets first come, first served. */
    FIRST_COME,
    /** Lets several hold a lock at once: to read, or with permits. */
    SHARING,
    /** Has count-down latches, too. */
    LATCHES,
    /** Can tell how many replicas have a lock before it counts. */
    REPLICAS,
    /** Tells where those run who hold a lock or wait for it, if their clients do. */
    ORIGINS
}
