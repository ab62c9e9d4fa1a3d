package io.holdfast.internal;

/** In which order those of one client have what all of them want. */
public enum Order {
    /** As they came to this client. One of them talks to the store for all, and stands in its queue. */
    LINE,
    /**
     * As they stand in the store's queue, each with a ticket of its own. But who gives it up may have it again while the next is
     * waking up.
     */
    QUEUE,
    /** As they stand in the store's queue, each with a ticket of its own, and nobody out of turn. */
    STRICT
}
