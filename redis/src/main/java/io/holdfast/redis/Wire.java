package io.holdfast.redis;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * One connection for all callers. Whoever finds it free leads: sends its own command and those that wait, in one go, and
 * hands out the replies in their order. Every few replies it sends what has come since, so that the server has work while
 * the rest is handed out; those replies are left to the next leader. Whoever finds the connection taken waits for its
 * reply, or to lead. A leader goes when all that was sent up to its own command is answered; the first of those who wait
 * leads next, or whoever comes before it wakes.
 *
 * <p>Requests that stand side by side and want a ticket for the same lock are sent as one command, whose reply tells each its
 * part. If the server does none of them that way, each is sent by itself.
 *
 * <p>After any doubt about what will come next the connection is dropped, so that no reply is ever taken for that of
 * another command. A command whose connection breaks is sent once more on a new one: every command of ours may be
 * repeated. The time-out covers all of it, waiting for the connection and connecting included. The connection is cut at
 * the leader's time-out, since it cannot leave otherwise; those without a reply who have time left are sent again, too.
 */
final class Wire {
    /** So many commands are on their way at most: a leader may have to read all of their replies before it can go. */
    static final int LARGEST_BATCH = 64;

    /**
     * After so many replies at most the leader sends what has come since: the server replies to a batch when it has done all of
     * it, so it has nothing to do from the first reply of a batch on, unless the next one is there.
     */
    private static final int LARGEST_STEP = 8;

    /** Nobody relies on it, unless a leader dies of an Error just before it wakes the next. */
    private static final long RECHECK_NANOS = 100_000_000L;

    /** So many commands have to go out one by one before nobody else counts as being there. */
    private static final int CROWD = 64;

    private static final long CLOSE_PAUSE_NANOS = 500_000L;

    /** So long after its time-out a leader that cannot even be cut is waited for. */
    private static final long CLOSE_GRACE_NANOS = 1_000_000_000L;

    /** What it takes to set the timer, to hand on, and to tell the engine what came of it, is less deep than this. */
    private static final int FRAMES = 192;

    private final ConnectionSource source;
    private final Platform platform;
    private final Guard guard;

    /** Who wants to be sent. Only the leader takes out, and those who give up themselves. */
    private final ConcurrentLinkedDeque<Call> queue = new ConcurrentLinkedDeque<>();

    /** So many commands more go out before the last that met others is forgotten. Not guarded: it is a hint, and seen with what is queued. */
    private int crowd;

    /** Whoever has it leads. */
    private final ReentrantLock turn = new ReentrantLock();

    // The leader's.

    /**
     * What is on the wire, in the order in which the replies come. Whoever is sent stands here, also if the leader dies of
     * an Error between any two steps: it is put here before it counts as sent, and taken out when it does not any more.
     */
    private final ArrayDeque<Call> sent = new ArrayDeque<>(LARGEST_BATCH);

    /**
     * Who was sent and is to be sent once more, before all who wait, in the order in which they were sent: who came first shall
     * not be served last. Whoever gives up the turn puts them back into the queue.
     */
    private final ArrayDeque<Call> again = new ArrayDeque<>(LARGEST_BATCH);

    /**
     * Whose replies leave them nothing to do but to wait: they are told when the turn is given up, and not woken. One that is
     * forgotten, if the leader dies of an Error, wakes by itself after a moment.
     */
    private List<Call> sleepers = new ArrayList<>();

    private @Nullable Connection connection;
    /** At what comes over it, if that is of use. */
    private @Nullable Glance glance;

    /** The last attempt to connect got as far as a socket: if it failed then, somebody is there who does not answer. */
    private boolean reached;

    /** The run id of the server at the other end, if it may be read. */
    private @Nullable String life;

    /**
     * What comes next over the connection may not be the reply to the first that was sent: from when something is written
     * or read until it is done. A flag and not a catch, since even an Error at the end of the stack must not leave a
     * reply for the next caller.
     */
    private boolean suspect;

    /** A caller could make no sense of its reply, so there may be more to come than was asked for. */
    private volatile boolean distrusted;

    private volatile boolean closed;

    Wire(ConnectionSource source, Platform platform) {
        this.source = source;
        this.platform = platform;
        this.guard = new Guard(platform);
    }

