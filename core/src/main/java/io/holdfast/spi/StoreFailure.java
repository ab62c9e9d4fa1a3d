package io.holdfast.spi;

import java.util.concurrent.CompletionException;
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

    /** What a stage failed with; anything but a StoreFailure is a defect of the store, and is kept as its cause. */
    public static StoreFailure of(Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return cause instanceof StoreFailure failure
                ? failure
                : unavailable("unexpected failure of the store: " + cause, cause);
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
