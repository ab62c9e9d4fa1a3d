package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StaleTokenException;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.RedisFencingGate;
import io.holdfast.redis.RedisStore;
import io.holdfast.redis.link.Script;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.providers.ClusterConnectionProvider;

/** The application's own client of a cluster. */
class HandedInClusterIT {
    private static RedisCluster cluster;

    private final List<JedisCluster> clients = new ArrayList<>();

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void closeClients() {
        clients.forEach(JedisCluster::close);
        cluster.masters().forEach(RedisServer::flushAll);
    }

    private JedisCluster jedis(int size, RedisProtocol protocol) {
        GenericObjectPoolConfig<Connection> limits = new GenericObjectPoolConfig<>();
        limits.setMaxTotal(size);
        limits.setJmxEnabled(false);
        Set<HostAndPort> first =
                Set.of(new HostAndPort("127.0.0.1", cluster.nodes().get(0).port()));
        DefaultJedisClientConfig config =
                DefaultJedisClientConfig.builder().protocol(protocol).build();
        // Of the constructors one that Jedis 6, 7 and 8 have.
        JedisCluster jedis =
                new JedisCluster(new ClusterConnectionProvider(first, config, limits), 5, Duration.ofSeconds(2));
        clients.add(jedis);
        return jedis;
    }

    private static Holdfast locks(JedisCluster jedis) {
        return Holdfast.builder().store(RedisStore.on(jedis)).build();
    }

    private static RedisServer home(String name) {
        return cluster.masterOf(cluster.slot("distributed_lock:" + name));
    }

    /** A name of each master that has slots. */
    private static List<String> names() {
        Map<RedisServer, String> names = new LinkedHashMap<>();
        for (int i = 0; names.size() < 3; i++) {
            names.putIfAbsent(home("name-" + i), "name-" + i);
        }
        return List.copyOf(names.values());
    }

    private static int borrowed(JedisCluster jedis) {
        return jedis.getClusterNodes().values().stream()
                .mapToInt(pool -> pool.getNumActive())
                .sum();
    }

    /** On every Jedis. */
    @ParameterizedTest
    @EnumSource(RedisProtocol.class)
    @Tag("jedis-compat")
    void locksOfAllNodes_areTakenRenewedWaitedForAndGivenBack(RedisProtocol protocol) throws Exception {
        JedisCluster jedis = jedis(8, protocol);
        try (Holdfast locks = locks(jedis);
                Holdfast others = Holdfast.connect(cluster.uri())) {
            assertThat(locks.store()).isEqualTo("redis-cluster (the application's client)");
            // Connects to all of them.
            assertThat(locks.health().reachable()).isTrue();
            for (String name : names()) {
                DistributedLock lock = locks.lock(name, o -> o.lease(Duration.ofSeconds(3)));
                Lease lease = lock.acquire(Duration.ZERO);
                assertThat(others.lock(name).tryLock()).as("it is ours").isFalse();
                home(name).command("CONFIG", "RESETSTAT");
                until(() -> home(name).commandStats().getOrDefault("pexpire", 0L) >= 1);
                assertThat(lease.release()).isTrue();

                // The other way round, and told by the inbox: without it, it would look again after two seconds.
                // A machine that stands still for a while is given three tries.
                Duration best = handOver(name, others, locks);
                for (int i = 1; i < 3 && best.compareTo(Duration.ofSeconds(1)) >= 0; i++) {
                    best = handOver(name, others, locks);
                }
                assertThat(best).isLessThan(Duration.ofSeconds(1));
            }
            assertThat(locks.inspect("*")).isEmpty();
        }
        until(() -> borrowed(jedis) == 0);
        assertThat(jedis.set("still", "open")).isEqualTo("OK");
    }

    private static Duration handOver(String name, Holdfast holder, Holdfast waiter) throws Exception {
        Lease theirs = holder.lock(name).acquire(Duration.ZERO);
        Future<Long> waiting = Crowd.start(() -> {
            Lease mine = waiter.lock(name).acquire(Duration.ofSeconds(30));
            long now = System.nanoTime();
            mine.release();
            return now;
        });
        until(() -> waits(name));
        long released = System.nanoTime();
        assertThat(theirs.release()).isTrue();
        return Duration.ofNanos(Crowd.get(waiting) - released);
    }

    private static boolean waits(String name) {
        String queue = "distributed_lock:~queue:{distributed_lock:" + name + "}";
        return Long.valueOf(1).equals(home(name).command("ZCARD", queue))
                && cluster.nodes().stream().mapToLong(HandOver::inboxes).sum() >= 1;
    }

