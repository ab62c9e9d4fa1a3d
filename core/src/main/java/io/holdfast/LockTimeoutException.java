package io.holdfast;

/** The lock was held by others for the whole time the caller was ready to wait. The store answered all along. */
public final class LockTimeoutException extends LockException {
    private static final long serialVersionUID = 1L;

    public LockTimeoutException(String lockName, String message) {
        super(lockName, message);
    }
}
