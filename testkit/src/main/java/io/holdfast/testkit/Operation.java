package io.holdfast.testkit;

/** What a client asks a store for. */
public enum Operation {
    ACQUIRE,
    RELEASE,
    RENEW,
    RESIZE,
    /** To set a latch, to look at it, or to wait for it no longer. */
    LATCH,
    /** To count a latch down; it is looked at before. */
    COUNT_DOWN,
    /** To forget a latch; it is looked at before. */
    CLEAR,
    INSPECT,
    HEALTH
}
