package io.holdfast.spi;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The answer to an {@link AcquireRequest}. */
public sealed interface AcquireReply {

    /**
     * The lock is the owner's, for the full lease counted from a moment after the request was sent.
     *
     * @param token the fencing token of this acquisition
     * @param tokens how many are reserved from there on, the first included; a repetition is answered with the same ones
     */
    record Granted(long token, int tokens) implements AcquireReply {

        /** One token. */
        public Granted(long token) {
            this(token, 1);
        }
    }

    /**
     * The lock is the owner's, but fewer replicas than were asked for have it. The engine gives it back.
     *
     * @param replicas how many have it
     */
    record Unconfirmed(int replicas) implements AcquireReply {}

    /**
     * Another has the lock, and a ticket stands in the queue.
     *
     * @param recheck ask again after this time at the latest, which also keeps the ticket alive
     * @param notified whether {@link StoreEvents#wake} will tell when to ask again; if not, as with a holder that is no
     *     client of this library, the engine asks again with its own pauses
     * @param behind the owner directly before it, in the queue or holding the lock, if that is one of the same client and
     *     it wants {@link AcquireRequest#ONE_EACH} or {@link AcquireRequest#SEVERAL_EACH}; {@link #FIRST} if it wants a permit and nobody is before it in the queue;
     *     null if neither, or not known. The engine passes the lock on from that one to this one, if there are tokens left.
     */
    record Queued(
            Duration recheck, boolean notified, @Nullable String behind) implements AcquireReply {

        /** No owner: it is the first in the queue, so it has the next permit, whoever gives it back. */
        public static final String FIRST = "";

        /** Behind one of another client, or nobody knows whom. */
        public Queued(Duration recheck, boolean notified) {
            this(recheck, notified, null);
        }
    }

    /** Another has the lock, and no ticket was asked for. */
    record Busy() implements AcquireReply {}

    /**
     * Part of an {@link ExchangeReply}: what was given up is, and of the rest nothing is known, or the store refuses it.
     *
     * @param failure why
     */
    record Failed(StoreFailure failure) implements AcquireReply {}
}
