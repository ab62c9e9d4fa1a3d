package io.holdfast.testkit.history;

import java.util.List;

/**
 * Any number of readers ({@link Operation.Mode#SHARED}) or one writer ({@link Operation.Mode#EXCLUSIVE}). A client may
 * hold several reads, and take a read while it writes, but not a write while it reads. Leases are judged as in
 * {@link MutexModel}.
 */
public final class ReadWriteModel implements Model<ReadWriteModel.State> {

    /**
     * @param writers whose write clients rely on: one at most
     * @param readers whose reads clients rely on
     * @param unseenWriters by client, whose write came about unseen
     * @param unseenReaders by client, whose reads came about unseen
     * @param lostWrite whether the store may still count the write of a client that lost it
     * @param lostRead the same of a read
     */
    record State(
            Holds writers,
            Holds readers,
            Holds unseenWriters,
            Holds unseenReaders,
            boolean lostWrite,
            boolean lostRead) {

        Holds seen(Operation.Mode mode) {
            return mode == Operation.Mode.SHARED ? readers : writers;
        }

        Holds unseen(Operation.Mode mode) {
            return mode == Operation.Mode.SHARED ? unseenReaders : unseenWriters;
        }

        State seen(Operation.Mode mode, Holds holds) {
            return mode == Operation.Mode.SHARED
                    ? new State(writers, holds, unseenWriters, unseenReaders, lostWrite, lostRead)
                    : new State(holds, readers, unseenWriters, unseenReaders, lostWrite, lostRead);
        }

        State unseen(Operation.Mode mode, Holds holds) {
            return mode == Operation.Mode.SHARED
                    ? new State(writers, readers, unseenWriters, holds, lostWrite, lostRead)
                    : new State(writers, readers, holds, unseenReaders, lostWrite, lostRead);
        }

        @Override
        public String toString() {
            return "written by " + writers + ", read by " + readers
                    + (unseenWriters.isEmpty() ? "" : ", perhaps written by " + unseenWriters)
                    + (unseenReaders.isEmpty() ? "" : ", perhaps read by " + unseenReaders)
                    + (lostWrite ? ", a write lost" : "")
                    + (lostRead ? ", a read lost" : "");
        }
    }

    @Override
    public State initial() {
        return new State(Holds.NONE, Holds.NONE, Holds.NONE, Holds.NONE, false, false);
    }

    @Override
    public List<State> step(State state, Operation operation) {
        boolean holds = state.seen(operation.mode()).of(operation.hold()) > 0;
        return switch (operation.outcome()) {
            case GRANTED -> hasRoom(state, operation) ? List.of(granted(state, operation)) : List.of();
            case REFUSED -> mayRefuse(state, operation) ? List.of(state) : List.of();
            case TIMED_OUT -> List.of(state);
            case DONE -> done(state, operation);
            case NOT_HELD -> holds ? List.of() : List.of(state);
            case LOST -> List.of(holds ? lost(state, operation, allOf(state, operation)) : state);
            case UNKNOWN -> unknown(state, operation, holds);
        };
    }

    private static boolean hasRoom(State state, Operation operation) {
        return operation.mode() == Operation.Mode.SHARED
                ? !state.writers.hasOtherThan(operation.client())
                : state.writers.isEmpty() && state.readers.isEmpty();
    }

    /** Also to a client that itself is in the way: not every lock lets a writer read. */
    private static boolean mayRefuse(State state, Operation operation) {
        boolean written = !state.writers.isEmpty() || !state.unseenWriters.isEmpty() || state.lostWrite;
        boolean read = !state.readers.isEmpty() || !state.unseenReaders.isEmpty() || state.lostRead;
        return written || (operation.mode() == Operation.Mode.EXCLUSIVE && read);
    }

    /** Whatever would have been in the way is gone. */
    private static State granted(State state, Operation operation) {
        Hold unseen = new Hold(operation.client(), 0);
        if (operation.mode() == Operation.Mode.EXCLUSIVE) {
            return new State(Holds.NONE.plus(operation.hold(), 1), Holds.NONE, Holds.NONE, Holds.NONE, false, false);
        }
        Holds ownWrite = Holds.NONE.plus(unseen, state.unseenWriters.of(unseen));
        Holds readers = state.readers.plus(operation.hold(), 1);
        return new State(state.writers, readers, ownWrite, state.unseenReaders, false, state.lostRead);
    }

    private static List<State> done(State state, Operation operation) {
        Holds seen = state.seen(operation.mode());
        Holds unseen = state.unseen(operation.mode());
        Hold unseenHold = new Hold(operation.client(), 0);
        boolean releases = operation.action() == Operation.Action.RELEASE;
        if (seen.of(operation.hold()) > 0) {
            return List.of(releases ? state.seen(operation.mode(), seen.plus(operation.hold(), -1)) : state);
        }
        if (unseen.of(unseenHold) == 0) {
            return List.of();
        }
        State next = state.unseen(operation.mode(), unseen.plus(unseenHold, -1));
        if (releases) {
            return List.of(next);
        }
        return confirmed(next, operation);
    }

    /** Renewed, so what came about unseen is relied on from here; beside a write, the client's own reads are no matter. */
    private static List<State> confirmed(State state, Operation operation) {
        if (operation.mode() == Operation.Mode.SHARED) {
            return hasRoom(state, operation) ? List.of(granted(state, operation)) : List.of();
        }
        if (!state.writers.isEmpty() || state.readers.hasOtherThan(operation.client())) {
            return List.of();
        }
        Hold unseen = new Hold(operation.client(), 0);
        Holds ownReads = Holds.NONE.plus(unseen, state.unseenReaders.of(unseen));
        Holds writers = Holds.NONE.plus(operation.hold(), 1);
        return List.of(new State(writers, state.readers, Holds.NONE, ownReads, false, false));
    }

    private static int allOf(State state, Operation operation) {
        return state.seen(operation.mode()).of(operation.hold());
    }

    private static State lost(State state, Operation operation, int count) {
        boolean read = operation.mode() == Operation.Mode.SHARED;
        Holds rest = state.seen(operation.mode()).plus(operation.hold(), -count);
        State next = state.seen(operation.mode(), rest);
        return new State(
                next.writers,
                next.readers,
                next.unseenWriters,
                next.unseenReaders,
                next.lostWrite || !read,
                next.lostRead || read);
    }

    private static List<State> unknown(State state, Operation operation, boolean holds) {
        Operation.Mode mode = operation.mode();
        return switch (operation.action()) {
            case ACQUIRE, TRY_ACQUIRE ->
                hasRoom(state, operation)
                        ? List.of(state.unseen(mode, state.unseen(mode).plus(new Hold(operation.client(), 0), 1)))
                        : List.of();
            case RELEASE -> holds ? List.of(lost(state, operation, 1)) : List.of();
            case LOSE, RENEW -> holds ? List.of(lost(state, operation, allOf(state, operation))) : List.of();
        };
    }
}
