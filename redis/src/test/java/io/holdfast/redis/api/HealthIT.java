package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.StoreHealth;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HealthIT {
    private final RedisServer redis = SharedRedis.empty();
    private final Holdfast locks = Holdfast.connect(redis.uri());

    @BeforeEach
    void nothingIsWrong() {
        redis.command("CONFIG", "SET", "appendonly", "yes");
    }

    @AfterEach
    void close() {
        redis.command("CONFIG", "SET", "appendonly", "no");
        redis.command("CONFIG", "SET", "appendfsync", "always");
        redis.command("CONFIG", "SET", "maxmemory", "0");
        redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
        locks.close();
    }

    /** On every Jedis. */
    @Test
    @Tag("jedis-compat")
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
    void noFileOfWhatIsWritten_isWarnedAbout() {
        redis.command("CONFIG", "SET", "appendonly", "no");

        assertThat(locks.health().warnings())
                .containsExactly("appendonly is no: a restart of the server forgets the locks that are held, and others"
                        + " may take them before their holders notice; set appendonly yes and appendfsync always, or"
                        + " check the token where you write");
    }

    @ParameterizedTest
    @CsvSource({"everysec, up to the last second", "no, the last half minute or more"})
    void fileThatIsBehind_isWarnedAboutWithHowMuch(String policy, String howMuch) {
        redis.command("CONFIG", "SET", "appendfsync", policy);

        assertThat(locks.health().warnings())
                .singleElement()
                .asString()
                .startsWith("appendfsync is " + policy + ": ")
                .contains("the locks of " + howMuch + " are forgotten");
    }

    @Test
    void replicas_areLookedAt_andSoIsOneThatIsTakenForAMaster() {
        try (RedisServer replica = RedisServer.builder()
                        .persistent()
                        .config("replicaof", "127.0.0.1 " + redis.port())
                        .start();
                Holdfast misled = Holdfast.connect(replica.uri())) {
            until(() -> "online".equals(state(redis)));
            assertThat(locks.health().warnings())
                    .singleElement()
                    .asString()
                    .startsWith("min-replicas-to-write is 0: ")
                    .contains("minReplicas");
            assertThat(misled.health().warnings()).singleElement().asString().startsWith("the server is a replica: ");

            redis.command("CONFIG", "SET", "min-replicas-to-write", "1");
            assertThat(locks.health().warnings()).isEmpty();

            replica.pause();
            String late = "the replica 127.0.0.1:" + replica.port() + " was last heard of ";
            until(() -> locks.health().warnings().stream().anyMatch(warning -> warning.startsWith(late)));
            replica.resume();
        } finally {
            redis.command("CONFIG", "SET", "min-replicas-to-write", "0");
        }
        until(() -> "0".equals(redis.info("replication").get("connected_slaves")));
    }

    private static String state(RedisServer master) {
        return master.info("replication").getOrDefault("slave0", "").replaceFirst(".*state=([a-z_]+).*", "$1");
    }

    @Test
    void roundTripThatIsLongAgainstTheLease_isWarnedAbout() {
        try (TcpProxy proxy = TcpProxy.to(redis.port());
                Holdfast far = Holdfast.builder()
                        .uri("redis://127.0.0.1:" + proxy.port())
                        .options(LockOptions.builder()
                                .lease(Duration.ofSeconds(1))
                                .build())
                        .build()) {
            proxy.delayReplies(Duration.ofMillis(80));

            assertThat(far.health().warnings())
                    .singleElement()
                    .asString()
                    .matches(
                            "a round trip to the store takes [0-9]+ ms, more than a twentieth of the lease of 1000 ms: .*");
        }
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
            until(() -> client.health().reachable());
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
