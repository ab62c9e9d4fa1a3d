package io.holdfast.redis;

import static io.holdfast.redis.Until.until;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreUri;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;

class ConnectionSourceIT {

    /** Jedis flushes what it has buffered when it closes: a command that was taken for unsent was carried out. */
    @Test
    void commandThatWasBuffered_isNotSentWhenItsConnectionIsDropped() {
        RedisServer redis = SharedRedis.empty();
        try (TcpProxy proxy = TcpProxy.to(redis.port());
                Platform platform = Platform.system()) {
            ConnectionSource source =
                    ConnectionSource.to(RedisUri.parse(new StoreUri("redis://127.0.0.1:" + proxy.port())), platform);
            Connection connection = source.open(Duration.ofSeconds(5), socket -> {});
            Connection wire = connection;
            wire.sendCommand(Protocol.Command.SET, "flushed", "1");
            assertThat(wire.getOne()).isNotNull();
            wire.sendCommand(Protocol.Command.SET, "buffered", "1");
            long sent = proxy.requestsSeen();

            source.drop(connection);

            until(() -> proxy.openConnections() == 0);
            assertThat(proxy.requestsSeen()).isEqualTo(sent);
            assertThat(redis.keys()).containsExactly("flushed");
        }
    }

    /** Jedis closes it only after an exception of its own, and a reply of the wrong kind is none. */
    @Test
    void connectionWhoseGreetingEndsInAnything_isClosed() throws IOException {
        try (ServerSocket odd = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Platform platform = Platform.system()) {
            ConnectionSource source = ConnectionSource.to(
                    RedisUri.parse(new StoreUri("redis://127.0.0.1:" + odd.getLocalPort() + "/1")), platform);
            CompletableFuture<Throwable> failed = new CompletableFuture<>();
            Thread opening = new Thread(
                    () -> failed.complete(catchThrowable(() -> source.open(Duration.ofSeconds(5), socket -> {}))));
            opening.start();

            try (Socket socket = odd.accept()) {
                socket.setSoTimeout(15_000);
                // To all that may be asked: a number, where the greeting wants a word.
                socket.getOutputStream().write(":1\r\n:1\r\n:1\r\n:1\r\n".getBytes(UTF_8));

                assertThat(failed.join()).isInstanceOf(ClassCastException.class);
                // It ends, whatever was said before: a socket that is left open would let this time out.
                assertThat(endOf(socket)).isTrue();
            }
        }
    }

    private static boolean endOf(Socket socket) throws IOException {
        try {
            socket.getInputStream().readAllBytes();
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException e) {
            // Reset, with what it had not read.
            return true;
        }
    }
}
