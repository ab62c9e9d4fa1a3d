package io.holdfast.redis;

import io.holdfast.redis.link.RedisErrors;
import io.holdfast.redis.link.Script;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection to one life of a server of a quorum, and how long that life has lasted. A connection never spans two lives, so
 * this is read once, when it opens.
 *
 * <h2>The restart rule</h2>
 *
 * A server that comes back without its memory has forgotten to whom it gave the lock, and would give it to another while the
 * first still counts on it: together with those that were never asked, that may be a second majority. So it does not count
 * before every lease of its former life is over, which it is {@code maxLease} after its start at the latest. When that was it
 * says itself, and {@link NodeLives} knows better for servers that this client has met before.
 */
final class NodeSession {
    /** INFO tells whole seconds, and the start is rounded down: a server may be up for this much less than it says. */
    private static final long ROUNDING_NANOS = 1_000_000_000L;

    private final String life;
    private final Duration maxLease;
    private final boolean vouched;
    private final long upNanos;
    private final long readNanos;

    /** Guarded by the line. */
    private final Set<Script> known = new HashSet<>();

    private NodeSession(String life, Duration maxLease, boolean vouched, long upNanos, long readNanos) {
        this.life = life;
        this.maxLease = maxLease;
        this.vouched = vouched;
        this.upNanos = upNanos;
        this.readNanos = readNanos;
    }

    /**
     * Asks the server who it is. Null if it does not tell how long it has been up.
     *
     * @param ask sends a command with one argument, and gives its answer as text
     * @param vouchKey the key that names the life of a server that need not wait
     * @param lives what has been seen of this server before
     */
    static @Nullable NodeSession read(
            BinaryOperator<String> ask, Duration maxLease, String vouchKey, NodeLives lives, LongSupplier nanos) {
        String info = ask.apply("INFO", "server");
        long read = nanos.getAsLong();
        String life = RedisErrors.field(info, "run_id");
        String uptime = RedisErrors.field(info, "uptime_in_seconds");
        if (life == null || uptime == null || !uptime.matches("-?[0-9]{1,10}")) {
            return null;
        }
        // Less than nothing if its clock was set back since.
        long says = 1_000_000_000L * Long.parseLong(uptime) - ROUNDING_NANOS;
        long up = lives.ageNanos(life, says, read);
        boolean vouched = up < maxLease.toNanos() && life.equals(ask.apply("GET", vouchKey));
        return new NodeSession(life, maxLease, vouched, up, read);
    }

    String life() {
        return life;
    }

    /** Why the server does not count yet; null if it does. */
    @Nullable
    String tooYoung(long now) {
        long left = maxLease.toNanos() - upNanos - NodeLives.slow(now - readNanos);
        if (vouched || left <= 0) {
            return null;
        }
        return "has been up for less than maxLease, " + maxLease.toMillis()
                + " ms, and may have forgotten locks that are still held; it counts in " + (left / 1_000_000_000 + 1)
                + " s";
    }

    /** Whether the server knows the script; from now on it does. */
    boolean knows(Script script) {
        return !known.add(script);
    }

    /** The server says that it does not. */
    void doesNotKnow(Script script) {
        known.remove(script);
    }
}
