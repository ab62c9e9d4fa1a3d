package io.holdfast.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.net.Socket;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;

/**
 * Breaks a connection under whoever uses it. Not as Jedis closes one: that flushes first, and so waits for the very write that
 * is stuck.
 */
final class Cut {
    private Cut() {}

    static void now(Connection connection) {
        try {
            connection.forceDisconnect();
        } catch (NoSuchMethodError e) {
            OfJedis6.cut(connection);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Jedis 6 has no such method. Loaded only if it is missing. */
    private static final class OfJedis6 {
        private static final @Nullable Field SOCKET = socket();

        private static @Nullable Field socket() {
            try {
                Field socket = Connection.class.getDeclaredField("socket");
                socket.setAccessible(true);
                return socket;
            } catch (ReflectiveOperationException | RuntimeException e) {
                return null;
            }
        }

        static void cut(Connection connection) {
            try {
                if (SOCKET != null && SOCKET.get(connection) instanceof Socket socket) {
                    connection.setBroken();
                    socket.close();
                    return;
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (IllegalAccessException e) {
                // As if there were no way to the socket.
            }
            // Better late than never: a write that is stuck ends when the system gives the connection up.
            connection.disconnect();
        }
    }
}
