package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.JedisConfig;
import io.holdfast.redis.RedisDistributedLock;
import io.holdfast.redis.RedisStore;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.RedisProtocol;

/** The application's own {@link JedisPool}. */
@Tag("jedis-compat")
class HandedInPoolIT {
    private final RedisServer redis = SharedRedis.empty();
    private final List<JedisPool> pools = new ArrayList<>();

    private JedisPool pool(int size) {
        return pool(size, RedisProtocol.RESP2);
    }

    private JedisPool pool(int size, RedisProtocol protocol) {
        GenericObjectPoolConfig<Jedis> limits = new GenericObjectPoolConfig<>();
        limits.setMaxTotal(size);
        limits.setJmxEnabled(false);
        JedisPool pool = new JedisPool(
                limits,
                new HostAndPort("127.0.0.1", redis.port()),
                DefaultJedisClientConfig.builder().protocol(protocol).build());
        pools.add(pool);
        return pool;
    }

    @AfterEach
    void closePools() {
        pools.forEach(JedisPool::close);
        // Whoever uses the short form next takes the clients of closed pools along.
        JedisPool last = pool(4);
        new RedisDistributedLock(last, "last", 30_000, true).unlock();
        last.close();
    }

    // --- the short form

    @Test
    void shortForm_onAPool_locks() {
        JedisPool pool = pool(8);
        DistributedLock lock = new RedisDistributedLock(pool, "order:1", 5_000, true);

        assertThat(lock.tryLock()).isTrue();
        assertThat(redis.command("PTTL", "distributed_lock:order:1"))
                .asInstanceOf(InstanceOfAssertFactories.LONG)
                .isBetween(4_000L, 5_000L);
        assertThat(lock.unlock()).isTrue();
    }

    @Test
    void shortForm_onOnePool_isOneClient() {
        JedisPool pool = pool(8);

        assertThat(new RedisDistributedLock(pool, "order:1", 5_000, true).tryLock())
                .isTrue();
        assertThat(new RedisDistributedLock(pool, "order:1", 5_000, true).tryLock())
                .as("re-entrant: same thread, same name, same client")
                .isTrue();
    }

    @Test
    void shortForm_onTwoPools_isTwoClients() {
        JedisPool one = pool(8);
        JedisPool two = pool(8);

        assertThat(new RedisDistributedLock(one, "order:1", 5_000, true).tryLock())
                .isTrue();
        assertThat(new RedisDistributedLock(two, "order:1", 5_000, true).tryLock())
                .as("the same thread, but another client")
                .isFalse();
    }

    @Test
    void shortForm_neverClosesThePool() {
        JedisPool pool = pool(8);
        DistributedLock lock = new RedisDistributedLock(pool, "order:1", 5_000, true);
        assertThat(lock.tryLock()).isTrue();

        JedisConfig.close();
        assertThat(lock.unlock()).isTrue();

        assertThat(pool.isClosed()).isFalse();
        try (Jedis jedis = pool.getResource()) {
            assertThat(jedis.ping()).isEqualTo("PONG");
        }
    }

    @Test
    void shortForm_borrowsThreeConnectionsAtMost() throws Exception {
        JedisPool pool = pool(50);
        DistributedLock lock = new RedisDistributedLock(pool, "order:1", 3_000, true);
        // So that somebody has to wait, and the inbox is needed.
        redis.command("SET", "distributed_lock:order:1", "somebody", "PX", "300");

        Crowd.all(16, () -> {
            for (int i = 0; i < 10; i++) {
                lock.lock();
                lock.unlock();
            }
            return null;
        });
        assertThat(lock.tryLock()).isTrue();
        // One for commands, one for renewals, one for the inbox.
        // A connection is active while it is made, and counts as borrowed only afterwards.
        until(() -> pool.getBorrowedCount() >= 3);
        assertThat(pool.getNumActive()).isEqualTo(3);
        assertThat(pool.getBorrowedCount()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void poolSmallerThanFour_isRefusedWithTheReasonBeforeAnythingIsSent(int size) {
        JedisPool pool = pool(size);
        String message = "the pool has " + size
                + " connections, fewer than 4: Holdfast keeps three of them and the application needs one";

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RedisDistributedLock(pool, "order:1", 5_000, true))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisStore.on(pool))
                .withMessage(message);
        assertThat(pool.getBorrowedCount()).isZero();
    }

    /** The fourth that is kept was the last, and the application waited for ever. */
    @Test
    @Faults(22)
    void poolOfFour_withMinReplicas_isRefusedWithTheReason_andLeavesOneToTheApplication() throws Exception {
        JedisPool pool = pool(4);
        try (Holdfast holder = Holdfast.connect(redis.uri());
                Holdfast locks = Holdfast.builder().store(RedisStore.on(pool)).build()) {
            HandOver.isTold(redis, holder, locks);

            assertThatExceptionOfType(StoreRefusedException.class)
                    .isThrownBy(() -> locks.lock("a", o -> o.minReplicas(1)).tryLock())
                    .withMessageContaining("redis (the application's pool) has 4 connections, fewer than 5:"
                            + " with minReplicas Holdfast keeps four of them and the application needs one;"
                            + " set maxTotal to 5 or more");
            assertThat(pool.getNumActive()).isLessThanOrEqualTo(3);
            assertThat(redis.command("EXISTS", "distributed_lock:a")).isEqualTo(0L);
            assertThat(locks.lock("a").tryLock()).as("without").isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {5, -1})
    void poolOfFive_orWithoutLimit_isEnoughForMinReplicas(int size) {
        try (Holdfast locks =
                Holdfast.builder().store(RedisStore.on(pool(size))).build()) {
            redis.command("CONFIG", "RESETSTAT");

            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> locks.lock("a", o -> o.minReplicas(1).lease(Duration.ofSeconds(2)))
                            .tryLock());
            assertThat(redis.commandStats()).as("asked, though nobody follows").containsKey("wait");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, -1})
    void poolOfFour_orWithoutLimit_isAccepted(int size) {
        assertThat(new RedisDistributedLock(pool(size), "order:1", 5_000, true).tryLock())
                .isTrue();
    }

