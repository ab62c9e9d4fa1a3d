package io.holdfast.internal;

import io.holdfast.spi.StoreFailure;
import org.jspecify.annotations.Nullable;

/**
 * How the store has answered the one who talks to it, so far: what decides whether a wait that ends without the lock ends
 * with "held by another" or with an error. Passed on with the lead of a line.
 *
 * <p>That another holds the lock is an answer to those who waited when it became known. To those who came later it is one
 * only while nothing that was asked since takes long: the last of a line may come when the store has long fallen silent.
 *
 * @param answered whether it was ever known that another holds the lock
 * @param heldNanos when that was known last
 * @param asking whether a request is under way, or is to be sent at once
 * @param askingSince when the first request was sent of those that have had no answer
 * @param failure why the last request failed; null if it did not
 * @param outageSince when the failures began that have not been interrupted since
 */
record Standing(
        boolean answered,
        long heldNanos,
        boolean asking,
        long askingSince,
        @Nullable StoreFailure failure,
        long outageSince) {

    /** Nothing was asked yet. */
    static final Standing NEW = new Standing(false, 0, false, 0, null, 0);

    /** Who has waited behind one whose request takes longer than this is told of that, and not of the one before it. */
    private static final long REMARKABLE_NANOS = 100_000_000L;

    /** What there is to know to those behind one who holds the lock. */
    static Standing held(long now) {
        return new Standing(true, now, false, 0, null, 0);
    }

    /** A request is sent, or is to be sent by then; it takes as long as the first of those that have no answer. */
    Standing asked(long when) {
        return asking && askingSince - when <= 0
                ? this
                : new Standing(answered, heldNanos, true, when, failure, outageSince);
    }

    /** Another has the lock. */
    Standing refused(long now) {
        return new Standing(true, now, false, 0, null, outageSince);
    }

    Standing failed(StoreFailure why, long now) {
        return new Standing(answered, heldNanos, false, 0, why, failure == null ? now : outageSince);
    }

    /** As it is to one who has waited since then and leads from now on. */
    Standing takenOver(long waitingSince) {
        return new Standing(
                answered,
                heldNanos,
                asking,
                askingSince,
                failure,
                outageSince - waitingSince > 0 ? outageSince : waitingSince);
    }

    /** To those behind others it is an answer that those are ahead, unless the store takes remarkably long. */
    Standing toThoseBehind(long now) {
        return momentLeft(now) > 0 ? held(now) : this;
    }

    /** How long the first answer may still take without being remarkable; nothing once there is one, or a failure. */
    long momentLeft(long now) {
        if (answered || failure != null) {
            return 0;
        }
        return (asking ? askingSince : now) + REMARKABLE_NANOS - now;
    }

    /** Whether one who has waited since then is to be told that another holds the lock. */
    boolean isHeldByAnother(long waitingSince, long now) {
        return answered
                && failure == null
                && (heldNanos - waitingSince >= 0 || !asking || now - askingSince < REMARKABLE_NANOS);
    }
}
