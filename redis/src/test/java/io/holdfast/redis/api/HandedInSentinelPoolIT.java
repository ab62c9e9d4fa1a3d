package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StoreRefusedException;
import io.holdfast.redis.RedisStore;
import io.holdfast.servers.RedisSentinels;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisSentinelPool;

/** The application's own {@link JedisSentinelPool}. */
class HandedInSentinelPoolIT {
    private static RedisSentinels sentinels;

    @BeforeAll
    static void start() {
        sentinels = RedisSentinels.start();
    }

    @AfterAll
    static void stop() {
        sentinels.close();
    }

    private static JedisSentinelPool pool(int size) {
        GenericObjectPoolConfig<Jedis> limits = new GenericObjectPoolConfig<>();
        limits.setMaxTotal(size);
        limits.setJmxEnabled(false);
        Set<HostAndPort> addresses = sentinels.sentinels().stream()
                .map(sentinel -> new HostAndPort("127.0.0.1", sentinel.port()))
                .collect(Collectors.toSet());
        DefaultJedisClientConfig config = DefaultJedisClientConfig.builder().build();
        return new JedisSentinelPool(RedisSentinels.MASTER, addresses, limits, config, config);
    }

    @Test
    void locks_areTakenWaitedForAndGivenBack_andThePoolStaysOpen() throws Exception {
        try (JedisSentinelPool pool = pool(8)) {
            try (Holdfast locks = Holdfast.builder().store(RedisStore.on(pool)).build();
                    Holdfast holder = Holdfast.connect(sentinels.uri())) {
                HandOver.isTold(sentinels.master(), holder, locks);
                assertThat(locks.store()).isEqualTo("redis (the application's Sentinel pool)");
                assertThat(locks.health().reachable()).isTrue();
                try (Lease lease = locks.lock("r", o -> o.minReplicas(1)).acquire(Duration.ofSeconds(5))) {
                    assertThat(lease.isValid()).isTrue();
                }
            }
            until(() -> pool.getNumActive() == 0);
            assertThat(pool.isClosed()).isFalse();
        }
    }

    /** The old master is cut off from the Sentinels and not from us: nothing but the pool tells of the new one. */
    @Test
    @Faults({23, 24, 25})
    void anotherMaster_isFollowedByConnectionsThatWereFine() throws Exception {
        try (JedisSentinelPool pool = pool(8);
                Holdfast locks = Holdfast.builder().store(RedisStore.on(pool)).build()) {
            RedisServer before = sentinels.master();
            Lease lease = locks.lock("a", o -> o.lease(Duration.ofSeconds(12))).acquire(Duration.ZERO);
            sentinels.awaitReplicated();
            // Silent for the Sentinels; when it wakes, its connections are as they were, and it calls itself the
            // master.
            before.pause();
            RedisServer after = sentinels.awaitFailoverFrom(before);
            until(() -> pool.getCurrentHostMaster().getPort() == after.port());
            until(() -> after.commandStats().getOrDefault("role", 0L) > 0 && lease.isValid() && renewedAt(after));
            sentinels.heal();

            assertThat(locks.lock("b").tryLock()).isTrue();
            assertThat(after.command("EXISTS", "distributed_lock:b")).isEqualTo(1L);
            assertThat(lease.release()).isTrue();
            assertThat(after.command("EXISTS", "distributed_lock:a")).isEqualTo(0L);
            assertThat(locks.lock("b").unlock()).isTrue();
        }
    }

    private static boolean renewedAt(RedisServer server) {
        return server.commandStats().getOrDefault("pexpire", 0L) > 0;
    }

    @Test
    void poolSmallerThanFour_isRefused() {
        try (JedisSentinelPool pool = pool(3)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RedisStore.on(pool))
                    .withMessageContaining("the pool has 3 connections, fewer than 4");
        }
    }

    @Test
    void poolOfFour_withMinReplicas_isRefused() {
        try (JedisSentinelPool pool = pool(4);
                Holdfast locks = Holdfast.builder().store(RedisStore.on(pool)).build()) {
            assertThatExceptionOfType(StoreRefusedException.class)
                    .isThrownBy(() -> locks.lock("r", o -> o.minReplicas(1)).tryLock())
                    .withMessageContaining("has 4 connections, fewer than 5");
        }
    }
}
