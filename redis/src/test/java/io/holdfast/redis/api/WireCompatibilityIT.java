package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.Backoff;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.StoreRefusedException;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** We and everybody else who uses the plain recipe, {@code SET key value NX PX ms}, on one key. */
class WireCompatibilityIT {
    /** The script by which everybody gives such a lock back. */
    private static final String COMPARE_AND_DELETE =
            "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end";

    private final RedisServer redis = SharedRedis.empty();
    private final Holdfast.Builder client = Holdfast.builder()
            .uri(redis.uri())
            .options(LockOptions.builder()
                    .backoff(new Backoff(Duration.ofMillis(20), Duration.ofMillis(50)))
                    .build());
    private final Holdfast locks = client.build();
    private final Holdfast others = client.build();

    @AfterEach
    void close() {
        locks.close();
        others.close();
    }

    private long ttl(String key) {
        return (Long) requireNonNull(redis.command("PTTL", key));
    }

    // --- theirs keeps us out

    @Test
    @Faults(39)
    void lockOfAnother_isHeldForUs() throws Exception {
        redis.command("SET", "distributed_lock:x", "v", "NX", "PX", "5000");
        DistributedLock lock = locks.lock("x");

        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.tryLock(100, MILLISECONDS)).isFalse();
        assertThat(lock.tryAcquire()).isEmpty();
        assertThat(lock.unlock()).isFalse();

