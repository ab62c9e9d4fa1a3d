package io.holdfast.redis;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * One connection to one server of a quorum. Whoever sends writes to it, and goes on to the next server; a thread of its own
 * connects, and reads the replies in their order. So nobody ever waits for one server alone.
 *
 * <p>Nobody is kept by a write either: no more is written than fits into the socket while the server reads nothing, and what
 * is more waits until replies have come. A connection whose oldest command has had no answer for the command time-out is
 * dropped, so that what hangs in it does not grow.
 */
final class NodeLine {
    /** So many bytes without a reply are on their way at most; the socket is given room for them. */
    private static final int MOST_BYTES = 128 << 10;

    private static final int MOST_WAITING = 10_000;
    private static final long PAUSE_NANOS = 50_000_000L;

    /** What a line has to know of its server. */
    interface Server {
        /** Reads who it is; fails with what an application is to be told. */
        NodeSession greet(Jedis opened);

        /** What its clock shows at that moment of ours. */
        long clockMicros(long nanos);

        /** A connection to that life of it was broken, and not by us: it lived until now, or not much longer ago. */
        void parted(String life, long nanos);

        String address();
    }

    private final ConnectionSource source;
    private final Platform platform;
    private final Server server;
    private final Duration opening;
    private final long stuckNanos;

    // Guarded by this.
    private final ArrayDeque<NodeCall> sent = new ArrayDeque<>();
    private final ArrayDeque<NodeCall> waiting = new ArrayDeque<>();
    private int bytes;
    private @Nullable NodeSession session;
    private @Nullable OutputStream out;
    private @Nullable StoreFailure failure;
    private long failedNanos;
    private volatile boolean started;
    private boolean wanted;
    private boolean closed;

    private volatile @Nullable Socket socket;
    private volatile @Nullable Object thread;

    /**
     * @param opening how long a connection may take to open
     * @param stuck how long the oldest command may go unanswered
     */
    NodeLine(ConnectionSource source, Platform platform, Server server, Duration opening, Duration stuck) {
        this.source = source;
        this.platform = platform;
        this.server = server;
        this.opening = opening;
        this.stuckNanos = stuck.toNanos();
    }

    /** Sends a call, or has it sent as soon as there is a connection; never waits for an answer. */
    void send(NodeCall call) {
        StoreFailure refused = null;
        boolean starts = false;
        boolean wakes = false;
        synchronized (this) {
            long now = platform.nanoTime();
            if (closed) {
                refused = closed();
            } else if (session != null && waiting.isEmpty() && fits()) {
                cutIfStuck(now);
                refused = write(call, now);
            } else if (session == null && failure != null && now - failedNanos < PAUSE_NANOS) {
                refused = failure;
            } else if (waiting.size() >= MOST_WAITING) {
                refused = StoreFailure.unavailable(
                        server.address() + " has " + MOST_WAITING + " commands waiting for it", null);
            } else {
                // One that could not be reached has to be there again in time; a new one may take longer.
                boolean patient = session == null && failure == null;
                call.waits(now + (patient ? opening.toNanos() : call.timeoutNanos()));
                waiting.add(call);
                cutIfStuck(now);
                starts = !started;
                started = true;
                wakes = session == null;
            }
        }
        if (refused != null) {
            call.failed(refused);
        } else if (starts) {
            platform.daemon("node", this::run);
        } else if (wakes) {
            Object reader = thread;
            if (reader != null) {
                platform.unpark(reader);
            }
        }
    }

    /** Connects, if it has not yet, although there is nothing to send. */
    void open() {
        if (started) {
            return;
        }
        synchronized (this) {
            if (started || closed) {
                return;
            }
            started = true;
            wanted = true;
        }
        platform.daemon("node", this::run);
    }

    /** The server does not know this script after all. */
    synchronized void doesNotKnow(NodeCall call) {
        if (session != null) {
            session.doesNotKnow(call.script());
        }
    }

    /** A reply made no sense, so what comes next is not to be trusted either. */
    void distrust() {
        close(socket);
    }

    private boolean fits() {
        return bytes < MOST_BYTES;
    }

    private void cutIfStuck(long now) {
        NodeCall oldest = sent.peek();
        if (oldest != null && now - oldest.sentAt().nanos() > stuckNanos) {
            close(socket);
        }
    }

    /** Why it is not sent; null if it is, or if the reader will find out that it could not be. */
    private @Nullable StoreFailure write(NodeCall call, long now) {
        NodeSession present = session;
        OutputStream to = out;
        if (present == null || to == null) {
            throw new IllegalStateException("not connected");
        }
        String tooYoung = call.votes() ? present.tooYoung(now) : null;
        if (tooYoung != null) {
            return StoreFailure.unavailable(server.address() + " " + tooYoung, null);
        }
        byte[] command =
                call.send(present, new ServerClock.Moment(now, platform.wallMillis()), server.clockMicros(now));
        sent.add(call);
        bytes += command.length;
        try {
            to.write(command);
        } catch (IOException e) {
            close(socket);
        }
        return null;
    }

