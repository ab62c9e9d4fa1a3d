package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * The store could not be reached, or did not answer in time, so nobody can know who holds the lock. Never thrown for a
 * lock that is held by another. If a request had been sent, whatever it may have done is undone by the library.
 */
public final class StoreUnavailableException extends LockException {
    private static final long serialVersionUID = 1L;

    public StoreUnavailableException(String lockName, String message, @Nullable Throwable cause) {
        super(lockName, message, cause);
    }
}
