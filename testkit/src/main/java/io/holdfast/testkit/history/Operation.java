package io.holdfast.testkit.history;

import java.util.List;
import java.util.Locale;

/**
 * One thing that a client did with a lock, and what came of it.
 *
 * @param client who; a holder of its own in the eyes of the lock, so a thread rather than a process
 * @param lock the name of the lock
 * @param permits how many permits of a semaphore; 1 elsewhere
 * @param token of the hold that was obtained, or that is renewed, released or lost; 0 if there are no tokens. It tells the
 *     holds of a client apart, so either all operations on a hold carry it or none
 * @param called when it began
 * @param returned when its outcome was known; {@link #OPEN} if that is {@link Outcome#UNKNOWN}
 */
public record Operation(
        String client,
        String lock,
        Action action,
        Mode mode,
        int permits,
        long token,
        Outcome outcome,
        long called,
        long returned) {

    /** The return time of what never returned. */
    public static final long OPEN = Long.MAX_VALUE;

    /** What the client asked for, or learnt. */
    public enum Action {
        /** Waited for the lock. */
        ACQUIRE,
        /** Asked for the lock without waiting. */
        TRY_ACQUIRE,
        /** Asked whether it still holds the lock, or for that to last longer. */
        RENEW,
        /** Gave the lock back, or one re-entry, or some permits. */
        RELEASE,
        /** Learnt of the loss of its lease; left open, it is a client that died with the lock. */
        LOSE;

        boolean acquires() {
            return this == ACQUIRE || this == TRY_ACQUIRE;
        }

        private boolean canEndAs(Outcome outcome) {
            return switch (outcome) {
                case GRANTED, REFUSED, TIMED_OUT -> acquires();
                case DONE, NOT_HELD -> this == RENEW || this == RELEASE;
                case LOST, UNKNOWN -> true;
            };
        }
    }

    /** Alone or beside others; only {@link ReadWriteModel} tells them apart. */
    public enum Mode {
        /** A mutex, a writer, a semaphore. */
        EXCLUSIVE,
        /** A reader. */
        SHARED
    }

    /** What came of it. */
    public enum Outcome {
        /** The client holds the lock from here on. */
        GRANTED,
        /** At some moment of the call there was no room. A lock that also refuses for other reasons: {@link #TIMED_OUT}. */
        REFUSED,
        /** Gave up, by time or interrupt, and surely did not get it. Says nothing about the lock. */
        TIMED_OUT,
        /** Renewed, or released and protected to the end. */
        DONE,
        /** The client did not hold the lock. */
        NOT_HELD,
        /** The client had held the lock and lost its lease, some time after it last knew that it held it. */
        LOST,
        /** Never returned, or failed in a way that leaves it open: may take effect at any later moment, or never. */
        UNKNOWN;

        boolean onlyReports() {
            return this == REFUSED || this == TIMED_OUT || this == NOT_HELD;
        }
    }

    /** Refuses what no client can have seen. */
    public Operation {
        if (!action.canEndAs(outcome)) {
            throw new IllegalArgumentException(action + " cannot end as " + outcome);
        }
        if (permits < 1) {
            throw new IllegalArgumentException("permits must be 1 or more, not " + permits);
        }
        if (outcome == Outcome.UNKNOWN) {
            returned = OPEN;
        } else if (returned < called || returned == OPEN) {
            throw new IllegalArgumentException("called at " + called + " but returned at " + returned);
        }
    }

    /** Whether it may also never have taken effect. */
    boolean isOpen() {
        return outcome == Outcome.UNKNOWN;
    }

    /** The same before its outcome was known. */
    Operation opened() {
        // A loss goes on before anything is asked or learnt of it.
        Action begun = outcome == Outcome.LOST ? Action.LOSE : action;
        long known = begun.acquires() ? 0 : token;
        return new Operation(client, lock, begun, mode, permits, known, Outcome.UNKNOWN, called, OPEN);
    }

    Operation endedAs(Outcome end, long endToken, long time) {
        return new Operation(client, lock, action, mode, permits, endToken, end, called, time);
    }

    Operation calledAt(long time) {
        return new Operation(client, lock, action, mode, permits, token, outcome, time, returned);
    }

    /** The loss of this hold, open since it was last known to be there. */
    Operation lossAfter(List<Operation> known) {
        long since = known.stream()
                .filter(operation -> operation.sameHold(this) && operation.confirms())
                .mapToLong(Operation::returned)
                .max()
                .orElse(returned);
        return new Operation(client, lock, Action.LOSE, mode, 1, token, Outcome.UNKNOWN, since, OPEN);
    }

    /** Whether the client knew, when it returned, that it has the lock. */
    boolean confirms() {
        return outcome == Outcome.GRANTED || (outcome == Outcome.DONE && action == Action.RENEW);
    }

    boolean sameHold(Operation other) {
        return client.equals(other.client) && lock.equals(other.lock) && mode == other.mode && token == other.token;
    }

    Hold hold() {
        return new Hold(client, token);
    }

    @Override
    public String toString() {
        return client + " " + word(action) + (mode == Mode.SHARED ? " shared" : "") + (permits > 1 ? " " + permits : "")
                + " '" + lock + "'" + (token == 0 ? "" : " token " + token) + ": " + word(outcome) + " [" + called
                + ", "
                + (isOpen() ? "open" : returned) + "]";
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
