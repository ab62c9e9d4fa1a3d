package io.holdfast.redis;

import org.jspecify.annotations.Nullable;

/**
 * What a client has seen itself of the lives of one server. A server counts its age by its own clock, and that may be set: it
 * often is right after a machine was started. But a life began after the one before it has answered last, and before it
 * answered first, and these are moments of our own clock. That a connection broke is taken for the end of a life, too, if
 * another is behind the next: it may have ended earlier, and then this one is thought younger than it is, which does no harm
 * but that it counts later. Thread safe.
 */
final class NodeLives {
    private record Seen(String life, long askedNanos) {}

    private volatile @Nullable Seen last;

    // Guarded by this.
    private @Nullable String met;
    private long metNanos;
    private @Nullable Seen former;

    /** A life has answered what it was asked at that moment, or was there then as far as anybody knows. */
    void answered(String life, long askedNanos) {
        last = new Seen(life, askedNanos);
    }

    /**
     * How old a life is that has just been met.
     *
     * @param saysNanos its age by its own account
     * @param now when it has given that account
     */
    synchronized long ageNanos(String life, long saysNanos, long now) {
        if (!life.equals(met)) {
            met = life;
            metNanos = now;
        }
        Seen seen = last;
        if (seen != null
                && !seen.life().equals(life)
                && (former == null || seen.askedNanos() - former.askedNanos() > 0)) {
            former = seen;
        }
        long age = Math.max(saysNanos, slow(now - metNanos));
        return former == null ? age : Math.min(age, slow(now - former.askedNanos()));
    }

    /** Our clock may run faster than the server's. */
    static long slow(long nanos) {
        return nanos / 100 * 99;
    }
}
