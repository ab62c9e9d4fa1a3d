package io.holdfast.redis.api;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is refused is refused before anything is sent. */
@Faults(59)
class BadInputIT {
    private final RedisServer redis = SharedRedis.empty();
    private final TcpProxy network = TcpProxy.to(redis.port());
    private final Holdfast locks = Holdfast.connect("redis://127.0.0.1:" + network.port());

    @AfterEach
    void close() {
        locks.close();
        network.close();
    }

    static Stream<String> badNames() {
        return Stream.of(
                "",
                "~",
                "~fence",
                "a\nb",
                "\0",
                "a\u007f",
                "a\u0085",
                "{",
                "}",
                "{}",
                "a{b}{c}",
                "}a{",
                "\ud800",
                "a\udc00b",
                "x".repeat(513),
                "é".repeat(257),
                "x".repeat(1 << 20));
    }

    @ParameterizedTest
    @MethodSource("badNames")
    void badName_isRefusedBeforeAnythingIsSent(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> locks.lock(name)).withMessageStartingWith("lock name '");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> locks.lock(name, o -> o.renewal(false)))
                .withMessageStartingWith("lock name '");

        assertThat(network.connectionsAccepted()).isZero();
    }

    static Stream<Duration> badLeases() {
        return Stream.of(
                Duration.ZERO,
                Duration.ofMillis(-1),
                Duration.ofMillis(99),
                Duration.ofHours(24).plusNanos(1),
                Duration.ofSeconds(Long.MAX_VALUE),
                Duration.ofSeconds(Long.MIN_VALUE));
    }

    @ParameterizedTest
    @MethodSource("badLeases")
    void badLease_isRefusedWithTheLockBeforeAnythingIsSent(Duration lease) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> locks.lock("order:1", o -> o.lease(lease)))
                .withMessageMatching("lease .* is (below|above) the (minimum|maximum) of .* \\(lock 'order:1'\\)");

        assertThat(network.connectionsAccepted()).isZero();
    }

    @Test
    void badExplicitLease_isRefusedWithTheLockBeforeAnythingIsSent() {
        DistributedLock lock = locks.lock("order:1");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> lock.tryLock(1, 0, SECONDS))
                .withMessage("lease 0 ms is below the minimum of 100 ms (lock 'order:1')");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lock.tryLock(1, Long.MAX_VALUE, DAYS))
                .withMessageContaining("is above the maximum of 24 h (lock 'order:1')");

        assertThat(network.connectionsAccepted()).isZero();
    }

    @ParameterizedTest
    @MethodSource("badLeases")
    void badExtension_isRefusedWithTheLockBeforeAnythingIsSent(Duration length) throws Exception {
        try (Lease lease = locks.lock("order:1").acquire(Duration.ZERO)) {
            long sent = network.requestsSeen();

            assertThatIllegalArgumentException()
                    .isThrownBy(() -> lease.extend(length))
                    .withMessageContaining("(lock 'order:1')");

            assertThat(network.requestsSeen()).isEqualTo(sent);
            assertThat(lease.isValid()).isTrue();
        }
    }

    /** What is allowed arrives as it is, and is found again. */
    @ParameterizedTest
    @ValueSource(
            strings = {"a", "a b", "order:{42}:x", "锁", "🔒", "a*b?[c]\\d^e", "a~", "'\";--", "%s%n", "\u00a0", "A"})
    void oddButGoodName_isLockedUnderItsOwnKey(String name) throws Exception {
        try (Lease lease = locks.lock(name).acquire(Duration.ZERO)) {
            assertThat(lease.lockName()).isEqualTo(name);
            assertThat(redis.keys()).contains("distributed_lock:" + name);
            assertThat(locks.lock(name).tryLock()).isFalse();
            assertThat(locks.inspect("*")).singleElement().satisfies(info -> {
                assertThat(info.name()).isEqualTo(name);
                assertThat(info.token()).hasValue(lease.token());
            });
        }
    }

    @Test
    void longestName_isLocked() throws Exception {
        String name = "é".repeat(256);
        try (Lease lease = locks.lock(name).acquire(Duration.ZERO)) {
            assertThat(lease.isValid()).isTrue();
            assertThat(redis.keys()).contains("distributed_lock:" + name);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0.1S", "PT24H"})
    void leaseAtTheLimits_isAccepted(Duration lease) throws Exception {
        try (Lease held = locks.lock("order:1", o -> o.lease(lease)).acquire(Duration.ZERO)) {
            assertThat(held.remaining()).isLessThanOrEqualTo(lease);
            assertThat((Long) redis.command("PTTL", "distributed_lock:order:1")).isBetween(1L, lease.toMillis());
        }
    }
}
