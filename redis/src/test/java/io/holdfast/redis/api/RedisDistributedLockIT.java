package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.redis.JedisConfig;
import io.holdfast.redis.RedisDistributedLock;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The short form, over the pool of {@link JedisConfig}. */
@Tag("jedis-compat")
class RedisDistributedLockIT {
    private final RedisServer redis = SharedRedis.empty();

    @BeforeEach
    void useTheServer() {
        JedisConfig.init("127.0.0.1", redis.port(), null);
    }

    @AfterEach
    void close() {
        JedisConfig.close();
    }

    private long ttl(String name) {
        return (Long) requireNonNull(redis.command("PTTL", "distributed_lock:" + name));
    }

    // --- the constructors

    @Test
    void name_alone_meansThirtySecondsUnderTheDefaultPrefix() {
        DistributedLock lock = new RedisDistributedLock("order:1");

        assertThat(lock.tryLock()).isTrue();

        assertThat(RedisDistributedLock.DEFAULT_EXPIRE_MS).isEqualTo(30_000);
        assertThat(ttl("order:1")).isBetween(28_000L, 30_000L);
        assertThat(redis.keysOfLocks())
                .containsExactlyInAnyOrder("distributed_lock:order:1", "distributed_lock:~fence");
        assertThat(lock.getLockName()).isEqualTo("order:1");
        assertThat(lock).hasToString("RedisDistributedLock['order:1']");
    }

    @Test
    void expiry_isHowLongRedisKeepsTheLock() {
        assertThat(new RedisDistributedLock("order:1", 5_000).tryLock()).isTrue();

        assertThat(ttl("order:1")).isBetween(4_000L, 5_000L);
    }

