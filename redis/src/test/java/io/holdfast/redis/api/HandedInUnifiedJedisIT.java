package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.Clients;
import io.holdfast.redis.RedisStore;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.HeldRequest;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.PooledConnectionProvider;

/** The application's own {@link UnifiedJedis}. */
@Tag("jedis-compat")
class HandedInUnifiedJedisIT {
    private final RedisServer redis = SharedRedis.empty();
    private final List<UnifiedJedis> clients = new ArrayList<>();

    @AfterEach
    void closeClients() {
        clients.forEach(UnifiedJedis::close);
    }

    private PooledConnectionProvider provider(int port, RedisProtocol protocol) {
        return provider(port, protocol, 4);
    }

    private PooledConnectionProvider provider(int port, RedisProtocol protocol, int size) {
        GenericObjectPoolConfig<Connection> limits = new GenericObjectPoolConfig<>();
        limits.setMaxTotal(size);
        limits.setMaxWait(Duration.ofMillis(300));
        limits.setJmxEnabled(false);
        return new PooledConnectionProvider(
                new HostAndPort("127.0.0.1", port),
                DefaultJedisClientConfig.builder()
                        .protocol(protocol)
                        .timeoutMillis(500)
                        .build(),
                limits);
    }

    private UnifiedJedis jedis(PooledConnectionProvider provider) {
        UnifiedJedis jedis = Clients.PLAIN.on(provider);
        clients.add(jedis);
        return jedis;
    }

    private UnifiedJedis jedis() {
        return jedis(provider(redis.port(), RedisProtocol.RESP2));
    }

    private static Holdfast locks(UnifiedJedis jedis) {
        return Holdfast.builder().store(RedisStore.on(jedis)).build();
    }

    @ParameterizedTest
    @EnumSource(RedisProtocol.class)
    void locks_waitsAndIsToldByItsInbox(RedisProtocol protocol) throws Exception {
        try (Holdfast holder = Holdfast.connect(redis.uri());
                Holdfast locks = locks(jedis(provider(redis.port(), protocol)))) {
            HandOver.isTold(redis, holder, locks);
        }
        assertThat(redis.keys()).containsExactly("distributed_lock:~fence");
    }

