package io.holdfast.testkit;

/** What a client asks a store for. */
public enum Operation {
    ACQUIRE,
    RELEASE,
    RENEW,
    RESIZE,
    LATCH,
    INSPECT,
    HEALTH
}
