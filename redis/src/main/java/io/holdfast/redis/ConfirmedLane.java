package io.holdfast.redis;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.redis.link.Script;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * A connection for what replicas have to confirm. WAIT tells of what was written on its own connection, and keeps that
 * connection busy for as long as the replicas take, so script and WAIT go together, one pair at a time, and nothing else goes
 * here. A pair that fails is not repeated: whoever asked knows how to ask again.
 */
final class ConfirmedLane {
    private final ConnectionSource source;
    private final Platform platform;
    private final ReentrantLock turn = new ReentrantLock(true);
    private final Guard guard;

    // Guarded by the turn.
    private @Nullable Connection connection;
    private @Nullable String life;
    private volatile boolean distrusted;
    private volatile boolean closed;

    ConfirmedLane(ConnectionSource source, Platform platform) {
        this.source = source;
        this.platform = platform;
        this.guard = new Guard(platform);
    }

    RedisLink.Confirmed run(
            Script script, List<String> keys, List<String> args, Duration timeout, int replicas, Duration wait) {
        long deadline = platform.nanoTime() + timeout.toNanos();
        if (!takeTurn(timeout)) {
            throw StoreFailure.unavailable(
                    source.address() + " was busy with what others have to have on replicas for " + timeout.toMillis()
                            + " ms",
                    null);
        }
        boolean good = false;
        try {
            guard.begin(deadline + wait.toNanos());
            Connection wire = connection(deadline);
            RedisLink.Confirmed confirmed;
            try {
                confirmed = pair(
                        wire,
                        Protocol.Command.EVALSHA,
                        JedisLink.arguments(script.sha(), keys, args),
                        deadline,
                        replicas,
                        wait);
            } catch (JedisNoScriptException e) {
                confirmed = pair(
                        wire,
                        Protocol.Command.EVAL,
                        JedisLink.arguments(script.text(), keys, args),
                        deadline,
                        replicas,
                        wait);
            }
            good = true;
            return confirmed;
        } catch (JedisDataException e) {
            // The server's own error: both replies have been read.
            good = !JedisErrors.wantsNewConnection(e);
            throw e;
        } finally {
            if (guard.end() || !good || closed) {
                drop();
            }
            turn.unlock();
        }
    }

    /** An interrupt does not end it, and is still set afterwards. */
    private boolean takeTurn(Duration timeout) {
        boolean interrupted = false;
        long until = platform.nanoTime() + timeout.toNanos();
        try {
            while (true) {
                try {
                    return turn.tryLock(Math.max(0, until - platform.nanoTime()), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                platform.interrupt(platform.currentThread());
            }
        }
    }

    private Connection connection(long deadline) {
        if (closed) {
            throw StoreFailure.unavailable(source.address() + ": the connection is closed", null);
        }
        if (distrusted) {
            distrusted = false;
            drop();
        }
        Connection open = connection;
        if (open == null) {
            source.checkForReplicas();
            open = source.open(left(deadline), guard::watch);
            connection = open;
            boolean known = false;
            try {
                life = JedisLink.life(open);
                known = true;
            } finally {
                if (!known) {
                    // Nobody would ask it again.
                    drop();
                }
            }
        }
        return open;
    }

    private RedisLink.Confirmed pair(
            Connection wire, Protocol.Command eval, byte[][] args, long deadline, int replicas, Duration wait) {
        wire.setSoTimeout((int) left(deadline).toMillis());
        wire.sendCommand(eval, args);
        wire.sendCommand(Protocol.Command.WAIT, Protocol.toByteArray(replicas), Protocol.toByteArray(wait.toMillis()));
        Object reply = null;
        JedisDataException refused = null;
        try {
            reply = wire.getOne();
        } catch (JedisDataException e) {
            refused = e;
        }
        // The wait is over by itself; the rest is for the way.
        wire.setSoTimeout((int) (wait.toMillis() + left(deadline).toMillis()));
        Object have = null;
        JedisDataException unconfirmed = null;
        try {
            have = wire.getOne();
        } catch (JedisDataException e) {
            unconfirmed = e;
        }
        // A server that is in no state for the script is in none for WAIT: what it has said of the script is the
        // reason.
        if (refused != null) {
            throw refused;
        }
        if (unconfirmed != null) {
            throw unconfirmed(unconfirmed);
        }
        if (reply == null || !(have instanceof Long count) || count < 0) {
            throw StoreFailure.unavailable(source.address() + " answered nonsense to WAIT: " + Reply.text(have), null);
        }
        RedisLink.Answer answer = new RedisLink.Answer(reply, false, false, life);
        return new RedisLink.Confirmed(answer, (int) Math.min(count, Integer.MAX_VALUE));
    }

    private StoreFailure unconfirmed(JedisDataException error) {
        return JedisErrors.isFinal(error)
                ? StoreFailure.refused(
                        source.address()
                                + " cannot tell which replicas have a lock, so minReplicas cannot be had: it answered"
                                + " WAIT with '" + error.getMessage() + "'",
                        error)
                : JedisErrors.failure(source.address(), error);
    }

    private Duration left(long deadline) {
        return Duration.ofMillis(Math.max(1, (deadline - platform.nanoTime() + 999_999) / 1_000_000));
    }

    /** Takes a new connection for whoever comes next. */
    void distrust() {
        distrusted = true;
    }

    private void drop() {
        Connection old = connection;
        connection = null;
        life = null;
        if (old != null) {
            source.drop(old);
        }
    }

    void close() {
        closed = true;
        // One that is at it drops the connection itself.
        if (turn.tryLock()) {
            try {
                guard.dismiss();
                drop();
            } finally {
                turn.unlock();
            }
        }
    }
}