    /** A node that came to the cluster after the client: the client is made to find it. */
    @Test
    @Faults(36)
    void slotThatMovesToANodeThatTheClientDoesNotKnow_isFollowed() throws Exception {
        JedisCluster jedis = jedis(8, RedisProtocol.RESP2);
        try (Holdfast locks = locks(jedis)) {
            Lease lease = locks.lock("moved").acquire(Duration.ZERO);
            RedisServer added = cluster.addMaster();
            cluster.move(cluster.slot("distributed_lock:moved"), added);
            assertThat(jedis.getClusterNodes()).doesNotContainKey("127.0.0.1:" + added.port());

            assertThat(lease.release()).isTrue();
            assertThat(locks.lock("moved").tryLock(5, SECONDS)).isTrue();

            assertThat(jedis.getClusterNodes()).containsKey("127.0.0.1:" + added.port());
            assertThat(added.command("EXISTS", "distributed_lock:moved")).isEqualTo(1L);
            assertThat(locks.lock("moved").unlock()).isTrue();
        }
    }

    @Test
    void severalLocks_areTakenTogether() throws Exception {
        try (Holdfast locks = locks(jedis(8, RedisProtocol.RESP2));
                Holdfast others = Holdfast.connect(cluster.uri())) {
            List<DistributedLock> all =
                    names().stream().map(locks::lock).collect(Collectors.toCollection(ArrayList::new));
            all.add(locks.lock("{name-0}:a"));
            all.add(locks.lock("{name-0}:b"));
            try (Lease lease = locks.allOf(all).acquire(Duration.ofSeconds(5))) {
                assertThat(lease.isValid()).isTrue();
                for (DistributedLock each : all) {
                    assertThat(others.lock(each.getLockName()).tryLock()).isFalse();
                }
            }
            assertThat(locks.inspect("*")).isEmpty();
        }
    }

    @Test
    void minReplicas_areWaitedFor() throws Exception {
        try (Holdfast locks = locks(jedis(8, RedisProtocol.RESP2))) {
            try (Lease lease = locks.lock("a", o -> o.minReplicas(1)).acquire(Duration.ofSeconds(5))) {
                assertThat(lease.isValid()).isTrue();
                assertThat(home("a").commandStats()).containsKey("wait");
            }
        }
    }

