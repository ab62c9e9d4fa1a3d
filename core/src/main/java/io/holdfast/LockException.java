package io.holdfast;

/**
 * Whatever goes wrong with a lock. Always names the lock, or the pattern of names that was asked for; what a driver threw is
 * the cause, never the type.
 */
public class LockException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String lockName;

    public LockException(String lockName, String message) {
        this(lockName, message, null);
    }

    public LockException(String lockName, String message, @org.jspecify.annotations.Nullable Throwable cause) {
        super("lock '" + lockName + "': " + message, cause);
        this.lockName = lockName;
    }

    /** The name of the lock concerned. */
    public String lockName() {
        return lockName;
    }
}
