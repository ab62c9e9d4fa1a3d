package io.holdfast;

/** What happens to the holder when its lease is lost, besides the signal that always goes out. */
public enum OnLoss {
    /** Signal only: {@link Lease#lost()}, listeners, the log. */
    NOTIFY,
    /** Signal, and interrupt the thread that took the lock. */
    INTERRUPT
}
