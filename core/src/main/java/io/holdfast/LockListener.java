package io.holdfast;

import java.time.Duration;

/**
 * Hears what happens to the locks of one client. Called on a thread of the client's own, one event at a time and in
 * order: a slow listener delays later events, never a lock; only {@link #asked} is called by whoever asks. What a listener
 * throws is logged and otherwise ignored.
 *
 * <p>An attempt begins with {@code asked}, may be {@code waiting} and {@code waited}, and ends with {@code ended}. If it got
 * the lock there was {@code acquired} before that, and there will be {@code released} or {@code lost}.
 */
public interface LockListener {

    /**
     * Somebody asks for a lock. The only event that is told on the thread that asks, before anything is sent, so that a
     * listener can look at what belongs to that thread, such as a trace. It delays the lock: be quick.
     *
     * @return who hears what comes of this attempt, up to the end of the hold: this listener, or one for this attempt alone
     */
    default LockListener asked(String lockName) {
        return this;
    }

    /** An attempt has ended in this way after {@code took}. Called once for each; not for re-entry. */
    default void ended(String lockName, Outcome outcome, Duration took) {}

    /** Somebody has to wait for the lock. */
    default void waiting(String lockName) {}

    /** Somebody had to wait for the lock, and the wait has ended, with the lock or without it. */
    default void waited(String lockName, Duration waited, boolean obtained) {}

    /** A lock was obtained after {@code waited}. Not called for re-entry. */
    default void acquired(Hold hold, Duration waited) {}

    /** This hold was waited for, and came from there. Told right after {@link #acquired}. */
    default void handedOver(Hold hold, HandOver from) {}

    /** A lock was given back by its holder after {@code held}. */
    default void released(Hold hold, Duration held) {}

    /** A renewal was confirmed, {@code lag} later than it was due. */
    default void renewed(Hold hold, Duration lag) {}

    /** A renewal failed and will be tried again; the lease is still valid for {@code remaining}. */
    default void renewalFailed(Hold hold, Duration remaining, Throwable reason) {}

    /** The lease was lost: alarm somebody. Called once at most for each acquisition. */
    default void lost(Hold hold, Loss loss) {}

    /**
     * A thread waits for a lock that it has taken itself, by this hold, as a {@link Lease}: it waits for itself, unless it
     * has passed the lease on to somebody who releases it. Called once at most for each acquisition.
     */
    default void stalled(Hold hold, String detail) {}
}