    @Test
    void lease_isRenewedExtendedInspectedAndReleased() throws Exception {
        try (Holdfast locks = locks(jedis())) {
            DistributedLock lock = locks.lock("a", o -> o.lease(Duration.ofMillis(1_500)));
            try (Lease lease = lock.acquire(Duration.ZERO)) {
                redis.command("CONFIG", "RESETSTAT");
                until(() -> redis.commandStats().getOrDefault("pexpire", 0L) >= 2);
                lease.extend(Duration.ofSeconds(10));

                assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(9));
                assertThat(locks.inspect("a"))
                        .singleElement()
                        .satisfies(info -> assertThat(info.token()).hasValue(lease.token()));
                assertThat(locks.health().reachable()).isTrue();
            }
            assertThat(locks.store()).isEqualTo("redis (the application's client)");
        }
    }

    @Test
    void severalLocks_areTakenTogetherAndGivenBack() throws Exception {
        try (Holdfast locks = locks(jedis());
                Holdfast others = Holdfast.connect(redis.uri())) {
            try (Lease both = locks.allOf(locks.lock("a"), locks.lock("b")).acquire(Duration.ofSeconds(5))) {
                assertThat(both.token("a")).isPositive();
                assertThat(others.lock("a").tryLock()).isFalse();
                assertThat(others.lock("b").tryLock()).isFalse();
            }
            assertThat(redis.keysOfLocks()).containsExactly("distributed_lock:~fence");
        }
    }

    @Test
    void client_isNeverClosed() {
        PooledConnectionProvider provider = provider(redis.port(), RedisProtocol.RESP2);
        UnifiedJedis jedis = jedis(provider);
        Holdfast locks = locks(jedis);
        assertThat(locks.lock("a").tryLock()).isTrue();

        locks.close();

        assertThat(jedis.set("still", "open")).isEqualTo("OK");
        assertThat(provider.getPool().isClosed()).isFalse();
        assertThat(redis.command("EXISTS", "distributed_lock:a"))
                .as("released first")
                .isEqualTo(0L);
    }

    @Test
    void inbox_isGivenBackAtTheEnd() throws Exception {
        PooledConnectionProvider provider = provider(redis.port(), RedisProtocol.RESP2);
        try (Holdfast holder = Holdfast.connect(redis.uri());
                Holdfast locks = locks(jedis(provider))) {
            HandOver.isTold(redis, holder, locks);
            assertThat(provider.getPool().getNumActive()).isEqualTo(1);
        }

        until(() -> provider.getPool().getNumActive() == 0);
        until(() -> HandOver.inboxes(redis) == 0);
    }

    @Test
    @Faults(22)
    void exhaustedPool_isATypedErrorByThePoolsOwnPatience() {
        PooledConnectionProvider provider = provider(redis.port(), RedisProtocol.RESP2);
        List<Connection> taken = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            taken.add(provider.getConnection());
        }
        try (Holdfast locks = locks(jedis(provider))) {
            long start = System.nanoTime();
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> locks.lock("a").tryLock(600, MILLISECONDS))
                    .withMessageContaining("lock 'a': cannot use redis (the application's client)");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(1_500));

            taken.forEach(Connection::close);
            assertThat(locks.lock("a").tryLock()).isTrue();
        }
    }

    /** With a single one the inbox took it, and whoever waited could neither ask again nor leave. */
    @ParameterizedTest
    @EnumSource(names = {"POOLED", "NEWER"})
    @Faults(22)
    void clientWithASingleConnection_isRefusedWithTheReason(Clients kind) {
        UnifiedJedis jedis = kind.on(provider(redis.port(), RedisProtocol.RESP2, 1));
        clients.add(jedis);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisStore.on(jedis))
                .withMessage("the pool has 1 connections, fewer than 2: Holdfast keeps one of them while it is told of"
                        + " locks, and commands need one");
    }

    @ParameterizedTest
    @EnumSource(Clients.class)
    @Faults(22)
    void clientWithTwoConnections_locksWaitsAndIsTold(Clients kind) throws Exception {
        PooledConnectionProvider provider = provider(redis.port(), RedisProtocol.RESP2, 2);
        UnifiedJedis jedis = kind.on(provider);
        clients.add(jedis);
        try (Holdfast holder = Holdfast.connect(redis.uri());
                Holdfast locks = locks(jedis)) {
            HandOver.isTold(redis, holder, locks);
            assertThat(provider.getPool().getNumActive()).isEqualTo(1);
        }
        until(() -> provider.getPool().getNumActive() == 0);
    }

    /** It keeps to itself that it has sent a request twice; the first one took the lock for nobody, for a whole lease. */
    @Test
    void requestThatTheClientRepeatedByItself_leavesNoLock() {
        try (TcpProxy proxy = TcpProxy.to(redis.port());
                Holdfast locks = Holdfast.builder()
                        .store(RedisStore.on(jedis(provider(proxy.port(), RedisProtocol.RESP2))))
                        .commandTimeout(Duration.ofSeconds(3))
                        .build()) {
            assertThat(locks.lock("before").tryLock()).as("the script is known").isTrue();
            HeldRequest first = proxy.duplicateNextRequestContaining("order-42");
            DistributedLock lock = locks.lock("order-42", o -> o.lease(Duration.ofMinutes(5)));
            assertThat(lock.tryLock()).isTrue();
            assertThat(lock.unlock()).isTrue();

            first.release();

            until(() -> isThere("distributed_lock:order-42"));
            until(() -> !isThere("distributed_lock:order-42"));
        }
    }

    private boolean isThere(String key) {
        return Long.valueOf(1).equals(redis.command("EXISTS", key));
    }

    @Test
    @Faults(50)
    void serverThatIsNotThere_isATypedError() {
        try (Holdfast locks = locks(jedis(provider(1, RedisProtocol.RESP2)))) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> locks.lock("a").tryLock())
                    .withMessageContaining("lock 'a': cannot use redis (the application's client)")
                    .withMessageContaining("Failed to connect to 127.0.0.1:1");
            assertThat(locks.health().reachable()).isFalse();
        }
    }

    @Test
    @Faults(39)
    void keyOfAnotherType_isATypedError() {
        redis.command("HSET", "distributed_lock:a", "f", "v");
        try (Holdfast locks = locks(jedis())) {
            assertThatExceptionOfType(StoreRefusedException.class)
                    .isThrownBy(() -> locks.lock("a").tryLock())
                    .withMessageContaining("WRONGTYPE");
        }
    }

    @Test
    @Faults(22)
    void connectionsKilledByTheServer_areReplaced() throws Exception {
        UnifiedJedis jedis = jedis();
        try (Holdfast locks = Holdfast.builder()
                .store(RedisStore.on(jedis))
                .options(LockOptions.builder().lease(Duration.ofSeconds(20)).build())
                .build()) {
            for (int i = 0; i < 5; i++) {
                try (Lease lease = locks.lock("a").acquire(Duration.ofSeconds(5))) {
                    assertThat(lease.isValid()).isTrue();
                    redis.killClients();
                }
            }
        }
        assertThat(redis.keys()).containsExactly("distributed_lock:~fence");
    }
}
