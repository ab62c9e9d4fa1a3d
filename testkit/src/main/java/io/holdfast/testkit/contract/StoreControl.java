package io.holdfast.testkit.contract;

import io.holdfast.spi.StoreFactory;
import java.util.List;
import java.util.Optional;

/**
 * What the contract does to a store behind the library's back. The one that {@link #through} makes uses nothing but the
 * SPI; a store's author overrides what can be done more directly, such as deleting a key.
 *
 * <p>Called from one thread at a time.
 */
public interface StoreControl {

    /** Does everything through the SPI, with a client of its own. */
    static StoreControl through(StoreFactory store) {
        return new SpiControl(store);
    }

    /** Ends the present hold as if its lease had run out: the lock is free, its holder is not told. */
    void expire(String lockName);

    /** Makes the store forget all holds and all tickets, as a restart without persistence does. Nobody is told. */
    void loseEverything();

    /**
     * What stands in the store now, each as a text for a message. Everything counts but what stays on purpose, such as
     * the counter of the fencing tokens.
     */
    List<String> leftovers();

    /** The URI under which another process on this machine reaches the same store; empty if none can. */
    default Optional<String> processUri() {
        return Optional.empty();
    }

    /** Whether {@link #cut} and {@link #restore} do something. */
    default boolean canCut() {
        return false;
    }

    /** Breaks every connection to the store, and lets none come about. */
    default void cut() {
        throw new UnsupportedOperationException("this store cannot be cut off");
    }

    /** Ends what {@link #cut} began. */
    default void restore() {
        throw new UnsupportedOperationException("this store cannot be cut off");
    }
}
