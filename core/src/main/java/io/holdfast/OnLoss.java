package io.holdfast;

/** What happens to the holder when its lease is lost, besides the signal that always goes out. */
public enum OnLoss {
    /** Signal only: {@link Lease#lost()}, listeners, the log. */
    NOTIFY,
    /**
     * Signal, and interrupt the thread that holds the lock. A {@link Lease} belongs to no thread, and interrupts nobody. A
     * loss at the very moment of the unlock may interrupt the thread just after unlock has answered false.
     */
    INTERRUPT
}
