package io.holdfast.redis;

import io.holdfast.redis.link.Dialer;
import io.holdfast.spi.Platform;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/** Where connections come from, and where they go when they are no longer needed. */
interface ConnectionSource {

    /**
     * A connection that works, or an exception of Jedis.
     *
     * @param opening is told what to close if it takes too long, as early as that is known
     */
    Connection open(Duration timeout, Consumer<Closeable> opening);

    /** Takes back a connection that is to be closed: nobody may read what is left in it. */
    void drop(Connection connection);

    String address();

    /** What about the way there weakens the locks, each with its consequence and its remedy. */
    default List<String> weaknesses(Duration timeout) {
        return List.of();
    }

    /** Refuses to lend one for what replicas have to confirm, if none would be left for the application. */
    default void checkForReplicas() {}

    /** Tells what to do when connections that are open lead to a server that is no longer the right one. */
    default void whenMoved(Runnable renounce) {}

    /** Nothing is opened any more; whoever has a connection drops it. */
    default void close() {}

    /** Connections of our own, as the platform opens them if it is a {@link Dialer}, and over TCP otherwise. */
    static ConnectionSource to(RedisUri uri, Platform platform) {
        Connector connector = new Connector(uri, platform);
        return new ConnectionSource() {
            private final String address = uri.address();
            private final Map<Connection, Socket> sockets = Collections.synchronizedMap(new IdentityHashMap<>());

            @Override
            public Connection open(Duration timeout, Consumer<Closeable> opening) {
                AtomicReference<Socket> made = new AtomicReference<>();
                JedisSocketFactory factory = new JedisSocketFactory() {
                    private boolean used;

                    @Override
                    public Socket createSocket() {
                        if (used) {
                            // Jedis would go on over a new one without a word, and without user and database.
                            throw new JedisConnectionException("the connection was closed");
                        }
                        used = true;
                        Socket socket = platform instanceof Dialer dialer
                                ? dialer.dial(uri.host(), uri.port(), timeout)
                                : connector.connect(timeout);
                        made.set(socket);
                        // Before the greeting, which is answered over it.
                        opening.accept(socket);
                        return socket;
                    }
                };
                boolean good = false;
                try {
                    // Without a configuration: with one Jedis says HELLO, and loads a hundred classes for the answer.
                    Connection opened = new Connection(factory);
                    opened.connect();
                    greet(opened);
                    sockets.put(opened, made.get());
                    good = true;
                    return opened;
                } catch (JedisException e) {
                    throw JedisErrors.unsaid(e, uri.password());
                } finally {
                    if (!good) {
                        // Jedis does so only after an exception of its own.
                        discard(made.get());
                    }
                }
            }

            private void greet(Connection opened) {
                if (uri.user() != null && uri.password() != null) {
                    opened.sendCommand(Protocol.Command.AUTH, uri.user(), uri.password());
                    opened.getStatusCodeReply();
                } else if (uri.password() != null) {
                    opened.sendCommand(Protocol.Command.AUTH, uri.password());
                    opened.getStatusCodeReply();
                }
                if (uri.database() != 0) {
                    opened.sendCommand(Protocol.Command.SELECT, Integer.toString(uri.database()));
                    opened.getStatusCodeReply();
                }
            }

            private void discard(@Nullable Socket socket) {
                try {
                    if (socket != null) {
                        socket.close();
                    }
                } catch (IOException e) {
                    // What went wrong before is what counts.
                }
            }

            @Override
            public void drop(Connection connection) {
                Socket socket = sockets.remove(connection);
                if (socket == null) {
                    connection.close();
                    return;
                }
                try {
                    // Not by way of Jedis, which would flush first: what is in doubt is not to be sent, and a lock
                    // inside
                    // the socket that an Error has left behind would never be had.
                    socket.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }

            @Override
            public String address() {
                return address;
            }
        };
    }
}
