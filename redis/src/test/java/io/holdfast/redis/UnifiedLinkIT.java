package io.holdfast.redis;

import static io.holdfast.redis.Until.until;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Platform;
import io.holdfast.testkit.Faults;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.PooledConnectionProvider;

/** The inbox over the application's own client, whose connections the application goes on to use. */
@Tag("jedis-compat")
class UnifiedLinkIT {
    private static final int SIZE = 3;
    private static final String CHANNEL = "inbox";

    private final RedisServer redis = SharedRedis.empty();
    private final TcpProxy proxy = TcpProxy.to(redis.port());
    private final Platform real = Platform.system();
    private final ConcurrentLinkedQueue<Runnable> timers = new ConcurrentLinkedQueue<>();
    private final AtomicInteger subscribed = new AtomicInteger();
    private final ConcurrentLinkedQueue<String> heard = new ConcurrentLinkedQueue<>();
    private final List<UnifiedJedis> clients = new ArrayList<>();

    @AfterEach
    void close() {
        clients.forEach(UnifiedJedis::close);
        real.close();
        proxy.close();
    }

    /** This machine, but its timers go off when they are told to. */
    private final Platform platform = (Platform) Proxy.newProxyInstance(
            Platform.class.getClassLoader(),
            new Class<?>[] {Platform.class},
            (self, method, args) -> switch (method.getName()) {
                case "schedule" -> {
                    timers.add((Runnable) args[1]);
                    yield (Platform.Timer) () -> {};
                }
                case "callbacks" -> (Executor) Runnable::run;
                default -> {
                    try {
                        yield method.invoke(real, args);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                }
            });

    private void letTimersGoOff(int times) {
        for (int i = 0; i < times; i++) {
            List<Runnable> due = new ArrayList<>();
            for (Runnable timer = timers.poll(); timer != null; timer = timers.poll()) {
                due.add(timer);
            }
            due.forEach(Runnable::run);
        }
    }

    private PooledConnectionProvider provider(RedisProtocol protocol) {
        GenericObjectPoolConfig<Connection> limits = new GenericObjectPoolConfig<>();
        limits.setMaxTotal(SIZE);
        limits.setJmxEnabled(false);
        return new PooledConnectionProvider(
                new HostAndPort("127.0.0.1", proxy.port()),
                DefaultJedisClientConfig.builder().protocol(protocol).build(),
                limits);
    }

    private UnifiedLink listening(Clients kind, PooledConnectionProvider provider) {
        UnifiedJedis jedis = kind.on(provider);
        clients.add(jedis);
        UnifiedLink link = new UnifiedLink(jedis, platform);
        link.listen(CHANNEL, new RedisLink.Listener() {
            @Override
            public void subscribed() {
                subscribed.incrementAndGet();
            }

            @Override
            public void message(String text, @Nullable String life) {
                heard.add(text);
                if (text.equals("bad news")) {
                    throw new IllegalStateException(text);
                }
            }
        });
        until(() -> subscribed.get() == 1);
        return link;
    }

    /** Reads over every connection of the pool, and looks whether the answers are those to the questions. */
    private void assertAnswersRight(PooledConnectionProvider provider) {
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < SIZE; i++) {
            all.add(provider.getConnection());
        }
        for (int round = 0; round < 20; round++) {
            for (Connection each : all) {
                String key = "key-" + round;
                each.sendCommand(Protocol.Command.ECHO, key);
                assertThat(each.getOne()).isEqualTo(key.getBytes(UTF_8));
            }
        }
        all.forEach(Connection::close);
    }

