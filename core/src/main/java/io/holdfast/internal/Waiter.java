package io.holdfast.internal;

import io.holdfast.spi.PushedGrant;

/** One who may be told something by the store, under an id of its own. */
interface Waiter {

    /** There may be news: ask. */
    void wake();

    /** The store says that it has given it the lock. */
    default void pushed(PushedGrant grant) {
        wake();
    }

    /** What the store may have given to it was taken away by force. */
    default void expelled() {}

    /** The client is closed. */
    void closed();
}
