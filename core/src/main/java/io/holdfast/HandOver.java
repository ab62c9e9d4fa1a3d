package io.holdfast;

/** From where somebody got a lock that it had to wait for. */
public enum HandOver {
    /** From another thread of the same client, without a word to the store. */
    LOCAL,
    /** From the store, which decides among all clients. */
    REMOTE
}
