package io.holdfast.testkit.history;

import java.util.List;

/**
 * A number of permits; an operation takes or gives back {@link Operation#permits} of them, a part of a hold as well.
 * Leases are judged as in {@link MutexModel}: a loss ends a hold with all its permits, and until they are needed for
 * others the store may still count them.
 *
 * <p>Where several unseen holds compete for what is left, all of them are kept as a reason for a refusal.
 */
public final class SemaphoreModel implements Model<SemaphoreModel.State> {

    /**
     * @param held what clients rely on
     * @param maybe what came about unseen, by client
     * @param lost how many permits of lost holds the store may still count
     */
    record State(Holds held, Holds maybe, int lost) {
        @Override
        public String toString() {
            return held + (maybe.isEmpty() ? "" : ", perhaps " + maybe) + (lost == 0 ? "" : ", lost " + lost);
        }
    }

    private final int permits;

    /** Of that many permits. */
    public SemaphoreModel(int permits) {
        if (permits < 1) {
            throw new IllegalArgumentException("permits must be 1 or more, not " + permits);
        }
        this.permits = permits;
    }

    @Override
    public State initial() {
        return new State(Holds.NONE, Holds.NONE, 0);
    }

    @Override
    public List<State> step(State state, Operation operation) {
        int wanted = operation.permits();
        int free = permits - state.held.total();
        Hold hold = operation.hold();
        return switch (operation.outcome()) {
            case GRANTED -> wanted > free ? List.of() : List.of(granted(state, hold, wanted));
            case REFUSED -> free - state.maybe.total() - state.lost >= wanted ? List.of() : List.of(state);
            case TIMED_OUT -> List.of(state);
            case DONE -> done(state, operation, free);
            case NOT_HELD -> state.held.of(hold) >= wanted ? List.of() : List.of(state);
            case LOST -> List.of(lost(state, hold, state.held.of(hold)));
            case UNKNOWN -> unknown(state, operation, free);
        };
    }

    private State granted(State state, Hold hold, int wanted) {
        Holds held = state.held.plus(hold, wanted);
        int free = permits - held.total();
        return new State(held, free == 0 ? Holds.NONE : state.maybe, Math.min(state.lost, free));
    }

    private static List<State> done(State state, Operation operation, int free) {
        Hold hold = operation.hold();
        Hold unseen = new Hold(operation.client(), 0);
        int held = state.held.of(hold);
        int maybe = state.maybe.of(unseen);
        int wanted = operation.permits();
        if (held + maybe < wanted) {
            return List.of();
        }
        if (operation.action() == Operation.Action.RENEW) {
            int seen = Math.max(0, wanted - held);
            return seen > free
                    ? List.of()
                    : List.of(new State(state.held.plus(hold, seen), state.maybe.plus(unseen, -seen), state.lost));
        }
        int known = Math.min(held, wanted);
        return List.of(new State(state.held.plus(hold, -known), state.maybe.plus(unseen, known - wanted), state.lost));
    }

    private static State lost(State state, Hold hold, int count) {
        return new State(state.held.plus(hold, -count), state.maybe, state.lost + count);
    }

    private static List<State> releasedUnseen(State state, Hold hold, int count) {
        return count == 0 ? List.of() : List.of(lost(state, hold, count));
    }

    private static List<State> unknown(State state, Operation operation, int free) {
        Hold hold = operation.hold();
        int wanted = operation.permits();
        return switch (operation.action()) {
            case ACQUIRE, TRY_ACQUIRE ->
                wanted > free
                        ? List.of()
                        : List.of(new State(
                                state.held, state.maybe.plus(new Hold(operation.client(), 0), wanted), state.lost));
            case RELEASE -> releasedUnseen(state, hold, Math.min(wanted, state.held.of(hold)));
            case LOSE, RENEW -> releasedUnseen(state, hold, state.held.of(hold));
        };
    }
}
