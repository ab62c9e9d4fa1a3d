package io.holdfast.internal;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * An attempt to get something that is under way.
 *
 * @param <T> what is got: a lease, or several
 */
interface Attempt<T> {

    /** What it has got; empty if others held it until the wait was over. */
    CompletableFuture<Optional<T>> result();

    /** The caller has left: whatever comes of it is undone, what has just been granted included. */
    void abandon();

    /** The caller goes on with what came of it; told on its own thread, where there is one. */
    default void seen() {}
}
