package io.holdfast.redis;

import static java.util.Objects.requireNonNull;

import java.io.Closeable;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** Connections of our own that count how often something is written to them. */
final class CountingSource implements ConnectionSource {
    private final RedisUri uri;
    private final AtomicLong writes = new AtomicLong();
    private final Map<Connection, Socket> sockets = new ConcurrentHashMap<>();

    CountingSource(RedisUri uri) {
        this.uri = uri;
    }

    long writes() {
        return writes.get();
    }

    @Override
    public Connection open(Duration timeout, Consumer<Closeable> opening) {
        Socket socket = new CountingSocket();
        Connection opened = new Connection(() -> {
            try {
                socket.setTcpNoDelay(true);
                socket.connect(new InetSocketAddress(uri.host(), uri.port()), (int) timeout.toMillis());
                opening.accept(socket);
                return socket;
            } catch (IOException e) {
                throw new JedisConnectionException(e);
            }
        });
        opened.connect();
        sockets.put(opened, socket);
        return opened;
    }

    @Override
    public void drop(Connection connection) {
        try {
            requireNonNull(sockets.remove(connection)).close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String address() {
        return uri.address();
    }

    private final class CountingSocket extends Socket {
        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(byte[] bytes, int from, int length) throws IOException {
                    writes.incrementAndGet();
                    out.write(bytes, from, length);
                }
            };
        }
    }
}
