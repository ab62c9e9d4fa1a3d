package io.holdfast.redis;

import static io.holdfast.redis.Until.until;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.Protocol;

/** A server that reads no more, so that whoever writes to it is stuck. Jedis would wait for that write to close. */
@Tag("jedis-compat")
class StuckWriteIT {
    /** Less than Jedis collects before it writes. */
    private static final int PIECE = 4_000;

    /** More than the buffers of both ends take. */
    private static final int PIECES = 8_000;

    private static final byte[] NO_INFO = "-NOPERM no\r\n".getBytes(UTF_8);
    private static final byte[] SUBSCRIBED = "*3\r\n$9\r\nsubscribe\r\n$7\r\nchannel\r\n:1\r\n".getBytes(UTF_8);

    private final Platform platform = Platform.system();
    private final AtomicReference<Socket> accepted = new AtomicReference<>();
    private ServerSocket server;
    private JedisPool pool;

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket();
        // Inherited by what it accepts.
        server.setReceiveBufferSize(4_096);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        GenericObjectPoolConfig<Jedis> limits = new GenericObjectPoolConfig<>();
        limits.setMaxTotal(4);
        limits.setJmxEnabled(false);
        pool = new JedisPool(
                limits,
                new HostAndPort("127.0.0.1", server.getLocalPort()),
                DefaultJedisClientConfig.builder()
                        .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
                        .build());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        hangUp();
        pool.close();
        platform.close();
    }

    /** Whoever is stuck is let go. */
    private void hangUp() throws IOException {
        Socket socket = accepted.get();
        if (socket != null && !socket.isClosed()) {
            socket.setSoLinger(true, 0);
            socket.close();
        }
    }

    /** Answers the first request, and reads no other. */
    private void answerOnce(byte[] answer) {
        start("server", () -> {
            Socket socket = server.accept();
            accepted.set(socket);
            assertThat(socket.getInputStream().read(new byte[1_024])).isPositive();
            socket.getOutputStream().write(answer);
        });
    }

    private interface Work {
        void run() throws IOException;
    }

    private static Thread start(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException e) {
                        // It is seen in what does not come.
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static Request much() {
        byte[][] pieces = new byte[PIECES][];
        Arrays.fill(pieces, new byte[PIECE]);
        return Request.of(Protocol.Command.DEL, pieces);
    }

    private ConnectionSource pooled() {
        return PoolSource.of(pool, "the pool", platform);
    }

    @Test
    void commandWhoseWriteIsStuck_isCutAtItsTimeOut_andTheConnectionGivenBack() {
        answerOnce(NO_INFO);
        Wire wire = new Wire(pooled(), platform);

        Callers.Caller stuck = new Callers(wire).start(ofMillis(400), "stuck", much());

        assertThat(stuck.failure()).isInstanceOf(StoreFailure.class).hasMessageContaining("did not answer within");
        Thread closing = start("closing", wire::close);
        until(() -> !closing.isAlive());
        assertThat(pool.getNumActive()).isZero();
    }

    /** Nothing may keep a client from being closed, not even a connection that cannot be cut. */
    @Test
    void close_whileALeaderCannotBeCut_goesWithoutIt() throws IOException {
        answerOnce(NO_INFO);
        AtomicInteger dropped = new AtomicInteger();
        ConnectionSource real = pooled();
        Wire wire = new Wire(
                new ConnectionSource() {
                    @Override
                    public Connection open(Duration timeout, Consumer<Closeable> opening) {
                        return real.open(timeout, socket -> {});
                    }

                    @Override
                    public void drop(Connection connection) {
                        dropped.incrementAndGet();
                        real.drop(connection);
                    }

                    @Override
                    public String address() {
                        return real.address();
                    }
                },
                platform);
        Callers callers = new Callers(wire);
        Callers.Caller stuck = callers.start(ofMillis(400), "stuck", much());
        // Before that, it would take along whoever comes.
        until(() -> writes(stuck.thread()));
        Callers.Caller queued = callers.queue("queued");

        Thread closing = start("closing", wire::close);

        until(() -> !closing.isAlive());
        assertThat(queued.failure()).hasMessage("the connection to the pool is closed");
        assertThat(stuck.outcome()).isNotDone();
        assertThat(dropped).hasValue(0);
        hangUp();
        assertThat(stuck.failure()).isInstanceOf(StoreFailure.class);
        until(() -> dropped.get() == 1);
    }

    /** Whether it is at its own request, and not at the greeting. */
    private static boolean writes(Thread leader) {
        List<StackTraceElement> stack = List.of(leader.getStackTrace());
        return stack.stream()
                        .anyMatch(frame -> frame.getClassName().equals(Wire.class.getName())
                                && frame.getMethodName().equals("write"))
                && stack.stream().anyMatch(frame -> frame.getClassName().startsWith("sun.nio.ch."));
    }

    @Test
    void inboxWhosePingIsStuck_isCut() {
        answerOnce(SUBSCRIBED);
        InboxLine line = new InboxLine(pooled(), false);
        AtomicInteger subscribed = new AtomicInteger();
        Inbox inbox = new Inbox(platform, line, "channel", new RedisLink.Listener() {
            @Override
            public void subscribed() {
                subscribed.incrementAndGet();
            }

            @Override
            public void message(String text, @Nullable String life) {}
        });
        Inbox.Subscription subscription = inbox.new Subscription();
        Thread listening = start("listening", () -> {
            try {
                line.subscribe(subscription, "channel");
            } catch (RuntimeException e) {
                // It was cut.
            }
        });
        until(() -> subscribed.get() == 1);
        AtomicInteger pings = new AtomicInteger();
        Thread pinging = start("pinging", () -> {
            try {
                while (pings.incrementAndGet() < PIECES) {
                    subscription.ping("x".repeat(PIECE));
                }
            } catch (RuntimeException e) {
                // It was cut.
            }
        });
        AtomicInteger before = new AtomicInteger();
        until(() -> before.getAndSet(pings.get()) == pings.get() && isWriting(pinging));

        Thread cutting = start("cutting", line::cut);

        until(() -> !cutting.isAlive());
        until(() -> !listening.isAlive());
        assertThat(pool.getNumActive()).isZero();
    }

    private static boolean isWriting(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("implWrite"));
    }
}
