package io.holdfast.spi;

/** The answer to a release. */
public enum ReleaseReply {
    /** The owner had the lock, and has it no longer. */
    RELEASED,
    /** The owner did not have the lock; if it had a ticket, that is gone. */
    NOT_OWNER
}
