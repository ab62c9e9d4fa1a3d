package io.holdfast;

import java.time.Duration;

/**
 * Hears what happens to the locks of one client. Called on a thread of the client's own, one event at a time and in
 * order: a slow listener delays later events, never a lock. What a listener throws is logged and otherwise ignored.
 */
public interface LockListener {

    /** A lock was obtained after {@code waited}. Not called for re-entry. */
    default void acquired(Hold hold, Duration waited) {}

    /** A lock was given back by its holder after {@code held}. */
    default void released(Hold hold, Duration held) {}

    /** A renewal was confirmed, {@code lag} later than it was due. */
    default void renewed(Hold hold, Duration lag) {}

    /** A renewal failed and will be tried again; the lease is still valid for {@code remaining}. */
    default void renewalFailed(Hold hold, Duration remaining, Throwable reason) {}

    /** The lease was lost: alarm somebody. Called once at most for each acquisition. */
    default void lost(Hold hold, Loss loss) {}

    /** Somebody had to wait for the lock, and the wait has ended, with the lock or without it. */
    default void waited(String lockName, Duration waited, boolean obtained) {}
}