    /**
     * It was asked to end the subscription again and again while the server was silent. Jedis gave the connection back with
     * all answers but the first still to come, and everybody who had it then read the answer of somebody else.
     */
    @ParameterizedTest
    @CsvSource({"PLAIN, RESP2", "PLAIN, RESP3", "POOLED, RESP2", "POOLED, RESP3", "NEWER, RESP2", "NEWER, RESP3"})
    @Faults({20, 21})
    void silenceThatEnds_leavesNoAnswerBehind(Clients kind, RedisProtocol protocol) {
        PooledConnectionProvider provider = provider(protocol);
        UnifiedLink link = listening(kind, provider);

        proxy.stall();
        letTimersGoOff(4);
        link.close();
        link.close();
        proxy.restore();

        until(() -> provider.getPool().getNumActive() == 0);
        assertAnswersRight(provider);
        assertThat(redis.command("PUBSUB", "NUMSUB", CHANNEL)).asString().endsWith("0]");
    }

    /** A ping that is refused ends the subscription for Jedis, which gives the connection back with it still on. */
    @ParameterizedTest
    @EnumSource(RedisProtocol.class)
    @Faults(20)
    void connectionThatIsGivenBack_isNotPinged(RedisProtocol protocol) {
        PooledConnectionProvider provider = provider(protocol);
        UnifiedLink link = listening(Clients.PLAIN, provider);
        redis.command("CONFIG", "RESETSTAT");

        letTimersGoOff(4);
        link.close();

        // What was sent before the end of the subscription was done before it.
        until(() -> provider.getPool().getNumActive() == 0);
        assertThat(redis.commandStats()).containsEntry("unsubscribe", 1L).doesNotContainKey("ping");
    }

    @ParameterizedTest
    @CsvSource({"POOLED, RESP2", "POOLED, RESP3", "NEWER, RESP2", "NEWER, RESP3"})
    @Faults(21)
    void silentConnectionOfAPool_isThrownAwayForAnother(Clients kind, RedisProtocol protocol) {
        PooledConnectionProvider provider = provider(protocol);
        UnifiedLink link = listening(kind, provider);

        proxy.stall();
        letTimersGoOff(2);
        proxy.restore();

        until(() -> subscribed.get() == 2);
        assertThat(provider.getPool().getDestroyedCount()).isEqualTo(1);
        redis.command("PUBLISH", CHANNEL, "news");
        until(() -> heard.contains("news"));
        link.close();
        until(() -> provider.getPool().getNumActive() == 0);
        assertAnswersRight(provider);
    }

    private boolean saysRepeated(UnifiedJedis jedis) {
        clients.add(jedis);
        return new UnifiedLink(jedis, platform)
                .command(Duration.ofSeconds(5), "TIME")
                .toCompletableFuture()
                .join()
                .repeated();
    }

    /** It may have sent a command again by itself, and the first attempt may come after the release. */
    @Test
    void clientThatMayRepeat_isTakenToHaveDoneSo() {
        assertThat(saysRepeated(Clients.PLAIN.on(provider(RedisProtocol.RESP2))))
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"POOLED", "NEWER"})
    void clientThatSendsOnce_isTakenAtItsWord(Clients kind) {
        assertThat(saysRepeated(kind.on(provider(RedisProtocol.RESP2)))).isFalse();
    }

    @Test
    void clientWithAnExecutorOfItsOwn_isTakenToHaveRepeated() {
        assertThat(saysRepeated(Clients.retrying(provider(RedisProtocol.RESP2))))
                .isTrue();
    }

    /** It would end the subscription for Jedis, as above. */
    @ParameterizedTest
    @EnumSource(Clients.class)
    void whatTheListenerThrows_doesNotEndTheSubscription(Clients kind) {
        PooledConnectionProvider provider = provider(RedisProtocol.RESP2);
        UnifiedLink link = listening(kind, provider);
        long borrowed = provider.getPool().getBorrowedCount();

        redis.command("PUBLISH", CHANNEL, "bad news");
        redis.command("PUBLISH", CHANNEL, "good news");

        until(() -> heard.contains("good news"));
        assertThat(heard).containsExactly("bad news", "good news");
        assertThat(provider.getPool().getBorrowedCount()).isEqualTo(borrowed);
        link.close();
    }
}
