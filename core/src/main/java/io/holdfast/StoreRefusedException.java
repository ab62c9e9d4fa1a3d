package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * The store answered, and refused: no permission, out of memory, or something that is no lock stands in the lock's
 * place. Waiting does not help; the message says what does.
 */
public final class StoreRefusedException extends LockException {
    private static final long serialVersionUID = 1L;

    public StoreRefusedException(String lockName, String message, @Nullable Throwable cause) {
        super(lockName, message, cause);
    }
}
