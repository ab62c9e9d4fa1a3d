package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Hold;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.FiveServers;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * One of several masters stands still, and is not given up by the others: what it has can be neither taken nor given back, and
 * nobody who is on another notices. All that a client does for its callers is done meanwhile, and the time that it takes is
 * compared with the command time-out, which whoever stands behind the master that is still would have to wait for.
 */
class PausedMasterIT {
    private static final Duration TIMEOUT = ofSeconds(20);
    /** Many times what it takes, and little of the time-out, for the slowest of all and for most of them. */
    private static final Duration LIMIT = ofSeconds(5);

    private static final Duration MOSTLY = ofMillis(400);

    private static final int ROUNDS = 25;

    private static RedisCluster cluster;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final Map<String, List<Duration>> took = new LinkedHashMap<>();
    private final Lag lag = new Lag();

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
        // A master is given up after this time, by its replica and by all others.
        cluster.nodes().forEach(node -> node.command("CONFIG", "SET", "cluster-node-timeout", "120000"));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void close() throws Exception {
        cluster.nodes().forEach(RedisServer::resume);
        Collections.reverse(open);
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private Client client(String uri, Duration timeout) {
        Client client =
                Client.of(uri, builder -> builder.commandTimeout(timeout).listener(lag));
        open.add(client);
        return client.connected();
    }

    private <T> T timed(String what, Supplier<T> action) {
        long start = System.nanoTime();
        T result = action.get();
        took.computeIfAbsent(what, any -> new ArrayList<>()).add(since(start));
        return result;
    }

    private void assertQuick() {
        assertThat(took).allSatisfy((what, times) -> {
            List<Duration> sorted = times.stream().sorted().toList();
            assertThat(sorted.get(sorted.size() / 2))
                    .as("half of %d: %s", times.size(), what)
                    .isLessThan(MOSTLY);
            assertThat(sorted.get(sorted.size() - 1))
                    .as("the longest of %d: %s", times.size(), what)
                    .isLessThan(LIMIT);
        });
    }

    /** How late renewals were sent, at most. */
    private static final class Lag implements LockListener {
        private final List<Duration> lags = Collections.synchronizedList(new ArrayList<>());

        @Override
        public void renewed(Hold hold, Duration late) {
            lags.add(late);
        }
    }

    // --- a cluster

    private static String nameOn(RedisServer master, String row) {
        for (int i = 0; ; i++) {
            if (cluster.masterOf(cluster.slot(Rig.key(row + i))) == master) {
                return row + i;
            }
        }
    }

    private static long inboxes(RedisServer server) {
        return String.valueOf(server.command("CLIENT", "LIST", "TYPE", "pubsub"))
                .lines()
                .filter(line -> line.contains(" sub=1 "))
                .count();
    }

    private static long waiters(RedisServer server, String name) {
        return (Long) requireNonNull(server.command("ZCARD", Rig.PREFIX + "~queue:{" + Rig.key(name) + "}"));
    }

    @Test
    @Faults({21, 22})
    void clusterWithAPausedMaster_servesTheLocksOfTheOthersAsEver() throws Exception {
        Client client = client(cluster.uri(), TIMEOUT);
        listens(client);
        // The worst one: it is one of those at which the client listens.
        RedisServer paused = cluster.masters().stream()
                .filter(master -> inboxes(master) > 0)
                .findFirst()
                .orElseThrow();
        RedisServer healthy = cluster.masters().stream()
                .filter(master -> master != paused)
                .findFirst()
                .orElseThrow();
        List<String> stuck = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            stuck.add(nameOn(paused, "stuck-" + i + "-"));
        }
        String name = nameOn(healthy, "name-");
        String renewed = nameOn(healthy, "renewed-");
        Client other = client(cluster.uri(), TIMEOUT);
        assertThat(other.take(nameOn(healthy, "warm-"), LONG).release()).isTrue();
        Lease kept = client.take(renewed, ofSeconds(9));

        paused.pause();
        List<CompletableFuture<Lease>> asked = new ArrayList<>();
        for (String each : stuck) {
            asked.add(client.lock(each).acquireAsync(LONG).toCompletableFuture());
            // What nobody waits for any more is taken back, by a thread that waits for the server, too.
            client.lock(each).acquireAsync(LONG).toCompletableFuture().cancel(false);
        }
        for (int i = 0; i < ROUNDS || lag.lags.isEmpty(); i++) {
            round(client, other, healthy, name);
            assertThat(kept.isValid()).isTrue();
        }

        assertThat(asked).as("stuck all the while").noneMatch(CompletableFuture::isDone);
        assertQuick();
        assertThat(lag.lags).allSatisfy(late -> assertThat(late).isLessThan(LIMIT));
        assertThat(client.losses()).isEmpty();
        // One for each master, and one for the time at which none was known.
        assertThat(threads("io")).isLessThanOrEqualTo(2 * 4);
        assertThat(threads("release")).isLessThanOrEqualTo(2 * 4);
        assertThat(threads("inbox")).isLessThanOrEqualTo(2 * 2);
        paused.resume();
        asked.forEach(each -> assertThat(get(each).release()).isTrue());
    }

