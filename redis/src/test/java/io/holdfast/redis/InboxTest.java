package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.Platform;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;

class InboxTest {
    private static final RedisLink.Listener DEAF = new RedisLink.Listener() {
        @Override
        public void subscribed() {}

        @Override
        public void message(String text, @Nullable String life) {}
    };

    private final Platform platform = Platform.system();
    private final FakeLine line = new FakeLine();
    private final AtomicInteger subscribed = new AtomicInteger();
    private final Inbox inbox = new Inbox(platform, line, "channel", new RedisLink.Listener() {
        @Override
        public void subscribed() {
            subscribed.incrementAndGet();
        }

        @Override
        public void message(String text, @Nullable String life) {}
    });

    @AfterEach
    void close() {
        inbox.close();
        line.open.countDown();
        platform.close();
    }

    /** Connects when told, and stays connected until cut, which it can only be while it is connected. */
    private static final class FakeLine implements Inbox.Line {
        final CountDownLatch open = new CountDownLatch(1);
        final AtomicInteger connecting = new AtomicInteger();
        final AtomicInteger ended = new AtomicInteger();
        volatile boolean broken;
        private CountDownLatch connection = new CountDownLatch(0);

        @Override
        public void subscribe(Inbox.Subscription subscription, String channel) {
            connecting.incrementAndGet();
            try {
                open.await();
                CountDownLatch end = new CountDownLatch(1);
                synchronized (this) {
                    connection = end;
                }
                subscription.onSubscribe(channel, 1);
                end.await();
            } catch (InterruptedException e) {
                throw new AssertionError("nobody interrupts the inbox", e);
            }
            ended.incrementAndGet();
            throw new JedisConnectionException("cut");
        }

        @Override
        public synchronized void cut() {
            connection.countDown();
            if (broken) {
                throw new JedisConnectionException("broken");
            }
        }

        @Override
        public boolean isThrownAway() {
            return true;
        }
    }

    /** It used to leave the thread and its connection behind for ever. */
    @Test
    void close_whileTheConnectionIsBeingMade_endsItOnceItIsThere() {
        inbox.start();
        await().untilAtomic(line.connecting, is(1));

        inbox.close();
        line.open.countDown();

        await().untilAtomic(line.ended, is(1));
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("holdfast-inbox")));
        assertThat(subscribed).as("told to a client that is closed").hasValue(0);
        assertThat(line.connecting).hasValue(1);
    }

    /** A server that accepts and says nothing kept the thread, and a connection of the pool, for ever. */
    @Test
    void close_whileTheConnectionToASilentServerIsBeingMade_givesItBack() throws IOException {
        CountDownLatch opening = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        AtomicInteger dropped = new AtomicInteger();
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            ConnectionSource source = new ConnectionSource() {
                @Override
                public Connection open(Duration timeout, Consumer<Closeable> told) {
                    opening.countDown();
                    Connection opened = new Connection(
                            new HostAndPort("127.0.0.1", silent.getLocalPort()),
                            DefaultJedisClientConfig.builder()
                                    .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
                                    .build());
                    awaitQuietly(closed);
                    return opened;
                }

                @Override
                public void drop(Connection connection) {
                    dropped.incrementAndGet();
                    connection.close();
                }

                @Override
                public String address() {
                    return "a silent server";
                }
            };
            Inbox late = new Inbox(platform, new InboxLine(source, false), "channel", DEAF);
            late.start();
            awaitQuietly(opening);

            late.close();
            closed.countDown();

            await().untilAtomic(dropped, is(1));
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts the inbox", e);
        }
    }

    @Test
    void break_ofTheConnection_isFollowedByANewSubscriptionThatIsToldAgain() {
        line.open.countDown();
        inbox.start();
        await().untilAtomic(subscribed, is(1));

        line.cut();

        await().untilAtomic(subscribed, is(2));
        assertThat(line.ended).hasValue(1);
    }

    @Test
    void close_whileSubscribed_endsTheThread() {
        line.open.countDown();
        inbox.start();
        await().untilAtomic(subscribed, is(1));

        inbox.close();

        await().untilAtomic(line.ended, is(1));
        assertThat(line.connecting).hasValue(1);
    }

    /** To flush a connection that has just broken fails, and closing the client failed with it. */
    @Test
    void close_ofAConnectionThatIsBroken_isNoError() {
        line.open.countDown();
        inbox.start();
        await().untilAtomic(subscribed, is(1));
        line.broken = true;

        inbox.close();

        await().untilAtomic(line.ended, is(1));
        assertThat(line.connecting).hasValue(1);
    }
}
