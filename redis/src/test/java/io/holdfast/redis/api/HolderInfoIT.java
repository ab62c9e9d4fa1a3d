package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.FiveServers;
import io.holdfast.redis.RedisStore;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.Origin;
import io.holdfast.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.UnifiedJedis;

/** Where holders and waiters run: one key for each client, which nothing depends on. */
class HolderInfoIT {
    private static final String PREFIX = "distributed_lock:~client:";

    private final RedisServer redis = SharedRedis.empty();

    private Holdfast.Builder client() {
        return Holdfast.builder().uri(redis.uri()).application("shop");
    }

    private List<String> cards() {
        return cards(redis);
    }

    private static List<String> cards(RedisServer server) {
        return server.keys().stream().filter(key -> key.startsWith(PREFIX)).toList();
    }

    private static Optional<Origin> origin(Holdfast locks, String name) {
        List<LockInfo> found = locks.inspect(name);
        assertThat(found).hasSize(1);
        return found.get(0).holders().get(0).origin();
    }

    @Test
    void client_hasOneKeyThatExpires_fromItsFirstLockToItsEnd() throws Exception {
        try (Holdfast locks = client().build()) {
            assertThat(locks.inspect("*")).isEmpty();
            assertThat(cards()).as("who only looks says nothing").isEmpty();

            locks.lock("a").acquire(Duration.ZERO);
            locks.lock("b").acquire(Duration.ZERO);
            locks.allOf(locks.lock("c"), locks.lock("d")).acquire(Duration.ZERO);

            assertThat(cards()).hasSize(1);
            assertThat(redis.command("GET", cards().get(0)))
                    .isInstanceOf(String.class)
                    .asString()
                    .matches("hf1 " + ProcessHandle.current().pid() + " \\S+ shop");
            assertThat((Long) redis.command("PTTL", cards().get(0))).isBetween(1L, 300_000L);
            assertThat(origin(locks, "d").map(Origin::application)).hasValue("shop");
        }
        assertThat(redis.keys()).containsExactly("distributed_lock:~fence");
    }

    @Test
    void firstOfManyThreads_andSeveralLocksAtOnce_areEnoughToSayIt() throws Exception {
        try (Holdfast locks = client().build()) {
            Crowd.all(8, () -> locks.lock("a").acquire(Duration.ofSeconds(20)).release());
            assertThat(cards()).hasSize(1);
        }
        try (Holdfast locks = client().build();
                Lease both = locks.allOf(locks.lock("c"), locks.lock("d")).acquire(Duration.ZERO)) {
            assertThat(cards()).as("also if the first are several").hasSize(1);
            assertThat(both.isValid()).isTrue();
        }
        assertThat(cards()).isEmpty();
    }

