package io.holdfast.redis;

import io.holdfast.spi.Platform;
import io.holdfast.spi.ReleaseReply;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Acquires that were sent and never answered. Such a request may sit in a buffer on a dead connection and be carried out
 * after the release that was to undo it, on another connection. Until the moment after which the server refuses it, every
 * release of its owner has to be said again. That moment is one of the server's clock, and so is the time at which a
 * release was carried out, which its reply tells: our own clock would have to be right about the server's.
 */
final class Unanswered {
    /** Finds the server that has a lock, and releases it there. */
    interface Router {
        CompletionStage<ReleaseReply> release(String name, String owner);
    }

    private final Platform platform;
    private volatile @Nullable Router router;
    private final ConcurrentMap<String, Long> notAfterMicros = new ConcurrentHashMap<>();

    Unanswered(Platform platform) {
        this.platform = platform;
    }

    /**
     * Remembers an owner.
     *
     * @param notAfter the server time after which its acquire is refused
     * @param timeout the command time-out: several times as much later nobody has to ask any more
     */
    void add(String owner, long notAfter, Duration timeout) {
        notAfterMicros.merge(owner, notAfter, Math::max);
        // The guess at the server's clock was wrong by at most one exchange, which took at most one time-out.
        platform.schedule(3 * timeout.toNanos(), () -> notAfterMicros.remove(owner, notAfter));
    }

    /** Releases are said again by that from now on, since locks move from one server to another. */
    void routedBy(Router one) {
        router = one;
    }

    /** Who says them again; null if whoever said it first does. */
    @Nullable
    Router router() {
        return router;
    }

    /** Whether an acquire of this owner may still be on its way. */
    boolean isInDoubt(String owner) {
        return notAfterMicros.containsKey(owner);
    }

    /**
     * How long after a release an acquire of its owner may still be carried out.
     *
     * @param released the server time of the release
     * @return microseconds, or zero if the release was the last word
     */
    long microsLeft(String owner, long released) {
        Long notAfter = notAfterMicros.get(owner);
        return notAfter == null ? 0 : Math.max(0, notAfter - released + 1);
    }
}
