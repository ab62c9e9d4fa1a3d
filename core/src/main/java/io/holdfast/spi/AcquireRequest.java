package io.holdfast.spi;

import java.time.Duration;

/**
 * Asks for a lock.
 *
 * @param name the lock
 * @param owner the id of this acquisition; a repetition of the request has the same one
 * @param lease how long the store keeps the lock without a renewal
 * @param waits whether to leave a ticket if the lock is not to be had
 * @param tokens how many fencing tokens to reserve, so that the lock can be passed on without asking; a store may reserve
 *     fewer. {@link #ONE_EACH} or {@link #SEVERAL_EACH} if the store is to say how many
 * @param share how much of the lock is wanted
 * @param replicas how many replicas must have it before it counts; zero unless the store has
 *     {@link Capability#REPLICAS}
 */
public record AcquireRequest(
        String name, String owner, Duration lease, boolean waits, int tokens, Share share, int replicas) {

    /**
     * One token; and if the lock is given to a ticket, as many as the store thinks fit for those of the same client who stand
     * directly behind it, as {@link PushedGrant#behind} names them, or come to stand there, see
     * {@link AcquireReply.Queued#behind}. Only a store with {@link Capability#FIRST_COME} is asked for it.
     */
    public static final int ONE_EACH = 0;

    /**
     * As {@link #ONE_EACH}, with thirty-two tokens for each of those, of whom there are fewer: whoever has it may have it again, so
     * many times, before the next has come.
     */
    public static final int SEVERAL_EACH = -32;

    /** A request that no replica needs to have. */
    public AcquireRequest(String name, String owner, Duration lease, boolean waits, int tokens, Share share) {
        this(name, owner, lease, waits, tokens, share, 0);
    }

    /** A request for the whole lock. */
    public AcquireRequest(String name, String owner, Duration lease, boolean waits, int tokens) {
        this(name, owner, lease, waits, tokens, Share.WHOLE);
    }

    /** A request for one token. */
    public AcquireRequest(String name, String owner, Duration lease, boolean waits) {
        this(name, owner, lease, waits, 1);
    }
}
