package io.holdfast.redis;

import io.holdfast.redis.link.RedisErrors;
import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * One connection for all callers. Whoever finds it free leads: sends its own command and those that wait, in one go, and
 * hands out the replies in their order. Whoever finds it taken waits for its reply, or to lead. A leader leads once and
 * goes; the first of those who wait leads next, or whoever comes before it wakes.
 *
 * <p>After any doubt about what will come next the connection is dropped, so that no reply is ever taken for that of
 * another command. A command whose connection breaks is sent once more on a new one: every command of ours may be
 * repeated. The time-out covers all of it, waiting for the connection and connecting included. The connection is cut at
 * the leader's time-out, since it cannot leave otherwise; those it has led and who have time left are sent again, too.
 */
final class Wire {
    /** So many commands are sent in one go at most: the leader reads their replies before it can go. */
    static final int LARGEST_BATCH = 64;

    /** Nobody relies on it, unless a leader dies of an Error just before it wakes the next. */
    private static final long RECHECK_NANOS = 100_000_000L;

    /** What it takes to set the timer, and to hand on, is less deep than this. */
    private static final int FRAMES = 48;

    private final ConnectionSource source;
    private final Platform platform;
    private final Guard guard;

    /** Who wants to be sent. Only the leader takes out, and those who give up themselves. */
    private final ConcurrentLinkedDeque<Call> queue = new ConcurrentLinkedDeque<>();

    /** Whoever has it leads. */
    private final ReentrantLock turn = new ReentrantLock();

    // The leader's.

    /** What is on the wire: the leader's own, and then the others in the order of their coming. */
    private final List<Call> batch = new ArrayList<>(LARGEST_BATCH);

    private int answered;
    private @Nullable Jedis connection;
    /** The last attempt to connect got as far as a socket: if it failed then, somebody is there who does not answer. */
    private boolean reached;

    /** The run id of the server at the other end, if it may be read: a new one means that its memory may be lost. */
    private @Nullable String life;

    /**
     * There may be a reply in the connection that nobody has read: from when a batch is sent until its replies are there.
     * A flag and not a catch, since even an Error at the end of the stack must not leave a reply for the next caller.
     */
    private boolean suspect;

    private volatile boolean closed;

    Wire(ConnectionSource source, Platform platform) {
        this.source = source;
        this.platform = platform;
        this.guard = new Guard(platform);
    }

    /** Sends a command and waits for its reply; fails with a {@link StoreFailure}, or with the server's own error. */
    RedisLink.Answer call(Duration timeout, Request request) {
        reserve(FRAMES, 0, 0, 0, 0);
        Call call = new Call(request, platform.currentThread(), timeout, platform.nanoTime());
        if (!lead(call, false)) {
            queue.add(call);
            await(call);
        }
        return call.result();
    }

    /** If the stack ends, it ends here: with the turn taken there is enough left to give it back. */
    private static long reserve(int frames, long a, long b, long c, long d) {
        return frames == 0 ? a + b + c + d : reserve(frames - 1, d, a + 1, b + 1, c + 1) + a;
    }

