package io.holdfast.spi;

import java.time.Duration;

/**
 * A lock that a store has given to one who waits, without having been asked at that moment.
 *
 * @param token the first fencing token
 * @param tokens how many are reserved from there on
 * @param length for how long the store keeps it, counted from when it gave it
 * @param sinceNanos not later than that moment, on this machine's monotonic clock
 * @param sinceWallMillis not later than that moment, on this machine's wall clock
 */
public record PushedGrant(
        String name, String owner, long token, int tokens, Duration length, long sinceNanos, long sinceWallMillis) {}
