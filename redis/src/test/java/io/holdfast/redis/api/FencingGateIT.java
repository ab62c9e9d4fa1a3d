package io.holdfast.redis.api;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StaleTokenException;
import io.holdfast.redis.RedisFencingGate;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.PooledConnectionProvider;

@Tag("jedis-compat")
class FencingGateIT {
    private final RedisServer redis = SharedRedis.empty();
    private final JedisPool pool = new JedisPool("127.0.0.1", redis.port());
    private final UnifiedJedis jedis = new UnifiedJedis(
            new PooledConnectionProvider(
                    new HostAndPort("127.0.0.1", redis.port()),
                    DefaultJedisClientConfig.builder().build()),
            1,
            Duration.ofSeconds(1));

    @AfterEach
    void close() {
        pool.close();
        jedis.close();
    }

    static Stream<Boolean> bothKinds() {
        return Stream.of(true, false);
    }

    private RedisFencingGate gate(boolean onPool) {
        return onPool
                ? RedisFencingGate.on(pool, "distributed_lock:")
                : RedisFencingGate.on(jedis, "distributed_lock:");
    }

    @ParameterizedTest
    @MethodSource("bothKinds")
    @Faults(1)
    void lowerToken_isRefused(boolean onPool) {
        RedisFencingGate gate = gate(onPool);
        gate.admit("invoice", 17);
        gate.admit("invoice", 17);
        gate.admit("invoice", 18);

        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> gate.admit("invoice", 17))
                .withMessage("resource 'invoice' refuses token 17: it has already seen 18");
        gate.admit("order", 1);
        assertThat(redis.keys())
                .containsExactlyInAnyOrder("distributed_lock:~gate:invoice", "distributed_lock:~gate:order");
    }

    @ParameterizedTest
    @MethodSource("bothKinds")
    @Faults({1, 3})
    void write_ofAStaleToken_changesNothing(boolean onPool) {
        RedisFencingGate gate = gate(onPool);
        gate.write("invoice", "new", 18);

        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> gate.write("invoice", "old", 17));
        assertThat(redis.command("GET", "invoice")).isEqualTo("new");
    }

    @ParameterizedTest
    @MethodSource("bothKinds")
    @Faults(58)
    void tokens_ofAnySizeAndLength_areComparedExactly(boolean onPool) {
        RedisFencingGate gate = gate(onPool);
        long last = -1;
        for (long token :
                new long[] {0, 9, 10, 99, 100, (1L << 53), (1L << 53) + 1, Long.MAX_VALUE - 1, Long.MAX_VALUE}) {
            gate.admit("invoice", token);
            long before = last;
            if (before >= 0) {
                assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> gate.admit("invoice", before));
            }
            last = token;
        }
    }

    @Test
    @Faults(35)
    void scriptFlush_isNoticedAndTheScriptSentAgain() {
        gate(true).admit("invoice", 17);
        redis.command("SCRIPT", "FLUSH");

        gate(true).admit("invoice", 18);

        assertThat(redis.command("GET", "distributed_lock:~gate:invoice")).isEqualTo("18");
    }

    @Test
    void memory_lastsThirtyDaysFromTheLastWrite() {
        gate(true).admit("invoice", 17);

        long ttl = (Long) requireNonNull(redis.command("PTTL", "distributed_lock:~gate:invoice"));
        assertThat(Duration.ofMillis(ttl)).isBetween(Duration.ofDays(30).minusMinutes(1), Duration.ofDays(30));
    }

    @Test
    void negativeToken_isRefusedWithTheValue() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> gate(true).admit("invoice", -1))
                .withMessage("token -1 is negative (resource 'invoice')");
        assertThat(redis.keys()).isEmpty();
    }

    @Test
    @SuppressWarnings("NullAway") // that is the test
    void null_isRefusedByName() {
        assertThatNullPointerException()
                .isThrownBy(() -> gate(true).admit(null, 1))
                .withMessage("resource");
        assertThatNullPointerException()
                .isThrownBy(() -> gate(true).write("a", null, 1))
                .withMessage("value");
        assertThatNullPointerException()
                .isThrownBy(() -> RedisFencingGate.on((JedisPool) null, "p:"))
                .withMessage("pool");
        assertThatNullPointerException()
                .isThrownBy(() -> RedisFencingGate.on(jedis, null))
                .withMessage("keyPrefix");
    }

    /** What the gate is for: the order of writes is that of tokens, whatever the writers do. */
    @Test
    @Faults({1, 3})
    void writersThatDoNotCareForTheirLease_neverWriteOverNewerData() throws Exception {
        RedisFencingGate gate = gate(true);
        AtomicLong refused = new AtomicLong();
        try (Holdfast locks = Holdfast.connect(redis.uri())) {
            List<Long> highest = Crowd.all(4, () -> {
                long last = 0;
                for (int i = 0; i < 50; i++) {
                    Lease lease = locks.lock("invoice").acquire(Duration.ofSeconds(20));
                    long token = lease.token();
                    if (i % 5 == 0) {
                        // Gives the lock back before it writes, as if it had slept through its lease.
                        lease.release();
                    }
                    try {
                        gate.write("data", Long.toString(token), token);
                        last = token;
                    } catch (StaleTokenException e) {
                        refused.incrementAndGet();
                    }
                    lease.release();
                }
                return last;
            });

            long newest = highest.stream().mapToLong(token -> token).max().orElseThrow();
            assertThat(redis.command("GET", "data")).isEqualTo(Long.toString(newest));
            assertThat(refused.get()).isLessThanOrEqualTo(40);
        }
    }
}