    private void await(Call call) {
        boolean interrupted = false;
        try {
            while (!call.isOver()) {
                long left = call.deadline() - platform.nanoTime();
                if (left <= 0) {
                    giveUp(call);
                } else if (!call.isQueued() || !lead(call, true)) {
                    platform.park(Math.min(left, RECHECK_NANOS));
                    // Whether an interrupt ends the wait for a lock is decided above; a command is not cut short.
                    interrupted |= platform.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                platform.interrupt(platform.currentThread());
            }
        }
    }

    private void giveUp(Call call) {
        StoreFailure failure = call.giveUp(source.address());
        queue.remove(call);
        // It may just have been woken to lead.
        wakeNext();
        if (failure != null) {
            throw failure;
        }
    }

    private void wakeNext() {
        Call next = queue.peek();
        while (next != null && next.isOver()) {
            // It was to be sent again when its caller gave up.
            queue.remove(next);
            next = queue.peek();
        }
        if (next != null && !turn.isLocked()) {
            platform.unpark(next.caller());
        }
    }

    // --- with the turn

    /** Sends what there is to send, if nobody else does; false if somebody does. */
    private boolean lead(Call own, boolean queued) {
        if (!turn.tryLock()) {
            return false;
        }
        try {
            if (queued) {
                queue.remove(own);
            }
            guard.begin(own.deadline());
            while (own.isQueued()) {
                exchange(own);
            }
        } finally {
            try {
                // A connection that was cut may have been opened again by Jedis, without its user and its database.
                suspect |= guard.end();
                settle(own);
            } finally {
                turn.unlock();
            }
            wakeNext();
        }
        return true;
    }

    private void exchange(Call own) {
        if (closed) {
            own.fail(closed());
            return;
        }
        if (suspect) {
            drop();
        }
        boolean reused = connection != null;
        batch.clear();
        batch.add(own);
        answered = 0;
        try {
            Jedis present = connection != null ? connection : open(own.deadline());
            Connection wire = present.getConnection();
            wire.setSoTimeout(millisLeft(own.deadline()));
            write(wire);
            read(wire, own);
        } catch (JedisDataException e) {
            // While the connection was opened: all other errors of the server are somebody's reply.
            suspect = JedisErrors.wantsNewConnection(e);
            own.fail(e);
        } catch (RuntimeException e) {
            broken(own, reused, e);
        }
        settle(own);
    }

    private void write(Connection wire) {
        long now = platform.nanoTime();
        batch.get(0).send();
        while (batch.size() < LARGEST_BATCH) {
            Call next = queue.poll();
            if (next == null) {
                break;
            }
            // Who has no time left is about to say so itself.
            if (next.deadline() - now > 0 && next.send()) {
                batch.add(next);
            }
        }
        suspect = true;
        for (Call call : batch) {
            call.request().writeTo(wire);
        }
    }

    private void read(Connection wire, Call own) {
        boolean wantsNew = false;
        while (answered < batch.size()) {
            Call call = batch.get(answered);
            Object reply;
            try {
                reply = answered == 0 ? wire.getOne() : wire.getUnflushedObject();
            } catch (JedisDataException e) {
                reply = e;
            }
            if (guard.hasCut()) {
                // Jedis may have gone on over another connection, and the reply may be anybody's.
                throw new JedisConnectionException("cut at its deadline");
            }
            answered++;
            if (reply instanceof JedisDataException error) {
                wantsNew |= JedisErrors.wantsNewConnection(error);
                if (!(error instanceof JedisNoScriptException && call.sendByText())) {
                    call.fail(error);
                }
            } else {
                call.answer(reply, life);
            }
            wake(call, own);
        }
        suspect = wantsNew;
    }

    /** Those without a reply are sent again or fail. */
    private void broken(Call own, boolean reused, RuntimeException e) {
        drop();
        long now = platform.nanoTime();
        boolean overdue = JedisErrors.isTimeout(e) || own.deadline() - now <= 0;
        // A connection that was fine before may just have been closed by the server; a new one may not.
        boolean closedByServer = reused && e instanceof JedisConnectionException;
        for (Call call : batch.subList(answered, batch.size())) {
            boolean inTime = call.deadline() - now > 0;
            if (inTime && (overdue ? call != own : closedByServer)) {
                call.sendAgain(life);
            } else {
                boolean late = call == own ? overdue : !inTime;
                call.fail(
                        (call.isSent() || reached) && late
                                ? call.unanswered(source.address(), e)
                                : JedisErrors.failure(source.address(), e));
                wake(call, own);
            }
        }
    }

    /** Nobody is left waiting for a reply that will not come; who is to be sent again comes before all others. */
    private void settle(Call own) {
        for (int i = batch.size() - 1; i > 0; i--) {
            Call call = batch.get(i);
            if (call.isQueued()) {
                queue.addFirst(call);
            } else if (call.isSent()) {
                call.fail(StoreFailure.unavailable(
                        "cannot use " + source.address() + ": whoever sent this command died of an error", null));
                wake(call, own);
            }
        }
        batch.clear();
    }

    private void wake(Call call, Call own) {
        if (call != own && call.isOver()) {
            platform.unpark(call.caller());
        }
    }

    private Jedis open(long deadline) {
        reached = false;
        Jedis opened = source.open(Duration.ofMillis(millisLeft(deadline)), socket -> {
            reached = true;
            guard.watch(socket);
        });
        connection = opened;
        life = null;
        try {
            Connection wire = opened.getConnection();
            wire.setSoTimeout(millisLeft(deadline));
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

    /** Waits for the batch under way, which is bounded by its leader's time-out, and fails those who wait. */
    void close() {
        closed = true;
        turn.lock();
        try {
            drop();
            for (Call left = queue.poll(); left != null; left = queue.poll()) {
                left.fail(closed());
                platform.unpark(left.caller());
            }
        } finally {
            turn.unlock();
            wakeNext();
        }
    }

    private StoreFailure closed() {
        return StoreFailure.unavailable("the connection to " + source.address() + " is closed", null);
    }

    private int millisLeft(long deadline) {
        return Math.toIntExact(Math.max(1, (deadline - platform.nanoTime()) / 1_000_000));
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
