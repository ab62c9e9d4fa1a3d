package io.holdfast.spi;

import org.jspecify.annotations.Nullable;

/** A store could not answer. The engine turns it into an exception that names the lock. */
public final class StoreFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What the engine makes of it. */
    public enum Kind {
        /** Not reached, not answered in time, or not ready yet: may go by, so those who wait try again. */
        UNAVAILABLE,
        /** Answered with a no that waiting does not change. */
        REFUSED
    }

    private final Kind kind;

    private StoreFailure(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** A failure that may go by. The message names the store's address and the reason. */
    public static StoreFailure unavailable(String message, @Nullable Throwable cause) {
        return new StoreFailure(Kind.UNAVAILABLE, message, cause);
    }

    /** A refusal. The message names the store's address, the reason and the remedy. */
    public static StoreFailure refused(String message, @Nullable Throwable cause) {
        return new StoreFailure(Kind.REFUSED, message, cause);
    }

    public Kind kind() {
        return kind;
    }

    /** The message; unlike {@link #getMessage()} never null. */
    public String reason() {
        String message = getMessage();
        return message == null ? kind.toString() : message;
    }
}