    @Test
    @Faults(22)
    void exhaustedPool_isATypedErrorByTheCommandTimeOut() {
        JedisPool pool = pool(4);
        List<Jedis> taken = takeAll(pool, 4);
        DistributedLock lock = new RedisDistributedLock(pool, "order:1", 5_000, true);

        long start = System.nanoTime();
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(lock::tryLock)
                .withMessageContaining("lock 'order:1'")
                .withMessageContaining("no connection came free in the pool within");
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofMillis(1_900), Duration.ofSeconds(4));

        taken.get(0).close();
        assertThat(lock.tryLock()).as("once there is one").isTrue();
        taken.forEach(Jedis::close);
    }

    @Test
    @Faults({22, 50})
    void exhaustedPool_endsATimedWaitByItsDeadline() {
        JedisPool pool = pool(4);
        List<Jedis> taken = takeAll(pool, 4);
        try (Holdfast locks = Holdfast.builder()
                .store(RedisStore.on(pool))
                .commandTimeout(Duration.ofMillis(200))
                .build()) {
            long start = System.nanoTime();
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> locks.lock("order:1").tryLock(500, MILLISECONDS))
                    .withMessageContaining("redis (the application's pool)");
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(490), Duration.ofMillis(1_500));
        }
        taken.forEach(Jedis::close);
    }

    @Test
    @Faults(22)
    void poolExhaustedByTheApplication_leavesAClientThatHasItsConnectionsAlone() throws Exception {
        JedisPool pool = pool(4);
        DistributedLock lock = new RedisDistributedLock(pool, "order:1", 1_500, true);
        assertThat(lock.tryLock()).isTrue();
        until(() -> pool.getNumActive() == 2);
        redis.command("SET", "distributed_lock:order:2", "somebody", "PX", "60000");
        DistributedLock other = new RedisDistributedLock(pool, "order:2", 1_500, true);
        Future<Boolean> waiter = Crowd.start(() -> other.tryLock(20, SECONDS));
        until(() -> pool.getNumActive() == 3);
        List<Jedis> taken = takeAll(pool, 1);
        assertThat(pool.getNumActive()).isEqualTo(4);

        // Renewed at least once with an empty pool.
        long renewedBefore = renewals();
        until(() -> renewals() > renewedBefore + 2);

        assertThat(lock.unlock()).isTrue();
        redis.command("DEL", "distributed_lock:order:2");
        assertThat(Crowd.get(waiter)).isTrue();
        taken.forEach(Jedis::close);
    }

    private long renewals() {
        return redis.commandStats().getOrDefault("pexpire", 0L);
    }

    private static List<Jedis> takeAll(JedisPool pool, int count) {
        List<Jedis> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            taken.add(pool.getResource());
        }
        return taken;
    }

    @Test
    void poolClosedByTheApplication_isATypedError() {
        JedisPool pool = pool(8);
        DistributedLock lock = new RedisDistributedLock(pool, "order:1", 5_000, true);
        pool.close();

        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(lock::tryLock)
                .withMessageContaining("lock 'order:1'")
                .withMessageContaining("redis (the application's pool)");
    }

    // --- as a store

    @ParameterizedTest
    @EnumSource(RedisProtocol.class)
    void store_onAPool_locksWaitsAndIsToldByItsInbox(RedisProtocol protocol) throws Exception {
        JedisPool pool = pool(8, protocol);
        try (Holdfast holder = Holdfast.connect(redis.uri());
                Holdfast locks = Holdfast.builder().store(RedisStore.on(pool)).build()) {
            HandOver.isTold(redis, holder, locks);
            try (Lease lease = locks.lock("b").acquire(Duration.ZERO)) {
                lease.extend(Duration.ofSeconds(60));
                assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(55));
            }
            assertThat(locks.health().reachable()).isTrue();
            assertThat(locks.inspect("*")).isEmpty();
        }
        assertThat(pool.isClosed()).isFalse();
        until(() -> pool.getNumActive() == 0);
        assertThatCode(() -> pool.getResource().close()).doesNotThrowAnyException();
    }

    @Test
    void severalLocks_areTakenTogetherAndGivenBack() throws Exception {
        try (Holdfast locks = Holdfast.builder().store(RedisStore.on(pool(8))).build();
                Holdfast others = Holdfast.connect(redis.uri())) {
            try (Lease both = locks.allOf(locks.lock("a"), locks.lock("b")).acquire(Duration.ofSeconds(5))) {
                assertThat(both.token("b")).isPositive();
                assertThat(others.lock("a").tryLock()).isFalse();
                assertThat(others.lock("b").tryLock()).isFalse();
            }
            assertThat(redis.keysOfLocks()).containsExactly("distributed_lock:~fence");
        }
    }

    @Test
    void store_closed_givesItsConnectionsBack() {
        JedisPool pool = pool(4);
        try (Holdfast locks = Holdfast.builder().store(RedisStore.on(pool)).build()) {
            assertThat(locks.lock("a").tryLock()).isTrue();
            assertThat(pool.getNumActive()).isEqualTo(1);
            assertThat(locks.store()).isEqualTo("redis (the application's pool)");
        }

        assertThat(pool.getNumActive()).isZero();
        assertThat(redis.keys()).containsExactly("distributed_lock:~fence");
    }
}
