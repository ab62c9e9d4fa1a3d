package io.holdfast.spi;

import java.util.Optional;

/**
 * What a store tells the engine unasked. Every event is an optimisation: one that is lost, late or doubled costs time,
 * never safety. May be called from any thread; returns quickly.
 */
public interface StoreEvents {

    /** It may be this owner's turn: ask again now. */
    void wake(String name, String owner);

    /**
     * This owner has the lock, for a short time that began at a known moment. Whoever does not rely on that asks, and is
     * told the same.
     */
    default void granted(PushedGrant grant) {
        wake(grant.name(), grant.owner());
    }

    /** Events may have been missed, or may come from now on: everybody who waits asks again. */
    void wakeAll();

    /** This owner has lost its lease, as the store knows for certain. */
    void gone(String name, String owner, String detail);

    /** How it is told who has released a lock by force. */
    static String byForce(Optional<Origin> by) {
        return "it was released by force, by "
                + by.map(Origin::toString).orElse("a client that does not tell who it is");
    }

    /** The same, since somebody has released it by force. */
    default void expelled(String name, String owner, String detail) {
        gone(name, owner, detail);
    }
}
