package io.holdfast.spi;

import java.time.Duration;
import java.util.List;

/**
 * A lock that a store has given to one who waits, without having been asked at that moment.
 *
 * @param token the first fencing token
 * @param tokens how many are reserved from there on
 * @param length for how long the store keeps it, counted from when it gave it
 * @param sinceNanos not later than that moment, on this machine's monotonic clock
 * @param sinceWallMillis not later than that moment, on this machine's wall clock
 * @param behind the owner ids of this client that stood directly behind it in the queue, in their order, and still do: they
 *     may have it next, under the tokens that follow, without asking. Whoever then gives it up names those who had it, see
 *     {@link LockStore#release(String, String, List)}
 */
public record PushedGrant(
        String name,
        String owner,
        long token,
        int tokens,
        Duration length,
        long sinceNanos,
        long sinceWallMillis,
        List<String> behind) {

    /** A grant with nobody behind it that is known of. */
    public PushedGrant(
            String name, String owner, long token, int tokens, Duration length, long sinceNanos, long sinceWallMillis) {
        this(name, owner, token, tokens, length, sinceNanos, sinceWallMillis, List.of());
    }
}