    /** Has waited once, and is subscribed at two nodes. */
    private static void listens(Client client) {
        RedisServer home = cluster.masterOf(cluster.slot(Rig.key("listens")));
        home.command("SET", Rig.key("listens"), "somebody", "PX", "60000");
        CompletableFuture<Lease> waiting =
                client.lock("listens").acquireAsync(LONG).toCompletableFuture();
        until(
                "it listens",
                () -> cluster.masters().stream()
                                .filter(node -> inboxes(node) == 1)
                                .count()
                        == 2);
        home.command("DEL", Rig.key("listens"));
        assertThat(get(waiting).release()).isTrue();
    }

    /** Everything that goes over a thread or a connection of the client's own. */
    private void round(Client client, Client other, RedisServer home, String name) {
        DistributedLock lock = client.lock(name);
        Lease first = timed("acquire", () -> get(lock.acquireAsync(LONG).toCompletableFuture()));
        assertThat(timed("release", first::release)).isTrue();

        Lease theirs = timed("acquire", () -> other.take(name, LONG));
        CompletableFuture<Lease> waiting = lock.acquireAsync(LONG).toCompletableFuture();
        until("it waits", () -> waiters(home, name) == 1);
        Lease handed = timed("hand-over", () -> {
            assertThat(theirs.release()).isTrue();
            return get(waiting);
        });

        CompletableFuture<Lease> leaving = other.lock(name).acquireAsync(LONG).toCompletableFuture();
        until("it waits", () -> waiters(home, name) == 1);
        timed("leave", () -> {
            leaving.cancel(false);
            until("it has left", () -> waiters(home, name) == 0);
            return true;
        });
        assertThat(timed("release", handed::release)).isTrue();
    }

    private static long threads(String role) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("holdfast-" + role))
                .count();
    }

    @Test
    @Faults({21, 47})
    void closeWithAPausedMaster_givesBackWhatTheOthersHave_inTime() throws Exception {
        RedisServer paused = cluster.masters().get(1);
        RedisServer healthy = cluster.masters().get(2);
        // In the order of their coming the one that is stuck is first.
        String stuck = nameOn(paused, "a-");
        String free = nameOn(healthy, "b-");
        Duration timeout = ofSeconds(1);
        Client client = client(cluster.uri(), timeout);
        List<Lease> held = List.of(client.take(stuck, LONG), client.take(free, LONG));

        paused.pause();
        long start = System.nanoTime();
        CompletableFuture<Void> closing = CompletableFuture.runAsync(client::close);

        until("it is given back", () -> healthy.command("GET", Rig.key(free)) == null);
        closing.get(30, TimeUnit.SECONDS);
        assertThat(since(start)).isLessThan(timeout.multipliedBy(20));
        assertThat(held).noneMatch(Lease::isValid);
    }

    /** One node takes its time to say that another has the slot now, and that one says nothing: one time-out is for both. */
    @Test
    @Faults({21, 36})
    void redirectThatComesLate_leavesNoMoreTimeThanThereWas() throws Exception {
        Duration timeout = ofSeconds(6);
        RedisServer before = cluster.masters().get(0);
        RedisServer after = cluster.masters().get(1);
        String name = nameOn(before, "late-");
        Client client = client(cluster.uri(), timeout);
        assertThat(client.take(name, LONG).release()).isTrue();
        assertThat(client.take(nameOn(after, "connected-"), LONG).release()).isTrue();
        cluster.move(cluster.slot(Rig.key(name)), after);

        before.pause();
        after.pause();
        long start = System.nanoTime();
        CompletableFuture<Boolean> asked =
                CompletableFuture.supplyAsync(() -> client.lock(name).tryLock());
        until(
                "it has waited for a while",
                () -> since(start).compareTo(timeout.multipliedBy(2).dividedBy(5)) > 0);
        before.resume();

        assertThatThrownBy(() -> get(asked)).isInstanceOf(StoreUnavailableException.class);
        // It was 1.4 time-outs at least, and up to 1.75.
        assertThat(since(start)).isLessThan(timeout.multipliedBy(13).dividedBy(10));
    }

    // --- a quorum

    @Test
    @Faults({21, 22, 37})
    void quorumWithAPausedServer_isAsQuickAsEver() {
        FiveServers five = new FiveServers();
        open.add(five);
        five.vouched(ofSeconds(60));
        String uri = five.uri("?maxLease=60s&nodeTimeout=500ms");
        Client client = client(uri, TIMEOUT);
        Client other = client(uri, TIMEOUT);
        Lease kept = client.take("renewed", ofSeconds(9));

        five.server(0).pause();
        for (int i = 0; i < ROUNDS || lag.lags.isEmpty(); i++) {
            quorumRound(client, other, five.server(1));
            assertThat(kept.isValid()).isTrue();
        }

        assertQuick();
        assertThat(lag.lags).allSatisfy(late -> assertThat(late).isLessThan(LIMIT));
        assertThat(client.losses()).isEmpty();
        five.server(0).resume();
    }

    private void quorumRound(Client client, Client other, RedisServer one) {
        Lease theirs = timed("acquire", () -> other.take("name", ofSeconds(50)));
        CompletableFuture<Lease> waiting =
                client.lock("name", ofSeconds(50)).acquireAsync(LONG).toCompletableFuture();
        until("it waits", () -> waiters(one, "name") == 1);
        Lease handed = timed("hand-over", () -> {
            assertThat(theirs.release()).isTrue();
            return get(waiting);
        });
        assertThat(timed("release", handed::release)).isTrue();
    }
}