    /** Writes what waits, as far as there is room. What could not be sent, and why, comes back: nobody is told in here. */
    private List<Runnable> writeWaiting() {
        List<Runnable> refused = new ArrayList<>(0);
        long now = platform.nanoTime();
        while (!waiting.isEmpty() && fits()) {
            NodeCall call = waiting.remove();
            if (!call.isOver()) {
                StoreFailure why = write(call, now);
                if (why != null) {
                    refused.add(() -> call.failed(why));
                }
            }
        }
        return refused;
    }

    // --- the reader

    private void run() {
        thread = platform.currentThread();
        while (isWanted()) {
            Jedis opened = null;
            try {
                opened = source.open(opening, made -> {
                    socket = (Socket) made;
                    if (isClosed()) {
                        close(socket);
                    }
                });
                read(opened);
            } catch (IOException | RuntimeException e) {
                broken(e);
            } catch (Error e) {
                broken(new IOException("the reader died of an error", e));
            } finally {
                if (opened != null) {
                    source.drop(opened);
                }
            }
        }
    }

    private boolean isWanted() {
        while (true) {
            synchronized (this) {
                if (closed) {
                    return false;
                }
                if (wanted || !waiting.isEmpty()) {
                    wanted = false;
                    return true;
                }
            }
            platform.park(Long.MAX_VALUE);
            platform.interrupted();
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private void read(Jedis opened) throws IOException {
        Socket wire = socket;
        if (wire == null) {
            throw new IllegalStateException("no socket");
        }
        NodeSession greeted = server.greet(opened);
        // It waits for replies for as long as there are none; what hangs is found by who sends.
        wire.setSoTimeout(0);
        wire.setSendBufferSize(2 * MOST_BYTES);
        RespReader replies = new RespReader(wire.getInputStream());
        List<Runnable> refused;
        synchronized (this) {
            session = greeted;
            out = wire.getOutputStream();
            failure = null;
            refused = writeWaiting();
        }
        refused.forEach(Runnable::run);
        try {
            readAll(replies, greeted.life());
        } finally {
            if (!wire.isClosed()) {
                server.parted(greeted.life(), platform.nanoTime());
            }
        }
    }

    private void readAll(RespReader replies, String life) throws IOException {
        while (true) {
            Object reply = replies.read();
            NodeCall call;
            List<Runnable> refused;
            synchronized (this) {
                call = sent.poll();
                if (call != null) {
                    bytes -= call.length();
                }
                refused = waiting.isEmpty() ? List.of() : writeWaiting();
            }
            if (call == null) {
                throw new IOException("an answer that nobody has asked for");
            }
            call.answered(reply, life);
            refused.forEach(Runnable::run);
        }
    }

    /** There is no connection any more, or none came about. */
    private void broken(Exception e) {
        StoreFailure why = failure(e);
        List<NodeCall> lost = new ArrayList<>();
        synchronized (this) {
            if (session == null) {
                // Not even opened, so it would be the same for those who come right behind.
                failure = why;
                failedNanos = platform.nanoTime();
                lost.addAll(waiting);
                waiting.clear();
            }
            session = null;
            out = null;
            bytes = 0;
            long now = platform.nanoTime();
            while (!sent.isEmpty()) {
                NodeCall call = sent.removeLast();
                if (!closed && call.again()) {
                    call.waits(now + call.timeoutNanos());
                    waiting.addFirst(call);
                } else {
                    lost.add(call);
                }
            }
        }
        lost.forEach(call -> call.failed(why));
    }

    private StoreFailure failure(Exception e) {
        if (e instanceof StoreFailure known) {
            return known;
        }
        if (isClosed()) {
            return closed();
        }
        if (e instanceof JedisException jedis) {
            return JedisErrors.failure(server.address(), jedis);
        }
        return StoreFailure.unavailable("the connection to " + server.address() + " broke: " + e.getMessage(), e);
    }

    private StoreFailure closed() {
        return StoreFailure.unavailable("the connection to " + server.address() + " is closed", null);
    }

    // --- the end

    /** Whether all that was sent is answered. */
    synchronized boolean isQuiet() {
        return sent.isEmpty() && waiting.isEmpty();
    }

    /** Fails what is not answered, and all that comes. */
    void close() {
        List<NodeCall> left;
        synchronized (this) {
            closed = true;
            left = new ArrayList<>(waiting);
            waiting.clear();
        }
        close(socket);
        Object reader = thread;
        if (reader != null) {
            platform.unpark(reader);
        }
        left.forEach(call -> call.failed(closed()));
    }

    private static void close(@Nullable Socket socket) {
        if (socket != null) {
            try {
                socket.close();
            } catch (IOException e) {
                // It was to be thrown away; whoever uses it finds out.
            }
        }
    }
}
