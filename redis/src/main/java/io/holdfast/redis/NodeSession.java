package io.holdfast.redis;

import io.holdfast.redis.link.RedisErrors;
import io.holdfast.redis.link.Script;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;

/**
 * A connection to one life of a server of a quorum, and how long that life has lasted. A connection never spans two lives, so
 * this is read once, when it opens.
 *
 * <h2>The restart rule</h2>
 *
 * A server that comes back without its memory has forgotten to whom it gave the lock, and would give it to another while the
 * first still counts on it: together with those that were never asked, that may be a second majority. So it does not count
 * before every lease of its former life is over, which it is {@code maxLease} after its start at the latest.
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
     * Asks the server who it is.
     *
     * @param vouchKey the key that names the life of a server that need not wait
     */
    static NodeSession read(
            Connection wire, Duration maxLease, String vouchKey, java.util.function.LongSupplier nanos) {
        String info = text(wire, Protocol.Command.INFO, "server");
        long read = nanos.getAsLong();
        String life = RedisErrors.field(info, "run_id");
        String uptime = RedisErrors.field(info, "uptime_in_seconds");
        if (life == null || uptime == null || !uptime.matches("[0-9]{1,10}")) {
            throw StoreFailure.refused(
                    "does not say how long it has been up, so there is no telling whether it may count", null);
        }
        long up = 1_000_000_000L * Long.parseLong(uptime) - ROUNDING_NANOS;
        boolean vouched = up < maxLease.toNanos() && life.equals(text(wire, Protocol.Command.GET, vouchKey));
        return new NodeSession(life, maxLease, vouched, up, read);
    }

    private static String text(Connection wire, Protocol.Command command, String argument) {
        wire.sendCommand(command, argument);
        return Reply.text(wire.getOne());
    }

    String life() {
        return life;
    }

    /** Why the server does not count yet; null if it does. */
    @Nullable
    String tooYoung(long now) {
        // Our clock may run faster than the server's.
        long up = upNanos + (now - readNanos) / 100 * 99;
        long left = maxLease.toNanos() - up;
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
