package io.holdfast;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * The pauses between two tries where no notification can be relied upon: each lies at random between half and all of a
 * step that starts at {@code first} and doubles up to {@code longest}.
 *
 * @param first the first step, at least 1 ms
 * @param longest the longest step, at most 1 min
 */
public record Backoff(Duration first, Duration longest) {

    /** From 100 ms, doubling, to 2 s. */
    public static final Backoff DEFAULT = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(2));

    public Backoff {
        requireNonNull(first, "first");
        requireNonNull(longest, "longest");
        if (first.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException("backoff of " + first + " is below the minimum of 1 ms");
        }
        if (longest.compareTo(Duration.ofMinutes(1)) > 0) {
            throw new IllegalArgumentException("backoff of " + longest + " is above the maximum of 1 min");
        }
        if (longest.compareTo(first) < 0) {
            throw new IllegalArgumentException(
                    "longest backoff " + longest + " is shorter than the first one of " + first);
        }
    }
}
