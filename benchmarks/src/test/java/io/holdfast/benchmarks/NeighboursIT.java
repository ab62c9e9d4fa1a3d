package io.holdfast.benchmarks;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.StoreRefusedException;
import io.holdfast.servers.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.config.Config;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;

/** Holdfast and others on the same key of one server: what {@code docs/migrating.md} says about them. */
class NeighboursIT {
    private static RedisServer redis;
    private static LettuceConnectionFactory connections;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
        connections = new LettuceConnectionFactory("127.0.0.1", redis.port());
        connections.afterPropertiesSet();
        connections.start();
    }

    @AfterAll
    static void stop() {
        connections.destroy();
        redis.close();
    }

    @BeforeEach
    void empty() {
        redis.command("FLUSHALL");
    }

    private static Holdfast holdfast(String prefix) {
        return Holdfast.builder().uri(redis.uri()).keyPrefix(prefix).build();
    }

    @Test
    void shedLock_excludesHoldfast_andIsExcluded_underItsPrefix() {
        RedisLockProvider shedLock =
                new RedisLockProvider.Builder(connections).safeUpdate(true).build();
        LockConfiguration job = new LockConfiguration(Instant.now(), "nightly", ofSeconds(30), Duration.ZERO);
        try (Holdfast locks = holdfast("job-lock:default:")) {
            DistributedLock ours = locks.lock("nightly");
            SimpleLock theirs = shedLock.lock(job).orElseThrow();
            assertThat(redis.keys()).containsExactly("job-lock:default:nightly");
            assertThat(ours.tryLock()).isFalse();
            theirs.unlock();

            assertThat(ours.tryLock()).isTrue();
            Optional<SimpleLock> refused = shedLock.lock(job);
            assertThat(refused).isEmpty();
            assertThat(ours.unlock()).isTrue();
            assertThat(shedLock.lock(job)).isPresent();
        }
    }

    /** Why the page asks for safeUpdate: without it a job that overran its time deletes whatever is there. */
    @Test
    void shedLockWithoutSafeUpdate_deletesTheLockOfTheNext() throws InterruptedException {
        RedisLockProvider shedLock = new RedisLockProvider.Builder(connections).build();
        try (Holdfast locks = holdfast("job-lock:default:")) {
            // Their time runs from here, and the first connection takes its own.
            LockConfiguration job =
                    new LockConfiguration(Instant.now(), "nightly", Duration.ofSeconds(3), Duration.ZERO);
            SimpleLock theirs = shedLock.lock(job).orElseThrow();
            assertThat(locks.lock("nightly").tryLock(ofSeconds(20))).isTrue(); // once their three seconds are over
            theirs.unlock();

            assertThat(redis.keys()).doesNotContain("job-lock:default:nightly");
            assertThat(locks.lock("nightly").unlock()).as("Holdfast tells").isFalse();
        }
    }

    @Test
    void springIntegration_excludesHoldfast_andIsExcluded_underItsPrefix() {
        RedisLockRegistry registry = new RedisLockRegistry(connections, "orders");
        try (Holdfast locks = holdfast("orders:")) {
            Lock theirs = registry.obtain("42");
            DistributedLock ours = locks.lock("42");
            assertThat(theirs.tryLock()).isTrue();
            assertThat(redis.keys()).containsExactly("orders:42");
            assertThat(ours.tryLock()).isFalse();
            theirs.unlock();

            assertThat(ours.tryLock()).isTrue();
            assertThat(theirs.tryLock()).isFalse();
            assertThat(ours.unlock()).isTrue();
            assertThat(theirs.tryLock()).isTrue();
            theirs.unlock();
        } finally {
            registry.destroy();
        }
    }

    @Test
    void redisson_onTheSameKey_isAnErrorForBoth_neverTwoHolders() {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://127.0.0.1:" + redis.port()).setConnectionMinimumIdleSize(1);
        RedissonClient redisson = Redisson.create(config);
        try (Holdfast locks = holdfast("distributed_lock:")) {
            RLock theirs = redisson.getLock("distributed_lock:order:42");
            DistributedLock ours = locks.lock("order:42");
            assertThat(theirs.tryLock()).isTrue();
            assertThatExceptionOfType(StoreRefusedException.class).isThrownBy(ours::tryLock);
            theirs.unlock();

            assertThat(ours.tryLock()).isTrue();
            assertThatThrownBy(theirs::tryLock)
                    .isInstanceOf(RedisException.class)
                    .hasMessageContaining("WRONGTYPE");
            assertThat(ours.unlock()).isTrue();
        } finally {
            redisson.shutdown();
        }
    }
}
