package io.holdfast.internal;

import io.holdfast.spi.StoreFailure;
import org.jspecify.annotations.Nullable;

/**
 * How the store has answered the one who talks to it, so far: what decides whether a wait that ends without the lock ends
 * with "held by another" or with an error. Passed on with the lead of a line.
 *
 * @param answered whether it is known that another holds the lock
 * @param unansweredSince when the first request was sent, if it is not
 * @param failure why the last request failed; null if it did not
 * @param outageSince when the failures began that have not been interrupted since
 */
record Standing(
        boolean answered, long unansweredSince, @Nullable StoreFailure failure, long outageSince) {

    /** Nothing was asked yet. */
    static final Standing NEW = new Standing(false, 0, null, 0);

    /** What there is to know to those behind one who holds the lock. */
    static final Standing HELD = new Standing(true, 0, null, 0);

    /** Who has waited behind one whose request takes longer than this is told of that, and not of the one before it. */
    private static final long REMARKABLE_NANOS = 100_000_000L;

    Standing asked(long now) {
        return new Standing(answered, now, failure, outageSince);
    }

    /** Another has the lock. */
    Standing refused() {
        return new Standing(true, unansweredSince, null, outageSince);
    }

    Standing failed(StoreFailure why, long now) {
        return new Standing(answered, unansweredSince, why, failure == null ? now : outageSince);
    }

    /**
     * As it is to one who has waited since then and leads from now on. One that was to lead, and left before it could
     * ask, has no request that takes long.
     */
    Standing takenOver(long waitingSince, long now) {
        return new Standing(
                answered,
                answered || equals(NEW) ? now : unansweredSince,
                failure,
                outageSince - waitingSince > 0 ? outageSince : waitingSince);
    }

    /** To those behind others it is an answer that those are ahead, unless the store takes remarkably long. */
    Standing toThoseBehind(long now) {
        return momentLeft(now) > 0 ? new Standing(true, unansweredSince, failure, outageSince) : this;
    }

    /** How long the first answer may still take without being remarkable; nothing once there is one, or a failure. */
    long momentLeft(long now) {
        return answered || failure != null ? 0 : unansweredSince + REMARKABLE_NANOS - now;
    }

    boolean isHeldByAnother() {
        return answered && failure == null;
    }
}