        assertThat(redis.command("GET", "distributed_lock:x")).isEqualTo("v");
        assertThat(ttl("distributed_lock:x")).isGreaterThan(3_000);
    }

    @Test
    @Faults(39)
    void lockOfAnother_thatIsDeleted_isHadSoonAfter() throws Exception {
        redis.command("SET", "distributed_lock:x", "v", "NX", "PX", "60000");
        Future<Boolean> waiter = waiter();
        until(() -> isQueued("x"));

        redis.command("EVAL", COMPARE_AND_DELETE, "1", "distributed_lock:x", "v");
        long freed = System.nanoTime();

        assertThat(Crowd.get(waiter)).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - freed))
                .as("nobody tells us, so the backoff bounds it")
                .isLessThan(Duration.ofSeconds(1));
    }

    @Test
    @Faults(39)
    void lockOfAnother_thatExpires_isHadSoonAfter() throws Exception {
        redis.command("SET", "distributed_lock:x", "v", "NX", "PX", "600");
        long start = System.nanoTime();

        assertThat(Crowd.get(waiter())).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofMillis(500), Duration.ofMillis(1_600));
    }

    private Future<Boolean> waiter() {
        return Crowd.start(() -> {
            boolean obtained = others.lock("x").tryLock(20, SECONDS);
            return obtained && others.lock("x").unlock();
        });
    }

    private boolean isQueued(String name) {
        return Long.valueOf(1)
                .equals(redis.command("EXISTS", "distributed_lock:~queue:{distributed_lock:" + name + "}"));
    }

    // --- ours keeps them out

    @Test
    void lockOfOurs_isAPlainStringWithItsExpiry() throws Exception {
        try (Lease lease = locks.lock("x").acquire(Duration.ZERO)) {
            assertThat(redis.command("TYPE", "distributed_lock:x")).isEqualTo("string");
            assertThat(ttl("distributed_lock:x")).isBetween(28_000L, 30_000L);
            assertThat(redis.command("GET", "distributed_lock:x"))
                    .asString()
                    .matches("hf1:[0-9a-z]+:[0-9]+:[0-9a-z]+:" + lease.token());
        }
    }

    @Test
    void lockOfOurs_cannotBeTakenByAnother() throws Exception {
        try (Lease lease = locks.lock("x").acquire(Duration.ZERO)) {
            assertThat(redis.command("SET", "distributed_lock:x", "v", "NX", "PX", "5000"))
                    .isNull();
            assertThat(redis.command("SETNX", "distributed_lock:x", "v")).isEqualTo(0L);
            assertThat(lease.isValid()).isTrue();
        }
        assertThat(redis.command("SET", "distributed_lock:x", "v", "NX", "PX", "5000"))
                .isEqualTo("OK");
    }

    @Test
    void lockOfOurs_cannotBeRemovedByTheScriptOfOthersWithoutItsValue() throws Exception {
        try (Lease lease = locks.lock("x").acquire(Duration.ZERO)) {
            String value = String.valueOf(redis.command("GET", "distributed_lock:x"));
            for (String guess : List.of("v", "", "hf1:", value.substring(0, value.lastIndexOf(':')))) {
                assertThat(redis.command("EVAL", COMPARE_AND_DELETE, "1", "distributed_lock:x", guess))
                        .isEqualTo(0L);
            }
            assertThat(lease.isValid()).isTrue();
            assertThat(redis.command("GET", "distributed_lock:x")).isEqualTo(value);
        }
    }

    @Test
    void waiters_ofOurs_doNotGetWhatAnotherHasTakenMeanwhile() throws Exception {
        DistributedLock lock = locks.lock("x");
        assertThat(lock.tryLock()).isTrue();
        Future<Boolean> waiter = waiter();
        until(() -> isQueued("x"));
        // As if ours had expired, and somebody had been faster than the one in line.
        redis.command("SET", "distributed_lock:x", "v", "PX", "500");

        assertThat(lock.unlock()).as("protected to its end").isFalse();
        assertThat(redis.command("GET", "distributed_lock:x")).isEqualTo("v");
        assertThat(Crowd.get(waiter)).as("after the other's expiry").isTrue();
    }

    // --- what is no lock

    static Stream<List<String>> somethingElse() {
        return Stream.of(
                List.of("HSET", "distributed_lock:x", "f", "v"),
                List.of("RPUSH", "distributed_lock:x", "v"),
                List.of("SADD", "distributed_lock:x", "v"),
                List.of("ZADD", "distributed_lock:x", "1", "v"));
    }

    @ParameterizedTest
    @MethodSource("somethingElse")
    @Faults(39)
    void somethingElseAtTheKey_isATypedErrorWithTheRemedyAndNeverTaken(List<String> command) {
        redis.command(command.toArray(String[]::new));
        Object type = redis.command("TYPE", "distributed_lock:x");

        for (DistributedLock lock : List.of(locks.lock("x"), locks.lock("x", o -> o.lease(Duration.ofSeconds(1))))) {
            assertThatExceptionOfType(StoreRefusedException.class)
                    .isThrownBy(lock::tryLock)
                    .withMessageContaining("lock 'x': redis://127.0.0.1:" + redis.port())
                    .withMessageContaining("WRONGTYPE")
                    .withMessageContaining("something that is no lock stands at the lock's key; remove it by hand");
            assertThatExceptionOfType(StoreRefusedException.class)
                    .as("waiting does not help, so it does not wait")
                    .isThrownBy(() -> lock.tryLock(20, SECONDS));
            assertThatExceptionOfType(StoreRefusedException.class).isThrownBy(lock::lock);
        }
        assertThat(redis.command("TYPE", "distributed_lock:x")).isEqualTo(type);
        assertThat(redis.keysOfLocks()).containsExactly("distributed_lock:x");
    }

    @Test
    @Faults(39)
    void keyWithoutExpiry_isATypedErrorWithTheRemedyAndNeverTaken() {
        redis.command("SET", "distributed_lock:x", "v");

        assertThatExceptionOfType(StoreRefusedException.class)
                .isThrownBy(() -> locks.lock("x").tryLock(20, SECONDS))
                .withMessage("lock 'x': redis://127.0.0.1:" + redis.port()
                        + " has something without an expiry at the key 'distributed_lock:x', which no lock of this"
                        + " library ever is; if no other program needs it, delete it");
        assertThat(redis.command("GET", "distributed_lock:x")).isEqualTo("v");
        assertThat(ttl("distributed_lock:x")).isEqualTo(-1);
    }

    /** It used to be true, since the release failed instead of saying that the lock was gone. */
    @Test
    @Faults(39)
    void unlock_whenSomethingElseHasReplacedTheLock_isFalse() {
        DistributedLock lock = locks.lock("x");
        assertThat(lock.tryLock()).isTrue();
        redis.command("DEL", "distributed_lock:x");
        redis.command("HSET", "distributed_lock:x", "f", "v");

        assertThat(lock.unlock()).isFalse();
        assertThat(redis.command("HGET", "distributed_lock:x", "f")).isEqualTo("v");
    }

    @Test
    @Faults(40)
    void lockOfALaterLayout_isThatOfAnotherHolder() throws Exception {
        redis.command("SET", "distributed_lock:x", "hf2:whatever:comes", "PX", "600");

        assertThat(locks.lock("x").tryLock()).isFalse();
        assertThat(locks.lock("x").tryLock(50, MILLISECONDS)).isFalse();
        assertThat(redis.command("GET", "distributed_lock:x")).isEqualTo("hf2:whatever:comes");
        assertThat(Crowd.get(waiter())).as("after its expiry").isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"9007199254740991", "99999999999999999999", "nonsense"})
    @Faults({39, 58})
    void counterThatCannotRise_isATypedErrorWithTheRemedy(String counter) {
        redis.command("SET", "distributed_lock:~fence", counter);

        assertThatExceptionOfType(StoreRefusedException.class)
                .isThrownBy(() -> locks.lock("x").tryLock())
                .withMessage("lock 'x': redis://127.0.0.1:" + redis.port()
                        + " has no number below 2^53 at the key 'distributed_lock:~fence', so no fencing token can"
                        + " follow; if nobody relies on tokens as high as what stands there, delete it: they then go"
                        + " on from the server's clock");
        assertThat(redis.keysOfLocks()).containsExactly("distributed_lock:~fence");
    }

    // --- the side keys

    @Test
    @Faults(40)
    void keysOfAContendedLock_areTheDocumentedOnesAndExpire() throws Exception {
        DistributedLock lock = locks.lock("x");
        assertThat(lock.tryLock()).isTrue();
        Future<Boolean> waiter = waiter();
        until(() -> isQueued("x"));

        assertThat(redis.keysOfLocks())
                .containsExactlyInAnyOrder(
                        "distributed_lock:x",
                        "distributed_lock:~fence",
                        "distributed_lock:~queue:{distributed_lock:x}",
                        "distributed_lock:~tickets:{distributed_lock:x}");
        assertThat(redis.command("TYPE", "distributed_lock:~queue:{distributed_lock:x}"))
                .isEqualTo("zset");
        assertThat(redis.command("TYPE", "distributed_lock:~tickets:{distributed_lock:x}"))
                .isEqualTo("hash");
        assertThat(ttl("distributed_lock:~queue:{distributed_lock:x}")).isBetween(1L, 12_000L);
        assertThat(ttl("distributed_lock:~tickets:{distributed_lock:x}")).isBetween(1L, 12_000L);

        lock.unlock();
        assertThat(Crowd.get(waiter)).isTrue();
        assertThat(redis.keysOfLocks()).containsExactly("distributed_lock:~fence");
    }

    @Test
    void prefix_isWhatEveryKeyAndChannelStartsWith() throws Exception {
        Holdfast.Builder app = Holdfast.builder().uri(redis.uri()).keyPrefix("app:");
        try (Holdfast other = app.build();
                Holdfast third = app.build();
                Lease lease = other.lock("x").acquire(Duration.ZERO)) {
            Future<Boolean> waiter = Crowd.start(() -> third.lock("x").tryLock(20, SECONDS));
            until(() ->
                    redis.command("PUBSUB", "CHANNELS", "app:~inbox:*") instanceof List<?> list && list.size() == 1);

            assertThat(redis.keysOfLocks()).hasSize(4).allMatch(key -> key.startsWith("app:"));
            assertThat(locks.lock("x").tryLock())
                    .as("another prefix, another lock")
                    .isTrue();
            lease.release();
            assertThat(Crowd.get(waiter)).isTrue();
        }
    }
}
