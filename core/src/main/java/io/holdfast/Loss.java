package io.holdfast;

import static java.util.Objects.requireNonNull;

/**
 * How a lease was lost.
 *
 * @param cause the kind of loss
 * @param detail what happened, as a sentence for logs and messages
 */
public record Loss(Cause cause, String detail) {

    /** The kinds of loss. */
    public enum Cause {
        /** No renewal was confirmed before the lease's deadline, or the lease was taken without renewal and ran out. */
        EXPIRED,
        /** The store no longer knows the lease: deleted, flushed, evicted, or restarted without its memory. */
        GONE,
        /** The thread that held the lock has ended without releasing it. */
        HOLDER_DIED,
        /** The {@link Lease} became unreachable without having been released. */
        ABANDONED,
        /** The longest time this lock may be held was over. */
        MAX_HOLD,
        /** The client was closed while it held the lock. */
        CLIENT_CLOSED,
        /**
         * Somebody has released it by force, and the store could tell. If it could not, the loss is noticed at the next renewal,
         * as {@link #GONE}.
         */
        FORCED
    }

    public Loss {
        requireNonNull(cause, "cause");
        requireNonNull(detail, "detail");
    }
}
