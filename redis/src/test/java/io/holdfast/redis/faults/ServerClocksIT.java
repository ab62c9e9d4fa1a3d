package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.FencingGate;
import io.holdfast.Lease;
import io.holdfast.Loss;
import io.holdfast.StaleTokenException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.FiveServers;
import io.holdfast.servers.RedisSentinels;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers whose clocks are set while they run: of a quorum, of a single one, and of a master and its replica. */
class ServerClocksIT {
    private static final Duration MAX_LEASE = ofSeconds(60);
    private final List<AutoCloseable> open = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeEach
    void clocksCanBeSet() {
        String why = RedisServer.whyNoMovableClock();
        if (System.getenv("CI") != null) {
            assertThat(why).as("where it counts, this must not be left out").isEmpty();
        }
        assumeTrue(why.isEmpty(), why);
    }

    @AfterEach
    void end() throws Exception {
        threads.shutdownNow();
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private FiveServers quorum(int count, Duration maxLease) {
        FiveServers servers = FiveServers.withMovableClocks(count);
        open.add(servers);
        servers.vouched(maxLease);
        // Whatever their clocks do to it: this is not about servers that are new.
        servers.servers().forEach(server -> server.command("PERSIST", "distributed_lock:~vouched"));
        return servers;
    }

    private Client client(String uri) {
        Client client = Client.of(uri, builder -> {});
        open.add(client);
        return client;
    }

    private Client client(FiveServers servers) {
        return client(servers.networkUri("?maxLease=60s&nodeTimeout=400ms")).connected();
    }

    /** One that every server has. */
    private static Lease takenOnAll(FiveServers servers, Client client, Duration lease) {
        List<Lease> taken = new ArrayList<>();
        until("all have it", () -> {
            taken.add(client.take("a", lease));
            boolean all = servers.servers().stream().allMatch(ServerClocksIT::hasLock);
            if (!all) {
                taken.remove(0).release();
            }
            return all;
        });
        return taken.get(0);
    }

    private static boolean hasLock(RedisServer server) {
        return Long.valueOf(1).equals(server.command("EXISTS", "distributed_lock:a"));
    }

    // --- a quorum

    /** The keys of two run out at once, and two more clients come for them: they are two, and three are needed. */
    @Test
    @Faults(10)
    void minorityThatJumpsForward_letsNobodyElseIn_andTokensRise() {
        FiveServers five = quorum(5, MAX_LEASE);
        Client one = client(five);
        Client two = client(five);
        Lease first = takenOnAll(five, one, ofSeconds(3));

        five.server(0).setClock(ofHours(1));
        five.server(3).setClock(ofHours(1));

        assertThat(hasLock(five.server(0))).as("the server has lost it").isFalse();
        assertThat(two.lock("a", ofSeconds(3)).tryAcquire()).isEmpty();
        int renewals = one.renewals();
        until("it is renewed by the rest", () -> one.renewals() >= renewals + 2);
        assertThat(two.lock("a", ofSeconds(3)).tryAcquire()).isEmpty();
        assertThat(first.isValid()).isTrue();
        assertThat(one.losses()).isEmpty();
        assertThat(first.release()).isTrue();
        assertRising(five, two, first.token());

        // The clocks are put right again.
        five.server(0).setClock(Duration.ZERO);
        five.server(3).setClock(Duration.ZERO);
        assertRising(five, one, taken(two));
    }

    @Test
    @Faults(11)
    void minorityThatJumpsBack_keepsALockForLong_andKeepsNobodyOut() {
        FiveServers five = quorum(5, MAX_LEASE);
        Client one = client(five);
        Client two = client(five);
        takenOnAll(five, one, ofMillis(600)).release();
        Lease first = one.takeUnrenewed("a", ofMillis(800));

        five.server(1).setClock(ofHours(-1));
        five.server(4).setClock(ofHours(-1));
        Lease second = get(threads.submit(() -> two.lock("a", ofSeconds(3)).acquire(ofSeconds(10))));

        assertThat(first.isValid()).isFalse();
        assertThat(second.token()).isGreaterThan(first.token());
        int renewals = two.renewals();
        until("it is renewed by the rest", () -> two.renewals() >= renewals + 2);
        assertThat(second.release()).isTrue();
        five.server(1).setClock(Duration.ZERO);
        five.server(4).setClock(Duration.ZERO);
        assertRising(five, one, second.token());
    }

    /** More of them than a minority: the lock outlives its lease, and is to be had as soon as the clocks are right again. */
    @Test
    @Tag("slow")
    @Faults(11)
    void majorityThatJumpsBack_keepsOthersOutUntilItIsPutRight() {
        FiveServers three = quorum(3, MAX_LEASE);
        Client one = client(three);
        Client two = client(three);
        takenOnAll(three, one, ofMillis(600)).release();
        Lease first = one.takeUnrenewed("a", ofMillis(500));
        three.server(0).setClock(ofHours(-1));
        three.server(1).setClock(ofHours(-1));
        Future<Lease> waits = threads.submit(() -> two.lock("a", ofSeconds(3)).acquire(ofSeconds(14)));

        until("the lease is over", () -> !first.isValid());
        until("the server with the right clock has let go", () -> !hasLock(three.server(2)));
        assertThat(hasLock(three.server(0))).isTrue();
        assertThat(waits.isDone()).isFalse();
        three.server(0).setClock(Duration.ZERO);
        three.server(1).setClock(Duration.ZERO);

        assertThat(get(waits).token()).isGreaterThan(first.token());
    }

    /**
     * The schedule that breaks the exclusion of every lock of this kind: two are out of reach, the clock of a third jumps, and
     * with the two, which are back, there is another majority. No clock may jump in the timing model; the token tells the two
     * holders apart.
     */
    @Test
    @Faults({3, 10})
    void jumpOfOneThatTheHolderCannotDoWithout_makesTwoHolders_ofWhichTheTokenStopsTheFirst() {
        FiveServers five = quorum(5, MAX_LEASE);
        Client one = client(five);
        Client two = client(five);
        FencingGate gate = FencingGate.inMemory();
        five.network(3).cut();
        five.network(4).cut();
        Lease first = one.takeUnrenewed("a", ofSeconds(40));
        gate.admit("resource", first.token());

        five.server(2).setClock(ofHours(1));
        five.network(3).restore();
        five.network(4).restore();
        Lease second = takenInTheEnd(two);

        assertThat(first.isValid()).as("outside the model there can be two").isTrue();
        assertThat(second.isValid()).isTrue();
        assertThat(second.token()).isGreaterThan(first.token());
        gate.admit("resource", second.token());
        assertThatThrownBy(() -> gate.admit("resource", first.token())).isInstanceOf(StaleTokenException.class);
    }

    /** Its clock makes a server look older than it is, as it does where time is set after the start of a machine. */
    @Test
    @Faults({10, 29})
    void serverThatWasRestarted_andWhoseClockJumps_isNotBelievedByThoseWhoKnewItBefore() {
        FiveServers three = quorum(3, ofSeconds(5));
        String uri = three.networkUri("?maxLease=5s&nodeTimeout=400ms");
        Client knows = client(uri).connected();
        Client holder = client(uri).connected();
        three.network(2).cut();
        Lease first = holder.takeUnrenewed("a", ofSeconds(5));
        three.network(2).restore();

        three.server(1).kill9();
        three.server(1).setClock(ofHours(1));
        three.server(1).restart();

        assertThat(Long.parseLong(three.server(1).info("server").getOrDefault("uptime_in_seconds", "0")))
                .as("it is taken in by its own clock only if that jumps while it runs")
                .isLessThan(5);
        three.server(1).setClock(ofHours(2));
        until(
                "it looks old",
                () -> Long.parseLong(three.server(1).info("server").getOrDefault("uptime_in_seconds", "0")) > 3_000);
        int refused = 0;
        Optional<Lease> second = Optional.empty();
        while (second.isEmpty()) {
            try {
                second = knows.lock("a", ofSeconds(5)).tryAcquire();
            } catch (StoreUnavailableException e) {
                // One server has the lock, one is not asked for it yet; the third may be out of reach for a moment.
            }
            assertThat(second.isPresent() && first.isValid()).as("two hold it").isFalse();
            refused += second.isPresent() ? 0 : 1;
        }
        assertThat(refused).as("while the first held it").isPositive();
        assertThat(second.get().token()).isGreaterThan(first.token());
    }

    /** It says that it has been up for less than no time; who has known it for longer knows better. */
    @Test
    @Faults(11)
    void serverWhoseClockIsSetBackBeforeItsStart_countsForThoseWhoKnewItBefore_andLaterForOthers() {
        FiveServers three = quorum(3, ofMillis(300));
        String uri = three.networkUri("?maxLease=300ms&nodeTimeout=200ms");
        Client knows = client(uri);
        until("it has known all of them for longer than a lease", () -> {
            try {
                return knows.lock("a", ofMillis(300))
                                .tryAcquire()
                                .map(Lease::release)
                                .orElse(false)
                        && Long.parseLong(three.server(2).info("server").getOrDefault("uptime_in_seconds", "0")) >= 3;
            } catch (StoreUnavailableException e) {
                return false;
            }
        });
        three.servers().forEach(server -> server.setClock(ofHours(-1)));
        three.servers().forEach(server -> server.command("DEL", "distributed_lock:~vouched"));
        three.servers().forEach(RedisServer::killClients);

        until("it is to be had", () -> {
            try {
                return knows.lock("a", ofMillis(300))
                        .tryAcquire()
                        .map(Lease::release)
                        .orElse(false);
            } catch (StoreUnavailableException e) {
                return false;
            }
        });
        Client newcomer = client(uri);
        assertThatThrownBy(() -> newcomer.lock("a", ofMillis(300)).tryLock())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("has been up for less than maxLease")
                .hasMessageContaining("it counts in 1 s");
        until("it has known them for long enough", () -> {
            try {
                return newcomer.lock("a", ofMillis(300)).tryAcquire().isPresent();
            } catch (StoreUnavailableException e) {
                return false;
            }
        });
    }

    private static long taken(Client client) {
        Lease lease = takenInTheEnd(client);
        assertThat(lease.release()).isTrue();
        return lease.token();
    }

    /** Whoever has it, and whichever servers have lost their counters: one at a time, and on changing majorities. */
    private static void assertRising(FiveServers servers, Client client, long least) {
        long before = least;
        for (int i = 0; i < 6; i++) {
            int count = servers.servers().size();
            servers.network(i % count).cut();
            Lease lease = takenInTheEnd(client);
            assertThat(lease.token()).isGreaterThan(before);
            before = lease.token();
            assertThat(lease.release()).isTrue();
            servers.network(i % count).restore();
        }
    }

    private static Lease takenInTheEnd(Client client) {
        List<Lease> taken = new ArrayList<>();
        until("it is to be had", () -> {
            try {
                client.lock("a", ofSeconds(20)).tryAcquire().ifPresent(taken::add);
            } catch (StoreUnavailableException e) {
                // A connection that was cut has to be made anew.
            }
            return !taken.isEmpty();
        });
        return taken.get(0);
    }

    // --- a single server

    @Test
    @Faults({3, 10})
    void singleServerThatJumpsForward_makesTwoHolders_ofWhichTheTokenStopsTheFirst() {
        RedisServer redis = single();
        Client one = client(redis.uri());
        Client two = client(redis.uri());
        FencingGate gate = FencingGate.inMemory();
        Lease first = one.takeUnrenewed("a", ofSeconds(40));
        gate.admit("resource", first.token());

        redis.setClock(ofHours(1));
        Lease second = two.take("a", ofSeconds(40));

        assertThat(first.isValid()).as("outside the model there can be two").isTrue();
        assertThat(second.token()).isGreaterThan(first.token());
        gate.admit("resource", second.token());
        assertThatThrownBy(() -> gate.admit("resource", first.token())).isInstanceOf(StaleTokenException.class);
        assertThat(second.release()).isTrue();
        redis.setClock(Duration.ZERO);
        assertThat(two.take("a", ofSeconds(40)).token()).isGreaterThan(second.token());
    }

    @Test
    @Faults(11)
    void singleServerThatJumpsBack_keepsTheLockUntilItIsPutRight_andThoseWhoWaitGoOn() {
        RedisServer redis = single();
        Client one = client(redis.uri());
        Client two = client(redis.uri());
        Lease first = one.takeUnrenewed("a", ofMillis(600));
        Future<Lease> waits = threads.submit(() -> two.lock("a", ofSeconds(5)).acquire(ofSeconds(14)));
        until("it waits", () -> redis.keys().stream().anyMatch(key -> key.contains("~queue")));

        redis.setClock(ofHours(-1));
        until("the lease is over", () -> !first.isValid());
        assertThat(hasLock(redis)).as("it outlives its lease").isTrue();
        redis.setClock(Duration.ZERO);

        assertThat(get(waits).token()).isGreaterThan(first.token());
        assertThat(one.losses()).extracting(Loss::cause).containsExactly(Loss.Cause.EXPIRED);
    }

    private RedisServer single() {
        RedisServer redis = RedisServer.builder()
                .version(RedisServer.Version.V6_2)
                .movableClock()
                .start();
        open.add(redis);
        return redis;
    }

    // --- a master and its replica

    @ParameterizedTest
    @ValueSource(longs = {1, -1})
    @Tag("slow")
    @Faults(12)
    void failoverToAReplicaWhoseClockDiffers_keepsTokensRising(long hours) {
        RedisSentinels sentinels = RedisSentinels.startWithMovableClocks();
        open.add(sentinels);
        Client client = client(sentinels.uri());
        Client other = client(sentinels.uri());
        FencingGate gate = FencingGate.inMemory();
        Lease first = client.takeUnrenewed("a", ofSeconds(50));
        gate.admit("resource", first.token());
        RedisServer before = sentinels.master();
        until("the replicas have it", () -> Long.valueOf(2).equals(before.command("WAIT", "2", "1000")));
        List<RedisServer> replicas = sentinels.servers().stream()
                .filter(server -> server.port() != before.port())
                .toList();
        replicas.forEach(server -> server.setClock(ofHours(hours)));
        // To them it looks as if they had not heard of their master for an hour; no Sentinel promotes such a one.
        until("the replicas have got over it", () -> replicas.stream().allMatch(ServerClocksIT::isLinked));

        before.kill9();
        RedisServer after = sentinels.awaitFailoverFrom(before);

        if (hours > 0) {
            Lease second = takenInTheEnd(other);
            assertThat(first.isValid()).as("outside the model there can be two").isTrue();
            assertThat(second.token()).isGreaterThan(first.token());
            gate.admit("resource", second.token());
            assertThatThrownBy(() -> gate.admit("resource", first.token())).isInstanceOf(StaleTokenException.class);
        } else {
            assertThat(hasLock(after)).isTrue();
            assertThat(first.release()).as("it is still the holder").isTrue();
            assertThat(takenInTheEnd(other).token()).isGreaterThan(first.token());
        }
    }

    private static boolean isLinked(RedisServer replica) {
        Map<String, String> link = replica.info("replication");
        return "up".equals(link.get("master_link_status"))
                && Integer.parseInt(link.getOrDefault("master_last_io_seconds_ago", "-1")) >= 0
                && Integer.parseInt(link.getOrDefault("master_last_io_seconds_ago", "-1")) < 10;
    }
}
