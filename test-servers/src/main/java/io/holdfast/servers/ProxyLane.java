package io.holdfast.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * One direction of one proxied connection. A thread reads and queues, another one forwards, so that a delay adds to the
 * time of each message and not to that of all before it.
 */
final class ProxyLane {
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int QUEUED_MESSAGES = 1024;
    private static final Message END = new Message(new byte[0], 0, 0);

    private final Socket from;
    private final Socket to;
    private final LaneFaults faults;
    private final Route route;
    private final BlockingQueue<Message> queue = new LinkedBlockingQueue<>(QUEUED_MESSAGES);
    private volatile boolean resp;
    private volatile boolean lossy;

    ProxyLane(Socket from, Socket to, LaneFaults faults, Route route) {
        this.from = from;
        this.to = to;
        this.faults = faults;
        this.route = route;
    }

    /** A whole RESP message, or a piece of anything else. */
    static final class Message {
        final byte[] bytes;
        final long arrivedNanos;
        final long number;

        Message(byte[] bytes, long arrivedNanos, long number) {
            this.bytes = bytes;
            this.arrivedNanos = arrivedNanos;
            this.number = number;
        }
    }

    /** What the connection does with what passes. */
    interface Route {
        /** Whether messages are to be cut out of a stream that begins with this byte. */
        boolean speaksResp(byte first);

        /** Tells of a message that has come, and returns its number. */
        long arrived(byte[] bytes);

        /** Forwards a message that was neither held up nor lost. */
        void forward(Message message) throws IOException, InterruptedException;

        /** Nobody will read what this lane forwards any more. */
        boolean isOver();

        /** The sender has closed its end, seen as soon as that happens. */
        void senderClosed();

        /** The end of the stream has passed through the lane. */
        void ended() throws IOException;

        /** Reading or writing failed. */
        void failed();
    }

    boolean isResp() {
        return resp;
    }

    /** Whether the receiver misses bytes. */
    boolean isLossy() {
        return lossy;
    }

    /** Forgets what has not been forwarded yet. */
    void discardQueued() {
        queue.clear();
        queue.offer(END); // full again already? The reader is about to see the end as well
    }

    /** The work of the first thread. */
    void read() {
        try {
            readUntilEnd(from.getInputStream());
        } catch (IOException e) {
            // a reset is an end like any other
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        route.senderClosed();
        try {
            queue.put(END);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void readUntilEnd(InputStream in) throws IOException, InterruptedException {
        byte[] buffer = new byte[BUFFER_BYTES];
        @Nullable RespFrames frames = null;
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
            if (frames == null) {
                frames = new RespFrames(route.speaksResp(buffer[0]));
            }
            List<byte[]> complete = frames.add(buffer, length);
            resp = frames.isResp();
            for (byte[] bytes : complete) {
                queue.put(new Message(bytes, System.nanoTime(), route.arrived(bytes)));
            }
        }
    }

    /** The work of the second thread. */
    void write() {
        try {
            for (Message message = queue.take(); message != END; message = queue.take()) {
                faults.awaitTurn(message.arrivedNanos, route::isOver);
                // Once there is a gap nothing may follow it, also in the moment between the end of the fault and the
                // end of the connection.
                if (!faults.ifDropping(() -> lossy = true) && !lossy) {
                    route.forward(message);
                }
            }
            faults.awaitTurn(System.nanoTime(), route::isOver);
            faults.awaitNotDropping(route::isOver);
            route.ended();
        } catch (IOException e) {
            route.failed();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Writes to the receiver, at the pace the faults allow. */
    void send(byte[] bytes) throws IOException, InterruptedException {
        OutputStream out = to.getOutputStream();
        int sent = 0;
        while (sent < bytes.length && !route.isOver()) {
            int length = faults.slice(bytes.length - sent);
            out.write(bytes, sent, length);
            sent += length;
            faults.awaitDrip(length, route::isOver);
        }
    }
}
