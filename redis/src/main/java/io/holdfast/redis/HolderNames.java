package io.holdfast.redis;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Under which name an owner asks the servers of a quorum. Who has got too few of them takes back what it has got; from then on
 * that name is dead, since what takes it back may be late or doubled, and the same owner asks under the next.
 *
 * <p>Kept only for those who have had to take something back, until they release. One that is never released, since its lease
 * was lost, goes when it has not been used for longer than any lease lasts.
 */
final class HolderNames {
    private static final int MANY = 1_000;

    private record Attempt(int number, long usedNanos) {}

    private final long longestNanos;
    private final ConcurrentMap<String, Attempt> attempts = new ConcurrentHashMap<>();

    HolderNames(Duration maxLease) {
        this.longestNanos = 2 * maxLease.toNanos();
    }

    /** The present name. */
    String holder(String owner, long now) {
        Attempt attempt = attempts.computeIfPresent(owner, (any, present) -> new Attempt(present.number(), now));
        return attempt == null ? owner : owner + "#" + attempt.number();
    }

    /** The present name is about to be taken back. */
    void tookBack(String owner, long now) {
        if (attempts.size() >= MANY) {
            attempts.values().removeIf(attempt -> now - attempt.usedNanos() > longestNanos);
        }
        attempts.merge(owner, new Attempt(2, now), (present, first) -> new Attempt(present.number() + 1, now));
    }

    void forget(String owner) {
        attempts.remove(owner);
    }

    int size() {
        return attempts.size();
    }

    /** The owner behind a name. */
    static String owner(String holder) {
        int mark = holder.lastIndexOf('#');
        return mark < 0 ? holder : holder.substring(0, mark);
    }
}
