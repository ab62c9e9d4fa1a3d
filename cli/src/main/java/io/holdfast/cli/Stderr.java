package io.holdfast.cli;

import org.jspecify.annotations.Nullable;

/** Where the command speaks; stdout belongs to the program it runs. */
final class Stderr {
    private Stderr() {}

    static void say(@Nullable String sentence) {
        System.err.println("holdfast: " + sentence);
    }
}
