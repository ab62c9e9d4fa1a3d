package io.holdfast.cli;

import org.jspecify.annotations.Nullable;

/** Ends the command with a sentence on stderr and an exit code. */
final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    Failure(int exitCode, String sentence) {
        this(exitCode, sentence, null);
    }

    Failure(int exitCode, String sentence, @Nullable Throwable cause) {
        super(sentence, cause);
        this.exitCode = exitCode;
    }

    int exitCode() {
        return exitCode;
    }
}
