package io.holdfast.redis;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;

/**
 * One connection to one server of a quorum. Whoever sends writes to it, and goes on to the next server; a thread of its own
 * connects, and reads the replies in their order. So nobody waits for one server alone for longer than a moment.
 *
 * <p>For that moment, whoever waits for a reply reads it itself: five threads that are woken for every question are most of
 * what it costs. It takes the turn to read if nobody has it, and leaves at its own reply, or when the server is not quick.
 * What it leaves behind is read by the line's own thread: at once if somebody waits for it, and otherwise after a little while.
 * That thread also reads when nothing is to be expected, so that the end of a connection is noticed.
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

    /** A caller waits for so long for one server. */
    private static final long QUICK_NANOS = 2_000_000L;

    /** A server that was slower again and again is let alone by callers for so long. */
    private static final long LONGEST_ALONE_NANOS = 1_000_000_000L;

    /** So long the line's own thread leaves the turn to callers. */
    private static final long LINGER_NANOS = 10_000_000L;

    /** What a line has to know of its server. */
    interface Server {
        /** Reads who it is; fails with what an application is to be told. */
        NodeSession greet(Connection opened);

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
    private @Nullable RespReader replies;
    /** Whether somebody has the turn to read: the line's own thread when a connection has just been opened. */
    private boolean read;

    private long readNanos;
    private long aloneUntilNanos;
    private long letAloneNanos = LINGER_NANOS;
    /** What a caller came upon; for the line's own thread. */
    private @Nullable Exception found;

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
        this.aloneUntilNanos = platform.nanoTime();
    }

    /** Sends a call, or has it sent as soon as there is a connection; never waits for an answer. */
    void send(NodeCall call) {
        Wire.reserveStack();
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
                wakes = true;
            }
        }
        if (refused != null) {
            call.failed(refused);
        } else if (starts) {
            platform.daemon("node", this::run);
        } else if (wakes) {
            wake();
        }
    }

    private void wake() {
        Object reader = thread;
        if (reader != null) {
            platform.unpark(reader);
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
        boolean written = false;
        sent.add(call);
        bytes += command.length;
        try {
            to.write(command);
            written = true;
        } catch (IOException e) {
            // Whoever reads finds out.
        } finally {
            if (!written) {
                close(socket);
            }
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

    // --- a caller that reads

    /** Reads the replies up to that of a call whose caller this is; not if somebody else reads, and not for long. */
    void read(NodeCall own) {
        Wire.reserveStack();
        RespReader from;
        NodeSession present;
        Socket wire;
        synchronized (this) {
            from = replies;
            present = session;
            wire = socket;
            // Behind what made no sense nobody knows whose reply comes next.
            boolean alone = found != null || aloneUntilNanos - platform.nanoTime() > 0;
            if (from == null || present == null || wire == null || read || alone || !own.isOutstanding()) {
                return;
            }
            read = true;
        }
        boolean quick = false;
        Exception problem = null;
        try {
            quick = readUpTo(own, from, wire, present.life());
        } catch (EOFException | SocketException e) {
            // The line's own thread meets the same, and knows what to do.
        } catch (IOException | RuntimeException e) {
            problem = e;
        } catch (Error e) {
            problem = new IOException("whoever read died of an error", e);
            throw e;
        } finally {
            leave(quick, problem);
        }
    }

    /** Whether it was quick. */
    private boolean readUpTo(NodeCall own, RespReader from, Socket wire, String life) throws IOException {
        long until = platform.nanoTime() + QUICK_NANOS;
        while (own.isOutstanding()) {
            while (!from.isWhole()) {
                long left = until - platform.nanoTime();
                try {
                    wire.setSoTimeout(Math.toIntExact(Math.max(1, left / 1_000_000)));
                    if (left <= 0 || !from.more()) {
                        return false;
                    }
                } catch (SocketTimeoutException e) {
                    return false;
                }
            }
            handOut(from.read(), life);
        }
        return true;
    }

    private void leave(boolean quick, @Nullable Exception problem) {
        boolean wakes;
        synchronized (this) {
            long now = platform.nanoTime();
            read = false;
            readNanos = now;
            found = problem;
            wakes = closed || problem != null || isAwaited();
            letAloneNanos = quick ? LINGER_NANOS : Math.min(2 * letAloneNanos, LONGEST_ALONE_NANOS);
            if (wakes) {
                aloneUntilNanos = now + letAloneNanos;
            }
        }
        if (wakes) {
            wake();
        }
    }

    /** Whether somebody waits for what is to be read or written. */
    private boolean isAwaited() {
        if (!waiting.isEmpty()) {
            return true;
        }
        for (NodeCall call : sent) {
            if (call.isAwaited()) {
                return true;
            }
        }
        return false;
    }

    // --- the reader

    private void run() {
        thread = platform.currentThread();
        while (isWanted()) {
            Connection opened = null;
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

    private void read(Connection opened) throws IOException {
        Socket wire = socket;
        if (wire == null) {
            throw new IllegalStateException("no socket");
        }
        NodeSession greeted = server.greet(opened);
        // It waits for replies for as long as there are none; what hangs is found by who sends.
        wire.setSoTimeout(0);
        wire.setSendBufferSize(2 * MOST_BYTES);
        RespReader from = new RespReader(wire.getInputStream());
        List<Runnable> refused;
        synchronized (this) {
            session = greeted;
            out = wire.getOutputStream();
            replies = from;
            read = true;
            failure = null;
            refused = writeWaiting();
        }
        refused.forEach(Runnable::run);
        try {
            readAll(wire, from, greeted.life());
        } finally {
            if (!wire.isClosed()) {
                server.parted(greeted.life(), platform.nanoTime());
            }
        }
    }

    private void readAll(Socket wire, RespReader from, String life) throws IOException {
        // Who leaves a read over TLS in the middle may not come back to it.
        boolean alone = wire instanceof SSLSocket;
        while (true) {
            wire.setSoTimeout(0);
            do {
                handOut(from.read(), life);
            } while (from.hasMore() || alone || staysAtIt());
            awaitTurn();
        }
    }

    /** Waits until it is for the line's own thread to read; fails if a caller came upon something. */
    private void awaitTurn() throws IOException {
        while (true) {
            long left = LINGER_NANOS;
            synchronized (this) {
                if (!read) {
                    long now = platform.nanoTime();
                    left -= now - readNanos;
                    read = closed || found != null || left <= 0 || aloneUntilNanos - now > 0 || isAwaited();
                    if (found != null) {
                        throw new IOException(found.getMessage(), found);
                    }
                    if (read) {
                        return;
                    }
                }
            }
            platform.park(left);
            platform.interrupted();
        }
    }

    /** Whether the line's own thread goes on reading; otherwise it has left the turn to others. */
    private synchronized boolean staysAtIt() {
        readNanos = platform.nanoTime();
        read = aloneUntilNanos - readNanos > 0 || isAwaited();
        return read;
    }

    private void handOut(@Nullable Object reply, String life) throws IOException {
        NodeCall call;
        List<Runnable> refused;
        synchronized (this) {
            call = sent.poll();
            if (call != null) {
                call.isIn();
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
            replies = null;
            read = false;
            found = null;
            bytes = 0;
            long now = platform.nanoTime();
            while (!sent.isEmpty()) {
                NodeCall call = sent.removeLast();
                if (!closed && call.again()) {
                    call.waits(now + call.timeoutNanos());
                    waiting.addFirst(call);
                } else {
                    call.isIn();
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
        wake();
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