    /** Takes a new connection for whoever leads next. */
    void distrust() {
        distrusted = true;
    }

    /** Sends a command and waits for its reply; fails with a {@link StoreFailure}, or with the server's own error. */
    RedisLink.Answer call(Duration timeout, Request request) {
        return call(timeout, request, null);
    }

    /** As above, for one that may be told by whoever reads its reply, and then sleeps on in here until it is unparked. */
    RedisLink.Answer call(Duration timeout, Request request, Call.@Nullable Sleeper sleeper) {
        reserveStack();
        Call call = new Call(request, platform.currentThread(), timeout, platform.nanoTime(), sleeper);
        if (!lead(call, false)) {
            crowd = CROWD;
            queue.add(call);
            await(call);
        }
        return call.result();
    }

    /** Lets commands wait to be sent in one go, by whoever leads next; each is to be waited for by {@link #answer}. */
    List<Call> queue(Duration timeout, List<Request> requests) {
        long now = platform.nanoTime();
        List<Call> calls = new ArrayList<>(requests.size());
        for (Request request : requests) {
            Call call = new Call(request, platform.currentThread(), timeout, now, null);
            calls.add(call);
            queue.add(call);
        }
        return calls;
    }

    /** Waits for the reply to a command of {@link #queue}, on the thread that has queued it. */
    RedisLink.Answer answer(Call call) {
        reserveStack();
        await(call);
        return call.result();
    }

