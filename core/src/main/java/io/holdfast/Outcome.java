package io.holdfast;

/** How an attempt to get a lock has ended. */
public enum Outcome {
    /** With the lock. */
    OBTAINED,
    /** Another had it, and the caller did not want to wait. */
    BUSY,
    /** Others had it for as long as the caller was ready to wait. */
    TIMED_OUT,
    /** The caller was interrupted, or cancelled what it had asked for. */
    INTERRUPTED,
    /** The store did not answer, so that nobody can know who has it. */
    UNAVAILABLE,
    /** The store refuses: permission, memory, something else in the lock's place. */
    REFUSED,
    /** The client was closed. */
    CLOSED
}
