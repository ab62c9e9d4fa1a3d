package io.holdfast.simulation.net;

import io.holdfast.simulation.redis.RedisModel;
import io.holdfast.simulation.world.SimPlatform;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A socket whose other end is a simulated server: what is above it, Jedis included, is real. Whoever reads waits by the
 * clock of its host; writing never waits.
 */
final class SimSocket extends Socket {
    private final SimPlatform platform;
    private final SimNet net;
    private final Server server;
    private final Connection connection;
    private final Resp resp = new Resp();

    /** What was sent and is not answered, so that it is known what a reply is about. */
    private final ArrayDeque<List<String>> asked = new ArrayDeque<>();

    private final ArrayDeque<byte[]> came = new ArrayDeque<>();
    private int read;
    private @Nullable Object reader;
    private boolean connected;
    private boolean subscribed;
    private long subscribedAt = Long.MAX_VALUE;
    private @Nullable String channel;
    private boolean broken;
    private boolean closed;
    private int timeoutMillis;

    SimSocket(SimPlatform platform, Network network, Server server, SimNet net) {
        this.platform = platform;
        this.net = net;
        this.server = server;
        this.connection = new Connection(network, server, platform.host(), new Wire());
    }

    /** Waits for the other end. */
    void connect(long nanos) throws IOException {
        send(List.of("CONNECT"));
        if (!await(() -> connected || broken || closed, nanos)) {
            connection.drop();
            throw new SocketTimeoutException("Connect timed out");
        }
        if (!connected) {
            connection.drop();
            throw new ConnectException("Connection refused");
        }
    }

    private void send(List<String> command) {
        asked.add(command);
        connection.send(command);
    }

    /** Since when messages of a channel whose name starts so have been heard; the end of time if they are not. */
    long hearsSince(String prefix) {
        boolean sound = !closed && !broken && connection.isSound();
        return sound && channel != null && channel.startsWith(prefix) ? subscribedAt : Long.MAX_VALUE;
    }

    Server server() {
        return server;
    }

    /** The process is gone. */
    void die() {
        closed = true;
        connection.drop();
    }

    private boolean await(BooleanSupplier condition, long nanos) {
        long until = platform.nanoTime() + nanos;
        boolean interrupted = false;
        Object me = platform.currentThread();
        reader = me;
        try {
            while (!condition.getAsBoolean()) {
                long left = nanos == Long.MAX_VALUE ? nanos : until - platform.nanoTime();
                if (left <= 0) {
                    return false;
                }
                // A thread that reads from a socket does not hear of interrupts.
                interrupted |= platform.interrupted();
                platform.park(left);
            }
            return true;
        } finally {
            reader = null;
            if (interrupted) {
                platform.interrupt(me);
            }
        }
    }

    private void wake() {
        Object waits = reader;
        if (waits != null) {
            platform.unpark(waits);
        }
    }

    private void came(byte[] bytes) {
        came.add(bytes);
        wake();
    }

    /** What comes over the network. */
    private final class Wire implements Connection.Ear {
        @Override
        public void reply(@Nullable Object value) {
            if (closed || broken) {
                return;
            }
            List<String> command = asked.remove();
            switch (command.get(0)) {
                case "CONNECT" -> {
                    connected = true;
                    wake();
                    return;
                }
                case "SUBSCRIBE" -> {
                    subscribed = true;
                    channel = command.get(1);
                    subscribedAt = platform.host().world().now();
                    came(Resp.reply(List.of("subscribe", command.get(1), 1L)));
                    return;
                }
                case "PING" -> {
                    came(Resp.reply(subscribed ? List.of("pong", "") : value));
                    return;
                }
                default -> {}
            }
            if (value instanceof RedisModel.ErrorReply error && error.message().startsWith("NOSCRIPT")) {
                net.hits().hit(35);
            }
            net.heard(command, value);
            came(Resp.reply(value));
        }

        @Override
        public void pushed(String to, String message) {
            came(Resp.reply(List.of("message", to, message)));
        }

        @Override
        public void broken() {
            broken = true;
            wake();
        }
    }

    // --- what Jedis and the library use of a socket

    @Override
    public InputStream getInputStream() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                long patience = timeoutMillis == 0 ? Long.MAX_VALUE : timeoutMillis * 1_000_000L;
                if (!await(() -> !came.isEmpty() || broken || closed, patience)) {
                    throw new SocketTimeoutException("Read timed out");
                }
                if (closed) {
                    throw new SocketException("Socket closed");
                }
                byte[] first = came.peek();
                if (first == null) {
                    return -1;
                }
                int count = Math.min(length, first.length - read);
                System.arraycopy(first, read, into, offset, count);
                read += count;
                if (read == first.length) {
                    came.remove();
                    read = 0;
                }
                return count;
            }

            @Override
            public int available() {
                byte[] first = came.peek();
                return first == null ? 0 : first.length - read;
            }
        };
    }

    @Override
    public OutputStream getOutputStream() {
        return new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] from, int offset, int length) throws IOException {
                if (closed) {
                    throw new SocketException("Socket closed");
                }
                if (broken) {
                    throw new SocketException("Broken pipe");
                }
                resp.commands(from, offset, length).forEach(SimSocket.this::send);
            }
        };
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            connection.drop();
            net.forget(this);
            wake();
        }
    }

    @Override
    public void setSoTimeout(int millis) {
        timeoutMillis = millis;
    }

    @Override
    public int getSoTimeout() {
        return timeoutMillis;
    }

    @Override
    public void setSendBufferSize(int size) {}

    @Override
    public boolean isConnected() {
        return connected;
    }

    @Override
    public boolean isBound() {
        return true;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public boolean isInputShutdown() {
        return false;
    }

    @Override
    public boolean isOutputShutdown() {
        return false;
    }

    @Override
    public String toString() {
        return "socket to " + server.host().name();
    }
}
