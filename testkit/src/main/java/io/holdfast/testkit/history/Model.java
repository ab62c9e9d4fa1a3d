package io.holdfast.testkit.history;

import java.util.List;

/**
 * What a lock may do, one operation after the other. States are compared by {@code equals} and shown by
 * {@code toString}.
 *
 * <p>An operation that is refused, timed out or not held changes no state; it fits or it does not. One whose outcome is {@link Operation.Outcome#UNKNOWN} must allow all that it allows with a known one: the
 * checker forgets the outcome of what was still going on where it cuts a history.
 *
 * @param <S> the state, immutable
 */
public interface Model<S> {

    /** Where it begins. */
    S initial();

    /**
     * The states in which the lock may be after the operation took effect: none if it cannot in this state, several if it
     * leaves something open. Of an operation of unknown outcome: if it does take effect.
     */
    List<S> step(S state, Operation operation);

    /** Operations with different keys have nothing to do with one another; by default, locks of different names. */
    default String partition(Operation operation) {
        return operation.lock();
    }
}
