package io.holdfast.redis;

import io.holdfast.spi.Platform;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Acquires that were sent and never answered. Such a request may sit in a buffer on a dead connection and be carried out
 * after the release that was to undo it, on another connection. Until the moment after which the server refuses it, every
 * release of its owner has to be said again.
 */
final class Unanswered {
    private final Platform platform;
    private final ConcurrentMap<String, Long> untilNanos = new ConcurrentHashMap<>();

    Unanswered(Platform platform) {
        this.platform = platform;
    }

    void add(String owner, long notAfterNanos) {
        untilNanos.merge(owner, notAfterNanos, (a, b) -> a - b > 0 ? a : b);
        long delay = Math.max(0, notAfterNanos - platform.nanoTime());
        platform.schedule(delay, () -> untilNanos.remove(owner, notAfterNanos));
    }

    /** How long from now an acquire of this owner may still be carried out; zero if none may. */
    long nanosLeft(String owner) {
        Long until = untilNanos.get(owner);
        return until == null ? 0 : Math.max(0, until - platform.nanoTime());
    }
}