    @Test
    void watchdog_isOnUnlessTold_andKeepsTheLock() {
        DistributedLock lock = new RedisDistributedLock("order:1", 3_000);
        assertThat(lock.tryLock()).isTrue();
        Object value = redis.command("GET", "distributed_lock:order:1");

        // Renewed every third of it, so these are more than a lease.
        redis.command("CONFIG", "RESETSTAT");
        until(() -> redis.commandStats().getOrDefault("pexpire", 0L) >= 4);

        assertThat(redis.command("GET", "distributed_lock:order:1")).isEqualTo(value);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.unlock()).isTrue();
    }

    @Test
    void watchdog_off_letsTheLeaseEndAndTheHolderKnowsIt() {
        DistributedLock lock = new RedisDistributedLock("order:1", 1_500, false);
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.isHeldByCurrentThread()).isTrue();

        until(Duration.ofSeconds(5), () -> !lock.isHeldByCurrentThread());
        until(Duration.ofSeconds(5), () -> redis.command("GET", "distributed_lock:order:1") == null);

        assertThat(lock.getHoldCount()).isZero();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::tryLock);
        assertThat(lock.unlock()).as("protected to its end").isFalse();
        assertThat(lock.tryLock()).as("a new start").isTrue();
    }

    @Test
    void watchdog_off_unlockInTime_isTrue() {
        DistributedLock lock = new RedisDistributedLock("order:1", 30_000, false);
        assertThat(lock.tryLock()).isTrue();

        assertThat(lock.unlock()).isTrue();
        assertThat(redis.keysOfLocks()).containsExactly("distributed_lock:~fence");
    }

    @Test
    void watchdog_offAndOn_inTwoObjectsOfOneName_theFirstToTakeItDecides() {
        DistributedLock unrenewed = new RedisDistributedLock("order:1", 2_000, false);
        DistributedLock renewed = new RedisDistributedLock("order:1", 2_000, true);
        assertThat(unrenewed.tryLock()).isTrue();
        assertThat(renewed.tryLock()).isTrue();

        until(Duration.ofSeconds(5), () -> !renewed.isHeldByCurrentThread());
    }

    // --- threads

    @Test
    void instances_ofOneName_areOneLockAndReentrantForTheThread() throws Exception {
        DistributedLock one = new RedisDistributedLock("order:1");
        DistributedLock two = new RedisDistributedLock("order:1", 5_000);

        assertThat(one.tryLock()).isTrue();
        assertThat(two.tryLock()).isTrue();
        assertThat(one.getHoldCount()).isEqualTo(2);
        assertThat(two.getHoldCount()).isEqualTo(2);
        assertThat(isFreeElsewhere(two)).isFalse();

        assertThat(one.unlock()).isTrue();
        assertThat(isFreeElsewhere(one)).as("one hold is left").isFalse();
        assertThat(two.unlock()).isTrue();
        assertThat(redis.keysOfLocks()).containsExactly("distributed_lock:~fence");
        assertThat(two.unlock()).as("nothing is left to unlock").isFalse();
    }

    private static boolean isFreeElsewhere(DistributedLock lock) throws Exception {
        return Crowd.elsewhere(lock::tryLock);
    }

    @Test
    void instance_usedByManyThreads_letsOneInAtATime() throws Exception {
        DistributedLock lock = new RedisDistributedLock("order:1");
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        int[] unguarded = {0};

        List<Boolean> safe = Crowd.all(16, () -> {
            boolean all = true;
            for (int i = 0; i < 20; i++) {
                lock.lock();
                try {
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    unguarded[0]++;
                    inside.decrementAndGet();
                } finally {
                    all &= lock.unlock();
                }
            }
            return all;
        });

        assertThat(safe).containsOnly(true);
        assertThat(most).hasValue(1);
        assertThat(unguarded[0]).isEqualTo(16 * 20);
    }

    @Test
    void firstUse_byManyThreadsAtOnce_makesOneClientWithThreeConnections() throws Exception {
        try (TcpProxy network = TcpProxy.to(redis.port())) {
            JedisConfig.init("127.0.0.1", network.port(), null);
            DistributedLock lock = new RedisDistributedLock("order:1");

            Crowd.all(16, () -> {
                lock.lock();
                return lock.unlock();
            });

            assertThat(JedisConfig.getJedisPool().getNumActive()).isBetween(1, 3);
            assertThat(network.connectionsAccepted()).isLessThanOrEqualTo(3);
        }
    }

    @Test
    @Faults(51)
    void unlock_inFinallyOfAThreadThatNeverGotTheLock_isFalseAndHarmless() throws Exception {
        DistributedLock lock = new RedisDistributedLock("order:1");
        assertThat(lock.tryLock()).isTrue();
        Object value = redis.command("GET", "distributed_lock:order:1");

        AtomicInteger unlocked = new AtomicInteger(-1);
        boolean locked = Crowd.elsewhere(() -> {
            try {
                return lock.tryLock(10, MILLISECONDS);
            } finally {
                unlocked.set(lock.unlock() ? 1 : 0);
            }
        });

        assertThat(locked).isFalse();
        assertThat(unlocked).hasValue(0);
        assertThat(redis.command("GET", "distributed_lock:order:1")).isEqualTo(value);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.unlock()).isTrue();
    }

    @Test
    @Faults(51)
    void unlock_withoutLock_isFalseAndSendsNothing() {
        DistributedLock lock = new RedisDistributedLock("order:1");
        redis.command("CONFIG", "RESETSTAT");

        assertThat(lock.unlock()).isFalse();
        assertThat(redis.commandStats()).doesNotContainKeys("evalsha", "eval", "time");
    }

    // --- every method of the interface

    @Test
    void everyWayToLock_locks() throws Exception {
        DistributedLock lock = new RedisDistributedLock("order:1");

        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, SECONDS)).isTrue();
        assertThat(lock.tryLock(Duration.ofSeconds(1))).isTrue();
        assertThat(lock.tryLock(1, 5, SECONDS)).isTrue();
        lock.lock();
        lock.lockInterruptibly();

        assertThat(lock.getHoldCount()).isEqualTo(6);
        for (int i = 0; i < 6; i++) {
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            assertThat(lock.unlock()).isTrue();
        }
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void explicitLease_isUsedAndNotRenewed() throws Exception {
        DistributedLock lock = new RedisDistributedLock("order:1");

        assertThat(lock.tryLock(0, 400, MILLISECONDS)).isTrue();

        assertThat(ttl("order:1")).isLessThanOrEqualTo(400);
        until(Duration.ofSeconds(2), () -> !lock.isHeldByCurrentThread());
        assertThat(lock.unlock()).isFalse();
    }

    @Test
    void everyWayToGetALease_getsOne() throws Exception {
        DistributedLock lock = new RedisDistributedLock("order:1");

        long last = checkAndRelease(lock.acquire(Duration.ofSeconds(1)), 0);
        last = checkAndRelease(lock.tryAcquire().orElseThrow(), last);
        last = checkAndRelease(lock.tryAcquire(Duration.ofSeconds(1)).orElseThrow(), last);
        last = checkAndRelease(
                lock.acquireAsync(Duration.ofSeconds(1)).toCompletableFuture().get(10, SECONDS), last);
        last = checkAndRelease(
                lock.tryAcquireAsync().toCompletableFuture().get(10, SECONDS).orElseThrow(), last);
        checkAndRelease(
                lock.tryAcquireAsync(Duration.ofSeconds(1))
                        .toCompletableFuture()
                        .get(10, SECONDS)
                        .orElseThrow(),
                last);
    }

    private static long checkAndRelease(Lease lease, long lastToken) {
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.lockName()).isEqualTo("order:1");
        assertThat(lease.token()).isGreaterThan(lastToken);
        assertThat(lease.release()).isTrue();
        return lease.token();
    }

    @Test
    void lease_isNotReentrant() throws Exception {
        DistributedLock lock = new RedisDistributedLock("order:1");
        try (Lease lease = lock.acquire(Duration.ZERO)) {
            assertThat(lease.isValid()).isTrue();
            assertThat(lock.tryAcquire()).isEmpty();
            assertThat(lock.tryLock()).isFalse();
            assertThat(lock.isHeldByCurrentThread()).isFalse();
            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> lock.acquire(Duration.ofMillis(20)))
                    .withMessage("lock 'order:1': held by others for the whole wait of 20 ms");
        }
    }

    @Test
    void jdkView_isTheSameLock() {
        DistributedLock lock = new RedisDistributedLock("order:1");
        Lock view = lock.asLock();

        view.lock();
        try {
            assertThat(lock.getHoldCount()).isEqualTo(1);
        } finally {
            view.unlock();
        }
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(view::unlock);
    }

    // --- what is refused

    static Stream<Arguments> badArguments() {
        return Stream.of(
                Arguments.of("", 30_000L, "lock name '' must not be empty"),
                Arguments.of("~x", 30_000L, "lock name '~x' must not start with '~'"),
                Arguments.of("a\nb", 30_000L, "lock name 'a?b' must not contain control characters"),
                Arguments.of("a{b", 30_000L, "lock name 'a{b' may contain braces only as one non-empty {tag}"),
                Arguments.of("x".repeat(1 << 20), 30_000L, "must not be longer than 512 bytes"),
                Arguments.of("\ud83d", 30_000L, "must be valid Unicode"),
                Arguments.of("order:1", 0L, "lease 0 ms is below the minimum of 100 ms (lock 'order:1')"),
                Arguments.of("order:1", -1L, "lease -1 ms is below the minimum of 100 ms (lock 'order:1')"),
                Arguments.of("order:1", 99L, "lease 99 ms is below the minimum of 100 ms (lock 'order:1')"),
                Arguments.of("order:1", 86_400_001L, "lease 86400001 ms is above the maximum of 24 h (lock 'order:1')"),
                Arguments.of("order:1", Long.MAX_VALUE, "is above the maximum of 24 h (lock 'order:1')"),
                Arguments.of("order:1", Long.MIN_VALUE, "is below the minimum of 100 ms (lock 'order:1')"));
    }

    @ParameterizedTest
    @MethodSource("badArguments")
    @Faults(59)
    void badArgument_isRefusedWithValueAndRuleBeforeAnythingIsSent(String name, long expireMs, String message) {
        try (TcpProxy network = TcpProxy.to(redis.port())) {
            JedisConfig.init("127.0.0.1", network.port(), null);

            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new RedisDistributedLock(name, expireMs))
                    .withMessageContaining(message);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new RedisDistributedLock(name, expireMs, false))
                    .withMessageContaining(message);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new RedisDistributedLock(JedisConfig.getJedisPool(), name, expireMs, true))
                    .withMessageContaining(message);

            assertThat(network.connectionsAccepted()).isZero();
        }
    }

    @Test
    @Faults(59)
    void badExplicitLease_isRefusedBeforeAnythingIsSent() {
        try (TcpProxy network = TcpProxy.to(redis.port())) {
            JedisConfig.init("127.0.0.1", network.port(), null);
            DistributedLock lock = new RedisDistributedLock("order:1");

            assertThatIllegalArgumentException()
                    .isThrownBy(() -> lock.tryLock(1, 0, SECONDS))
                    .withMessage("lease 0 ms is below the minimum of 100 ms (lock 'order:1')");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> lock.tryLock(1, -1, SECONDS))
                    .withMessage("lease -1000 ms is below the minimum of 100 ms (lock 'order:1')");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> lock.tryLock(1, Long.MAX_VALUE, DAYS))
                    .withMessageContaining("is above the maximum of 24 h (lock 'order:1')");

            assertThat(network.requestsSeen()).isZero();
        }
    }

    @Test
    @SuppressWarnings("NullAway") // that is the test
    void null_isRefusedByName() {
        assertThatNullPointerException()
                .isThrownBy(() -> new RedisDistributedLock(null))
                .withMessage("name");
        assertThatNullPointerException()
                .isThrownBy(() -> new RedisDistributedLock(null, "order:1", 30_000, true))
                .withMessage("jedisPool");
    }
}
