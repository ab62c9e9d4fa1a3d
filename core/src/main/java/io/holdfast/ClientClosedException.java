package io.holdfast;

/** The client was closed before, or while, the lock was asked for. */
public final class ClientClosedException extends LockException {
    private static final long serialVersionUID = 1L;

    public ClientClosedException(String lockName) {
        super(lockName, "the Holdfast client is closed");
    }
}