    /** If the stack ends, it ends here: with the turn taken there is enough left to give it back. */
    static void reserveStack() {
        reserve(FRAMES, 0, 0, 0, 0);
    }

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
                } else if (!lead(call, true)) {
                    platform.park(Math.min(left, RECHECK_NANOS));
                    // Whether an interrupt ends the wait for a lock is decided above; a command is not cut short.
                    if (platform.interrupted()) {
                        interrupted = true;
                        call.isRestless();
                    }
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
        if (turn.tryLock()) {
            try {
                if (sent.contains(call)) {
                    // Its reply is overdue, and nobody else shall wait for it.
                    suspect = true;
                    clear(call, false);
                }
            } finally {
                giveTurn();
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    // --- with the turn

    /** Sends what there is to send, if nobody else does; false if somebody does. */
    private boolean lead(Call own, boolean queued) {
        if (!turn.tryLock()) {
            return false;
        }
        boolean died = true;
        List<Call> told = List.of();
        try {
            if (queued && own.isQueued()) {
                queue.remove(own);
            }
            guard.begin(own.deadline());
            while (!own.isOver()) {
                exchange(own);
            }
            died = false;
        } finally {
            try {
                // A connection that was cut may have been opened again by Jedis, without its user and its database.
                suspect |= guard.end();
                if (suspect) {
                    clear(own, died);
                }
                if (died) {
                    // Its caller is gone.
                    again.remove(own);
                }
                if (closed) {
                    // Whoever closed may have gone without it.
                    drop();
                }
            } finally {
                try {
                    if (!sleepers.isEmpty()) {
                        told = sleepers;
                        sleepers = new ArrayList<>();
                    }
                } finally {
                    giveTurn();
                }
            }
        }
        // Without the turn: what they do next may be to send something.
        told.forEach(this::tell);
        return true;
    }

    private void tell(Call call) {
        try {
            call.tell();
        } catch (Throwable e) {
            // At the end of this stack; on its own it may go further.
            platform.unpark(call.caller());
        }
    }

    private void giveTurn() {
        Call next = null;
        try {
            putBack();
            next = first(sent);
            if (next == null) {
                next = first(queue);
            }
        } finally {
            turn.unlock();
        }
        if (next == null) {
            // One that has come since found the turn taken.
            next = queue.peek();
        }
        if (next != null && !turn.isLocked()) {
            platform.unpark(next.caller());
            if (next.isOver() && turn.tryLock()) {
                // It has given up since it was chosen, and could not take the turn meanwhile to choose another.
                giveTurn();
            }
        }
    }

    private void putBack() {
        for (Call call = again.peekLast(); call != null; call = again.peekLast()) {
            if (call.isQueued()) {
                queue.addFirst(call);
            }
            again.removeLast();
        }
    }

    private static @Nullable Call first(Iterable<Call> calls) {
        for (Call call : calls) {
            if (!call.isOver()) {
                return call;
            }
        }
        return null;
    }

    private void exchange(Call own) {
        if (closed) {
            own.fail(closed());
            return;
        }
        if (distrusted) {
            distrusted = false;
            suspect = true;
        }
        if (suspect) {
            clear(own, false);
            drop();
        }
        boolean reused = connection != null;
        try {
            Connection wire = connection != null ? connection : open(own.deadline());
            wire.setSoTimeout(millisLeft(own.deadline()));
            boolean first = sent.isEmpty();
            write(wire, own);
            if (first && isAlone() && glance != null) {
                glance.await();
            }
            read(wire, own);
        } catch (JedisDataException e) {
            // While the connection was opened: all other errors of the server are somebody's reply. One that was half
            // opened would stay without what is read once.
            suspect = true;
            own.fail(e);
        } catch (RuntimeException e) {
            broken(own, reused, e);
        }
    }

    /** Sends those who wait, and before them the leader's own, if it was never sent. */
    private void write(Connection wire, @Nullable Call own) {
        suspect = true;
        int before = sent.size();
        if (own != null && own.isQueued() && !again.contains(own)) {
            sent.add(own);
            own.send();
        }
        long now = platform.nanoTime();
        while (sent.size() < LARGEST_BATCH) {
            Call next = again.isEmpty() ? queue.poll() : again.poll();
            if (next == null) {
                break;
            }
            // Who has no time left is about to say so itself.
            if (next.deadline() - now > 0) {
                sent.add(next);
                if (!next.send()) {
                    sent.removeLast();
                }
            }
        }
        if (sent.size() == before) {
            return;
        }
        List<Call> joined = new ArrayList<>();
        int passed = 0;
        for (Call call : sent) {
            if (passed++ >= before) {
                if (!joined.isEmpty() && !call.joins(joined.get(0))) {
                    write(wire, joined);
                    joined.clear();
                }
                joined.add(call);
            }
        }
        write(wire, joined);
        // Sends what is written, and reads nothing.
        wire.getMany(0);
    }

    /** Writes one command for all of these. */
    private static void write(Connection wire, List<Call> joined) {
        Call first = joined.get(0);
        first.sharesWith(joined.size() - 1);
        if (joined.size() == 1) {
            first.request().writeTo(wire);
        } else {
            Request.together(joined.stream().map(Call::request).toList()).writeTo(wire);
        }
    }

    /** Whether there is only one to wait for a reply, and has been for a while: others would have a better use for the processor. */
    private boolean isAlone() {
        if (sent.size() > 1 || !queue.isEmpty()) {
            crowd = CROWD;
        } else if (crowd > 0) {
            crowd--;
            return false;
        }
        return crowd == 0;
    }

    /** Hands out the replies to all that is sent by now. */
    private void read(Connection wire, Call own) {
        boolean wantsNew = false;
        int left = sent.size();
        int step = Math.min(LARGEST_STEP, (left + 1) / 2);
        int due = left - step;
        while (left > 0) {
            Object reply;
            try {
                reply = wire.getUnflushedObject();
            } catch (JedisDataException e) {
                reply = e;
            }
            if (guard.hasCut()) {
                // Jedis may have gone on over another connection, and the reply may be anybody's.
                throw new JedisConnectionException("cut at its deadline");
            }
            if (reply instanceof JedisDataException error) {
                wantsNew |= JedisErrors.wantsNewConnection(error);
            }
            int together = sent.element().together();
            Request before = null;
            for (int i = 0; i < together; i++) {
                Call call = sent.element();
                settle(call, together > 1 ? Request.part(reply, i, together, before) : reply, together > 1, own);
                before = call.request();
                sent.remove();
            }
            left -= together;
            // At the end if it goes: the one that leads next takes a while to wake.
            boolean writes = left == 0 ? own.isOver() : left <= due;
            if (writes && !closed && !wantsNew && !(again.isEmpty() && queue.isEmpty())) {
                due = left - step;
                write(wire, (Call) null);
            }
        }
        suspect = wantsNew;
    }

    /** One of those for whom a reply is. */
    private void settle(Call call, Object reply, boolean isShared, Call own) {
        if (reply instanceof JedisNoScriptException && call.sendByText()) {
            again.add(call);
        } else if (reply instanceof JedisDataException error) {
            call.fail(error);
        } else if (isShared && reply instanceof List<?> parts && parts.isEmpty()) {
            call.sendAlone();
            again.add(call);
        } else {
            call.answer(reply, life);
        }
        wake(call, own);
    }

    /** Those without a reply are sent again or fail. */
    private void broken(Call own, boolean reused, RuntimeException e) {
        drop();
        long now = platform.nanoTime();
        boolean overdue = JedisErrors.isTimeout(e) || own.deadline() - now <= 0;
        // A connection that was fine before may just have been closed by the server; a new one may not.
        boolean closedByServer = reused && e instanceof JedisConnectionException;
        if (own.isQueued()) {
            // The connection was not even opened.
            again.remove(own);
            sent.addFirst(own);
        }
        for (Call call = sent.peek(); call != null; call = sent.peek()) {
            boolean inTime = call.deadline() - now > 0;
            if (inTime && (overdue ? call != own : closedByServer)) {
                call.sendAgain(life);
                again.add(call);
            } else {
                boolean late = call == own ? overdue : !inTime;
                call.fail(
                        (call.isSent() || reached) && late
                                ? call.unanswered(source.address(), e)
                                : JedisErrors.failure(source.address(), e));
                wake(call, own);
            }
            sent.remove();
        }
    }

    /** The connection cannot be used any more, and nobody is left waiting for a reply that will not come. */
    private void clear(Call own, boolean died) {
        for (Call call = sent.peek(); call != null; call = sent.peek()) {
            if (died) {
                call.fail(StoreFailure.unavailable(
                        "cannot use " + source.address() + ": whoever sent this command died of an error", null));
                wake(call, own);
            } else {
                call.sendAgain(life);
                again.add(call);
            }
            sent.remove();
        }
    }

    private void wake(Call call, Call own) {
        if (call == own || !call.isOver()) {
            return;
        }
        if (call.isQuiet()) {
            sleepers.add(call);
        } else {
            platform.unpark(call.caller());
        }
    }

    private Connection open(long deadline) {
        reached = false;
        glance = null;
        Connection opened = source.open(Duration.ofMillis(millisLeft(deadline)), socket -> {
            reached = true;
            guard.watch(socket);
            glance = Glance.at(socket, platform::nanoTime);
        });
        connection = opened;
        life = null;
        opened.setSoTimeout(millisLeft(deadline));
        suspect = true;
        life = JedisLink.life(opened);
        suspect = false;
        return opened;
    }

    /**
     * Waits for the leader, who is bounded by its time-out, and fails those who wait. A leader that stays away all the same drops
     * the connection itself, if it ever comes back.
     */
    void close() {
        closed = true;
        if (!takeTurnToClose()) {
            failQueued();
            return;
        }
        try {
            drop();
            queue.addAll(sent);
            sent.clear();
            failQueued();
        } finally {
            giveTurn();
        }
    }

    private boolean takeTurnToClose() {
        long start = platform.nanoTime();
        boolean interrupted = false;
        try {
            while (!turn.tryLock()) {
                if (platform.nanoTime() - guard.notBefore(start) > CLOSE_GRACE_NANOS) {
                    return false;
                }
                platform.park(CLOSE_PAUSE_NANOS);
                interrupted |= platform.interrupted();
            }
            return true;
        } finally {
            if (interrupted) {
                platform.interrupt(platform.currentThread());
            }
        }
    }

    private void failQueued() {
        for (Call left = queue.poll(); left != null; left = queue.poll()) {
            left.fail(closed());
            platform.unpark(left.caller());
        }
    }

    private StoreFailure closed() {
        return StoreFailure.unavailable("the connection to " + source.address() + " is closed", null);
    }

    private int millisLeft(long deadline) {
        return Math.toIntExact(Math.max(1, (deadline - platform.nanoTime()) / 1_000_000));
    }

    private void drop() {
        Connection broken = connection;
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
