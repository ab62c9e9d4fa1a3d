package io.holdfast.redis;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * One connection, one command at a time, sent by whoever calls. After any doubt about what will come next the connection
 * is dropped, so that no reply is ever taken for that of another command.
 *
 * <p>A command whose connection breaks is sent once more on a new one: every command of ours may be repeated. The time-out
 * covers all of it, waiting for the connection and connecting included.
 */
final class Wire {
    private final ConnectionSource source;
    private final Platform platform;
    private final Guard guard;
    private final ReentrantLock turn = new ReentrantLock();
    private @Nullable Jedis connection;
    private boolean closed;

    Wire(ConnectionSource source, Platform platform) {
        this.source = source;
        this.platform = platform;
        this.guard = new Guard(platform);
    }

    /** A command, as {@link #call(Duration, long, ProtocolCommand, byte[]...)}, with all of the time-out before it. */
    RedisLink.Answer call(Duration timeout, ProtocolCommand command, byte[]... args) {
        return call(timeout, platform.nanoTime() + timeout.toNanos(), command, args);
    }

    /**
     * Sends a command and waits for its reply; fails with a {@link StoreFailure}, or with the server's own error.
     *
     * @param timeout for messages
     * @param deadline when it is over; another command may have used some of the time
     */
    RedisLink.Answer call(Duration timeout, long deadline, ProtocolCommand command, byte[]... args) {
        if (!takeTurn(deadline)) {
            throw StoreFailure.unavailable(
                    source.address() + " did not answer others for " + timeout.toMillis()
                            + " ms, so this command was not sent",
                    null);
        }
        guard.begin(deadline);
        try {
            return send(timeout, deadline, command, args);
        } finally {
            guard.end();
            turn.unlock();
        }
    }

    private RedisLink.Answer send(Duration timeout, long deadline, ProtocolCommand command, byte[]... args) {
        boolean sent = false;
        while (true) {
            if (closed) {
                throw StoreFailure.unavailable("the connection to " + source.address() + " is closed", null);
            }
            Jedis present = connection;
            boolean reused = present != null;
            try {
                if (present == null) {
                    present = source.open(remaining(deadline), guard::watch);
                    connection = present;
                }
                Connection wire = present.getConnection();
                wire.setSoTimeout(Math.toIntExact(remaining(deadline).toMillis()));
                boolean repeated = sent;
                sent = true;
                wire.sendCommand(command, args);
                return new RedisLink.Answer(wire.getOne(), repeated);
            } catch (JedisDataException e) {
                if (RedisErrors.answer(e) == RedisErrors.Answer.RECONNECT) {
                    drop();
                }
                throw e;
            } catch (RuntimeException e) {
                drop();
                boolean timedOut = RedisErrors.isTimeout(e);
                boolean inTime = deadline - platform.nanoTime() > 0;
                // A connection that was fine before may just have been closed by the server; a new one may not.
                if (!(reused && inTime && !timedOut && e instanceof JedisConnectionException)) {
                    throw (timedOut ? sent : !inTime)
                            ? StoreFailure.unavailable(
                                    source.address() + " did not answer within " + timeout.toMillis() + " ms", e)
                            : RedisErrors.failure(source.address(), e);
                }
            }
        }
    }

    void close() {
        // Waits for the command under way, which is bounded by its time-out.
        turn.lock();
        try {
            closed = true;
            drop();
        } finally {
            turn.unlock();
        }
    }

    private Duration remaining(long deadline) {
        return Duration.ofNanos(Math.max(1_000_000, deadline - platform.nanoTime()));
    }

    private boolean takeTurn(long deadline) {
        if (turn.tryLock()) {
            return true;
        }
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return turn.tryLock(deadline - platform.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    // Whether an interrupt ends the wait for a lock is decided above; a command is not cut short.
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                platform.interrupt(platform.currentThread());
            }
        }
    }

    private void drop() {
        Jedis broken = connection;
        connection = null;
        if (broken != null) {
            try {
                source.drop(broken);
            } catch (RuntimeException e) {
                // It was to be thrown away; that it does not go gracefully changes nothing.
            }
        }
    }
}