    /** Gates remember where they did on one server, and for a key without a tag beside the key as well. */
    @Test
    @Faults({1, 3})
    void fencingGate_checksAndWritesInOneStep_whateverTheSlotOfTheKey() {
        JedisCluster jedis = jedis(8, RedisProtocol.RESP2);
        RedisFencingGate gate = RedisFencingGate.on(jedis, "distributed_lock:");
        for (String key : List.of("invoice:42", "{invoice}:43", "a}b{c", "{}x", "ü 7")) {
            gate.write(key, "new", 18);

            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> gate.write(key, "old", 17))
                    .withMessage("resource '" + key + "' refuses token 17: it has already seen 18");
            assertThat(jedis.get(key)).isEqualTo("new");
            gate.admit(key, 20);
            assertThatExceptionOfType(StaleTokenException.class)
                    .as("what was only admitted counts too")
                    .isThrownBy(() -> gate.write(key, "old", 19));
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> gate.admit(key, 19));
            gate.write(key, "newest", 20);
            assertThat(jedis.get(key)).isEqualTo("newest");
            assertThat(jedis.get("distributed_lock:~gate:" + key))
                    .as("at its old place")
                    .isEqualTo("20");
        }
    }

    /** What it does in its second step, after it was admitted in the first. */
    @Test
    @Faults({1, 3})
    void fencingGate_thatAdmits_alsoStopsAWriteThatHasPassedTheFirstGate() {
        JedisCluster jedis = jedis(8, RedisProtocol.RESP2);
        RedisFencingGate gate = RedisFencingGate.on(jedis, "distributed_lock:");
        gate.write("invoice:42", "first", 4);

        gate.admit("invoice:42", 6);

        String beside = cluster.masterOf(cluster.slot("invoice:42")).keys().stream()
                .filter(key -> key.matches("distributed_lock:~gate:\\{\\d+}:invoice:42"))
                .findFirst()
                .orElseThrow();
        Object newest = jedis.eval(
                new String(Script.GATE.text(), UTF_8),
                List.of(beside, "invoice:42"),
                List.of("5", "60000", "by one who slept"));
        assertThat(newest).as("who is ahead of it").isEqualTo("6");
        assertThat(jedis.get("invoice:42")).isEqualTo("first");
    }

    /** What a gate had seen before it remembered beside the key, or on the one server that the data came from. */
    @Test
    @Faults(1)
    void fencingGate_doesNotForgetWhatItSawAtItsOldPlace() {
        JedisCluster jedis = jedis(8, RedisProtocol.RESP2);
        RedisFencingGate gate = RedisFencingGate.on(jedis, "distributed_lock:");
        jedis.set("distributed_lock:~gate:invoice:42", "30");

        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> gate.write("invoice:42", "old", 29));
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> gate.admit("invoice:42", 29));
        assertThat(jedis.exists("invoice:42")).isFalse();
        gate.write("invoice:42", "new", 30);
        assertThat(jedis.get("invoice:42")).isEqualTo("new");
    }

    @Test
    void fencingGate_whosePrefixIsInAnotherSlotForGood_isRefusedWithTheReason() {
        JedisCluster jedis = jedis(8, RedisProtocol.RESP2);
        RedisFencingGate gate = RedisFencingGate.on(jedis, "{locks}:");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> gate.write("invoice:42", "new", 1))
                .withMessage(
                        "key 'invoice:42' and its gate cannot be in one slot, since the key prefix '{locks}:' has a"
                                + " tag of its own; write {locks} into the key, or give the gate a prefix without braces");
        gate.write("{locks}:invoice:42", "new", 1);
        assertThat(jedis.get("{locks}:invoice:42")).isEqualTo("new");
        gate.admit("invoice:42", 1);
    }

    @Test
    @Tag("jedis-compat")
    @Faults({3, 36})
    void fencingGate_whileItsSlotMoves_writesOrSaysThatNothingWasWritten() {
        JedisCluster jedis = jedis(8, RedisProtocol.RESP2);
        RedisFencingGate gate = RedisFencingGate.on(jedis, "distributed_lock:");
        int slot = cluster.slot("data");
        RedisServer from = cluster.masterOf(slot);
        RedisServer to = cluster.masters().stream()
                .filter(master -> master != from)
                .findFirst()
                .orElseThrow();
        gate.write("data", "1", 1);

        RedisCluster.SlotMove move = cluster.beginMove(slot, to);
        gate.write("data", "2", 2);
        assertThat(jedis.get("data")).as("where it was").isEqualTo("2");
        move.moveKey("data");
        assertThatExceptionOfType(JedisDataException.class)
                .isThrownBy(() -> gate.write("data", "3", 3))
                .withMessageStartingWith("'data' was not written, since its slot is being moved to another node")
                .withMessageContaining("TRYAGAIN");
        assertThat(jedis.get("data")).isEqualTo("2");
        move.moveKeys();
        gate.write("data", "4", 4);
        assertThat(jedis.get("data")).as("where it goes").isEqualTo("4");
        move.finish();
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> gate.write("data", "5", 3));
        gate.write("data", "6", 6);
        assertThat(to.command("GET", "data")).isEqualTo("6");
    }

    /** In a class of its own, since Jedis 6 does not have it. */
    private static final class OfJedis7 {
        static UnifiedJedis client(Set<HostAndPort> first) {
            return RedisClusterClient.create(first);
        }
    }

    private static boolean isThere(String type) {
        try {
            Class.forName(type);
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    @Test
    void newerKindOfClient_isKnownToBeOneOfACluster() throws Exception {
        assumeTrue(isThere("redis.clients.jedis.RedisClusterClient"), "Jedis 6 has no RedisClusterClient yet");
        Set<HostAndPort> first =
                Set.of(new HostAndPort("127.0.0.1", cluster.nodes().get(0).port()));
        try (UnifiedJedis jedis = OfJedis7.client(first);
                Holdfast others = Holdfast.builder()
                        .uri(cluster.uri())
                        .commandTimeout(Duration.ofSeconds(10))
                        .build()) {
            try (Holdfast locks = Holdfast.builder()
                    .store(RedisStore.on(jedis))
                    .commandTimeout(Duration.ofSeconds(10))
                    .build()) {
                assertThat(locks.store()).isEqualTo("redis-cluster (the application's client)");
                for (String name : names()) {
                    Lease theirs = others.lock(name).acquire(Duration.ZERO);
                    assertThat(locks.lock(name).tryLock()).as("it is theirs").isFalse();
                    Future<Boolean> waiter = Crowd.start(() ->
                            locks.lock(name).acquire(Duration.ofSeconds(10)).release());
                    until(() -> waits(name));
                    assertThat(theirs.release()).isTrue();
                    assertThat(Crowd.get(waiter)).isTrue();
                }
            }
            assertThat(jedis.set("still", "open")).isEqualTo("OK");
        }
    }

    @Test
    void poolsSmallerThanFour_areRefused() {
        JedisCluster jedis = jedis(3, RedisProtocol.RESP2);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisStore.on(jedis))
                .withMessageContaining("the pool has 3 connections, fewer than 4");
    }

    @Test
    void poolsOfFour_withMinReplicas_areRefused() {
        try (Holdfast locks = locks(jedis(4, RedisProtocol.RESP2))) {
            assertThatExceptionOfType(StoreRefusedException.class)
                    .isThrownBy(() -> locks.lock("a", o -> o.minReplicas(1)).tryLock())
                    .withMessageContaining("has 4 connections, fewer than 5");
        }
    }

    @Test
    @Faults(22)
    void clientClosedByTheApplication_isATypedError() {
        JedisCluster jedis = jedis(8, RedisProtocol.RESP2);
        try (Holdfast locks = locks(jedis)) {
            assertThat(locks.lock("a").tryLock()).isTrue();
            assertThat(locks.lock("a").unlock()).isTrue();
            jedis.close();
            // What is borrowed already goes on; nothing more is to be had, and the client is not woken up again.
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> {
                        for (String name : names()) {
                            locks.lock(name).tryLock();
                        }
                    })
                    .withMessageContaining("the application's client is closed");
            assertThat(jedis.getClusterNodes()).isEmpty();
        }
    }
}
