package io.holdfast.redis.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.StoreHealth;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("jedis-compat")
class HealthIT {
    private final RedisServer redis = SharedRedis.empty();
    private final Holdfast locks = Holdfast.connect(redis.uri());

    @AfterEach
    void close() {
        redis.command("CONFIG", "SET", "maxmemory", "0");
        redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
        locks.close();
    }

    @Test
    void reachableServer_hasARoundTripAndNoWarnings() {
        StoreHealth health = locks.health();

        assertThat(health.reachable()).isTrue();
        assertThat(health.roundTrip()).isBetween(Duration.ofNanos(1), Duration.ofSeconds(2));
        assertThat(health.warnings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "allkeys-lru",
                "allkeys-lfu",
                "allkeys-random",
                "volatile-lru",
                "volatile-lfu",
                "volatile-random",
                "volatile-ttl"
            })
    @Faults(33)
    void evictionPolicy_thatMayTakeALock_isWarnedAboutWithTheRemedy(String policy) {
        redis.command("CONFIG", "SET", "maxmemory", "100mb");
        redis.command("CONFIG", "SET", "maxmemory-policy", policy);

        StoreHealth health = locks.health();

        assertThat(health.reachable()).isTrue();
        assertThat(health.warnings())
                .containsExactly("maxmemory-policy is " + policy
                        + ": when memory runs out the server may evict a lock that is held, and two may hold it at"
                        + " once; set maxmemory-policy noeviction");
    }

    @Test
    @Faults(33)
    void limitWithoutEviction_isNoReasonForAWarning() {
        redis.command("CONFIG", "SET", "maxmemory", "100mb");

        assertThat(locks.health().warnings()).isEmpty();
    }

    @Test
    @Faults(33)
    void policyWithoutLimit_isNoReasonForAWarning() {
        redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");

        assertThat(locks.health().warnings()).isEmpty();
    }

    @Test
    @Faults(50)
    void serverThatIsNotThere_isNotReachable_andTheReasonIsTold() {
        try (Holdfast none = Holdfast.connect("redis://:sesame@127.0.0.1:1")) {
            StoreHealth health = none.health();

            assertThat(health.reachable()).isFalse();
            assertThat(health.roundTrip()).isZero();
            assertThat(health.warnings())
                    .singleElement()
                    .asString()
                    .startsWith("cannot reach redis://127.0.0.1:1: ")
                    .doesNotContain("sesame");
        }
    }

    @Test
    @Faults(37)
    void serverThatSleeps_isNotReachable_andTheAnswerComesInTime() {
        try (RedisServer sleeper = RedisServer.start();
                Holdfast client = Holdfast.builder()
                        .uri(sleeper.uri())
                        .commandTimeout(Duration.ofMillis(300))
                        .build()) {
            assertThat(client.health().reachable()).isTrue();
            sleeper.pause();
            long start = System.nanoTime();
            StoreHealth health = client.health();
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            sleeper.resume();

            assertThat(health.reachable()).isFalse();
            assertThat(health.warnings()).singleElement().asString().contains("did not answer within 300 ms");
            assertThat(took).isLessThan(Duration.ofSeconds(2));
        }
    }
}