    @Test
    void switchedOff_writesNoKey_andTellsOfOthers() throws Exception {
        try (Holdfast silent = client().holderInfo(false).build();
                Holdfast other = client().build();
                Lease one = silent.lock("a").acquire(Duration.ZERO)) {
            assertThat(cards()).isEmpty();
            assertThat(origin(silent, "a")).isEmpty();
            try (Lease two = other.lock("b").acquire(Duration.ZERO)) {
                assertThat(origin(silent, "b")).isPresent();
                assertThat(one.isValid() && two.isValid()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "hf1", "nonsense", "hf2 1 host app", "hf1 1 host a\nb"})
    void anyText_isUnknown(String text) throws Exception {
        try (Holdfast locks = client().build();
                Lease lease = locks.lock("a").acquire(Duration.ZERO)) {
            redis.command("SET", cards().get(0), text);

            assertThat(origin(locks, "a")).isEmpty();
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void anotherKindOfValue_isUnknown_andGoesWithTheClient() throws Exception {
        try (Holdfast locks = client().build();
                Lease lease = locks.lock("a").acquire(Duration.ZERO)) {
            String card = cards().get(0);
            redis.command("DEL", card);
            redis.command("RPUSH", card, "x");

            assertThat(origin(locks, "a")).isEmpty();
            assertThat(lease.isValid()).isTrue();
        }
        assertThat(cards()).isEmpty();
    }

    /** A user whose rights end at the locks themselves. */
    @Test
    void serverThatRefusesIt_costsNoLock() throws Exception {
        redis.command(
                "ACL",
                "SETUSER",
                "narrow",
                "reset",
                "on",
                ">sesame",
                "+@all",
                "allchannels",
                "~distributed_lock:a",
                "~distributed_lock:~queue*",
                "~distributed_lock:~tickets*",
                "~distributed_lock:~fence");
        try (Holdfast locks = client().uri("redis://narrow:sesame@127.0.0.1:" + redis.port())
                        .build();
                Lease lease = locks.lock("a").acquire(Duration.ZERO)) {
            assertThat(cards()).isEmpty();
            assertThat(origin(locks, "a")).isEmpty();
            assertThat(lease.release()).isTrue();
        } finally {
            redis.command("ACL", "DELUSER", "narrow");
        }
    }

    @Test
    void serverThatForgetsIt_isToldAgain() throws Exception {
        ManualClock clock = new ManualClock();
        try (Holdfast locks = client().platform(clock.platform()).build()) {
            locks.lock("a").acquire(Duration.ZERO).close();
            assertThat(cards()).hasSize(1);
            redis.flushAll();
            locks.lock("a").acquire(Duration.ZERO).close();
            assertThat(cards()).as("not by every lock").isEmpty();

            clock.advance(Duration.ofSeconds(101));
            until(() -> cards().size() == 1);
            redis.flushAll();
            clock.advance(Duration.ofSeconds(101));
            until(() -> cards().size() == 1);
        }
        assertThat(cards()).isEmpty();
    }

    @Test
    void serverThatWasNotThereAtFirst_isToldWhenItIs() throws Exception {
        try (TcpProxy network = TcpProxy.to(redis.port());
                Holdfast locks =
                        client().uri("redis://127.0.0.1:" + network.port()).build()) {
            network.cut();
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> locks.lock("a").tryLock());
            network.restore();

            locks.lock("a").acquire(Duration.ofSeconds(10)).close();

            assertThat(cards()).hasSize(1);
        }
        assertThat(cards()).isEmpty();
    }

    @Test
    void client_onTheApplicationsPool_andOnItsOwnClient_saysItToo() throws Exception {
        try (JedisPool pool = new JedisPool("127.0.0.1", redis.port());
                Holdfast locks = client().store(RedisStore.on(pool)).build()) {
            locks.lock("a").acquire(Duration.ZERO);
            assertThat(origin(locks, "a").map(Origin::application)).hasValue("shop");
        }
        try (UnifiedJedis jedis = new UnifiedJedis(new HostAndPort("127.0.0.1", redis.port()));
                Holdfast locks = client().store(RedisStore.on(jedis)).build()) {
            locks.lock("a").acquire(Duration.ZERO);
            assertThat(origin(locks, "a").map(Origin::application)).hasValue("shop");
        }
        assertThat(redis.keys()).containsExactly("distributed_lock:~fence");
    }

    @Test
    void otherPrefix_hasItsOwnKey() throws Exception {
        try (Holdfast locks = client().keyPrefix("app:").build();
                Lease lease = locks.lock("a").acquire(Duration.ZERO)) {
            assertThat(redis.keys())
                    .filteredOn(key -> key.startsWith("app:~client:"))
                    .hasSize(1);
            assertThat(origin(locks, "a")).isPresent();
            assertThat(lease.isValid()).isTrue();
        }
        assertThat(redis.keys()).containsExactly("app:~fence");
    }

    /** Any one of the servers is enough, and all of them forget it in the end. */
    @Test
    void quorum_isToldEverywhere_andOneServerThatKnowsIsEnough() throws Exception {
        try (FiveServers five = new FiveServers()) {
            five.vouched(Duration.ofHours(1));
            try (Holdfast locks = client().uri(five.uri("?nodeTimeout=400ms")).build();
                    Lease lease = locks.lock("a").acquire(Duration.ofSeconds(10))) {
                until(() ->
                        five.servers().stream().allMatch(server -> cards(server).size() == 1));
                five.servers()
                        .subList(0, 4)
                        .forEach(server -> cards(server).forEach(card -> server.command("DEL", card)));

                assertThat(origin(locks, "a").map(Origin::application)).hasValue("shop");

                cards(five.server(4)).forEach(card -> five.server(4).command("DEL", card));
                assertThat(origin(locks, "a")).as("nobody knows it").isEmpty();
                assertThat(lease.isValid()).isTrue();
            }
            try (Holdfast locks = client().uri(five.uri("?nodeTimeout=400ms")).build()) {
                locks.lock("b").acquire(Duration.ofSeconds(10)).close();
                until(() ->
                        five.servers().stream().allMatch(server -> cards(server).size() == 1));
            }
            until(() -> five.servers().stream().allMatch(server -> cards(server).isEmpty()));
        }
    }
}
