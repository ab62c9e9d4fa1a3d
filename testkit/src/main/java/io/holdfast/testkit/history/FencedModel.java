package io.holdfast.testkit.history;

import java.util.List;

/**
 * A {@link MutexModel} whose every grant carries a token that is higher than all before it, in the order in which the
 * grants took effect; so no two are the same. Leases are judged as there.
 *
 * <p>A grant that nobody saw has used up one token at least.
 */
public final class FencedModel implements Model<FencedModel.State> {
    record State(Owner owner, long last) {
        @Override
        public String toString() {
            return owner + ", last token " + last;
        }
    }

    private final MutexModel mutex = new MutexModel();

    @Override
    public State initial() {
        return new State(mutex.initial(), 0);
    }

    @Override
    public List<State> step(State state, Operation operation) {
        boolean grants = operation.outcome() == Operation.Outcome.GRANTED;
        if (grants && operation.token() <= state.last) {
            return List.of();
        }
        boolean unseen = operation.isOpen() && operation.action().acquires();
        long last = grants ? operation.token() : unseen ? state.last + 1 : state.last;
        return mutex.step(state.owner, operation).stream()
                .map(owner -> new State(owner, last))
                .toList();
    }
}
