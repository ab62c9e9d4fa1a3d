package io.holdfast.redis;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.spi.Platform;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** How a name becomes a connection, where a test says what the name stands for, and when. */
class ConnectorTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final Platform platform = Platform.system();
    private final AtomicInteger asked = new AtomicInteger();
    private ServerSocket server;

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        platform.close();
    }

    private RedisUri at(String host) {
        return new RedisUri(false, host, server.getLocalPort(), null, null, 0);
    }

    private Connector to(String host, Connector.Resolver resolver) {
        return new Connector(at(host), platform, name -> {
            asked.incrementAndGet();
            return resolver.addresses(name);
        });
    }

    private InetAddress[] loopback() {
        return new InetAddress[] {server.getInetAddress()};
    }

    private Socket connect(Connector connector, Duration timeout) {
        return connector.connect(timeout);
    }

    /** As in a partition that takes the name servers along. */
    @Test
    void resolverThatHangs_isWaitedForUntilTheTimeOut_andKeepsOneThread() throws Exception {
        CountDownLatch answers = new CountDownLatch(1);
        Connector connector = to("redis.test", name -> {
            awaitUninterrupted(answers);
            return loopback();
        });

        for (int i = 0; i < 3; i++) {
            long start = System.nanoTime();
            assertThatExceptionOfType(JedisConnectionException.class)
                    .isThrownBy(() -> connect(connector, ofMillis(100)))
                    .withMessageContaining("redis.test")
                    .satisfies(e -> assertThat(JedisErrors.isTimeout(e)).isTrue())
                    .satisfies(e -> assertThat(JedisErrors.failure("redis://redis.test", e))
                            .hasMessageContaining("not found out within 100 ms"));
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(ofMillis(100), ofMillis(1_600));
        }
        assertThat(asked).hasValue(1);

        answers.countDown();
        try (Socket socket = connect(connector, LONG)) {
            assertThat(socket.getPort()).isEqualTo(server.getLocalPort());
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    @Test
    void name_isAskedForAnew_forEachConnection() throws IOException {
        Connector connector = to("redis.test", name -> loopback());

        for (int i = 1; i <= 3; i++) {
            connect(connector, LONG).close();
            assertThat(asked).hasValue(i);
        }
    }

    @Test
    void nameThatNobodyKnows_isSaid_andMayBeKnownLater() throws IOException {
        Connector connector = to("redis.test", name -> {
            if (asked.get() == 1) {
                throw new UnknownHostException(name + ": Name or service not known");
            }
            return loopback();
        });

        assertThatExceptionOfType(JedisConnectionException.class)
                .isThrownBy(() -> connect(connector, LONG))
                .withCauseInstanceOf(UnknownHostException.class)
                .satisfies(e -> assertThat(JedisErrors.failure("redis://redis.test", e))
                        .hasMessageContaining("redis.test: Name or service not known"));

        connect(connector, LONG).close();
    }

    @Test
    void resolverThatDiesOfAnError_isAFailureToConnect() {
        Connector connector = to("redis.test", name -> {
            throw new StackOverflowError("as planted");
        });

        assertThatExceptionOfType(JedisConnectionException.class)
                .isThrownBy(() -> connect(connector, LONG))
                .withCauseInstanceOf(StackOverflowError.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:ffff:7f00:1"})
    void address_isNotAskedFor(String address) throws IOException {
        Connector connector = to(address, name -> loopback());

        try {
            connect(connector, LONG).close();
        } catch (JedisConnectionException e) {
            // Nobody need listen there.
        }

        assertThat(asked).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "256.0.0.1", "127.0.0", "127.0.0.1.test", "cafe"})
    void whatIsNoAddress_isAskedFor(String name) throws IOException {
        connect(to(name, any -> loopback()), LONG).close();

        assertThat(asked).hasValue(1);
    }

    @Test
    void interruptWhileTheNameIsAskedFor_isKept() throws IOException {
        Connector connector = to("redis.test", name -> loopback());
        Thread.currentThread().interrupt();

        connect(connector, LONG).close();

        assertThat(Thread.interrupted()).isTrue();
    }
}
