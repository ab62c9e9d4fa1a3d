package io.holdfast.redis;

import io.holdfast.redis.link.RedisErrors;
import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

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
    /** The last attempt to connect got as far as a socket: if it failed then, somebody is there who does not answer. */
    private boolean reached;

    /** The run id of the server at the other end, if it may be read: a new one means that its memory may be lost. */
    private @Nullable String life;

    /**
     * There may be a reply in the connection that nobody has read: from when a command is sent until its reply is there. A
     * flag and not a catch, since even an Error at the end of the stack must not leave a reply for the next caller.
     */
    private boolean suspect;

    private boolean closed;

    Wire(ConnectionSource source, Platform platform) {
        this.source = source;
        this.platform = platform;
        this.guard = new Guard(platform);
    }

    /**
     * A command, and what to send instead if the server answers that it does not know the script.
     *
     * @param fallback null if there is nothing else to send
     */
    record Request(
            ProtocolCommand command,
            List<byte[]> args,
            @Nullable Supplier<Request> fallback) {}

    /** Sends a command and waits for its reply; fails with a {@link StoreFailure}, or with the server's own error. */
    RedisLink.Answer call(Duration timeout, Request request) {
        long deadline = platform.nanoTime() + timeout.toNanos();
        if (!takeTurn(deadline)) {
            throw StoreFailure.unavailable(
                    source.address() + " did not answer others for " + timeout.toMillis()
                            + " ms, so this command was not sent",
                    null);
        }
        try {
            guard.begin(deadline);
            return send(timeout, deadline, request);
        } finally {
            try {
                // A connection that was cut may have been opened again by Jedis, without its user and its database.
                suspect |= guard.end();
            } finally {
                turn.unlock();
            }
        }
    }

    private RedisLink.Answer send(Duration timeout, long deadline, Request first) {
        Request request = first;
        boolean repeated = false;
        String lifeBefore = null;
        while (true) {
            if (closed) {
                throw StoreFailure.unavailable("the connection to " + source.address() + " is closed", null);
            }
            if (suspect) {
                drop();
            }
            boolean reused = connection != null;
            boolean sent = false;
            try {
                Jedis present = connection != null ? connection : open(deadline);
                Connection wire = present.getConnection();
                wire.setSoTimeout(Math.toIntExact(remaining(deadline).toMillis()));
                sent = true;
                suspect = true;
                wire.sendCommand(request.command(), request.args().toArray(new byte[0][]));
                Object reply = wire.getOne();
                if (guard.hasCut()) {
                    throw new JedisConnectionException("cut at its deadline");
                }
                suspect = false;
                return new RedisLink.Answer(reply, repeated, life != null && life.equals(lifeBefore));
            } catch (JedisNoScriptException e) {
                suspect = false;
                Supplier<Request> fallback = request.fallback();
                if (fallback == null) {
                    throw e;
                }
                request = fallback.get();
            } catch (JedisDataException e) {
                suspect = JedisErrors.wantsNewConnection(e);
                throw e;
            } catch (RuntimeException e) {
                lifeBefore = life;
                drop();
                boolean timedOut = JedisErrors.isTimeout(e);
                boolean inTime = deadline - platform.nanoTime() > 0;
                // A connection that was fine before may just have been closed by the server; a new one may not.
                if (!(reused && inTime && !timedOut && e instanceof JedisConnectionException)) {
                    throw (sent || reached) && (timedOut || !inTime)
                            ? StoreFailure.unavailable(
                                    source.address() + " did not answer within " + timeout.toMillis() + " ms", e)
                            : JedisErrors.failure(source.address(), e);
                }
                repeated |= sent;
            }
        }
    }

    private Jedis open(long deadline) {
        reached = false;
        Jedis opened = source.open(remaining(deadline), socket -> {
            reached = true;
            guard.watch(socket);
        });
        connection = opened;
        life = null;
        try {
            Connection wire = opened.getConnection();
            wire.setSoTimeout(Math.toIntExact(remaining(deadline).toMillis()));
            suspect = true;
            wire.sendCommand(Protocol.Command.INFO, "server");
            life = RedisErrors.field(Reply.text(wire.getOne()), "run_id");
            suspect = false;
        } catch (JedisDataException e) {
            if (!JedisErrors.isFinal(e)) {
                throw e;
            }
            suspect = false;
            // Not allowed to look: then a restart cannot be told from a mere break, and is taken for one.
        }
        return opened;
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
        suspect = false;
        if (broken != null) {
            try {
                source.drop(broken);
            } catch (RuntimeException e) {
                // It was to be thrown away; that it does not go gracefully changes nothing.
            }
        }
    }
}
