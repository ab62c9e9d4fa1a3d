package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.KEPT;
import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLatch;
import io.holdfast.DistributedLock;
import io.holdfast.Hold;
import io.holdfast.Lease;
import io.holdfast.LockException;
import io.holdfast.LockListener;
import io.holdfast.Loss;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Masters of a cluster go, and slots move, while locks in them are held and waited for. */
class ClusterFaultsIT {
    /** Longer than a failover takes on a busy machine. */
    private static final Duration LEASE = ofSeconds(12);

    private static final Duration TIMEOUT = ofMillis(700);

    private static RedisCluster cluster;

    private final List<Client> clients = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
        try (Client first = Client.of(cluster.uri(), builder -> builder.commandTimeout(ofSeconds(30)))) {
            first.connected();
        }
    }

    @AfterEach
    void heal() {
        threads.shutdownNow();
        cluster.heal();
        clients.forEach(Client::close);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private Client client() {
        return client(TIMEOUT);
    }

    private Client client(Duration timeout, LockListener... listeners) {
        Client client = Client.of(cluster.uri(), builder -> {
            builder.commandTimeout(timeout);
            for (LockListener listener : listeners) {
                builder.listener(listener);
            }
        });
        clients.add(client);
        return client.connected();
    }

    private static int slot(String name) {
        return cluster.slot(Rig.key(name));
    }

    private static RedisServer home(String name) {
        return cluster.masterOf(slot(name));
    }

    /** The first name of a row that is at home there. */
    private static String nameOn(RedisServer master, String row) {
        for (int i = 0; ; i++) {
            if (home(row + i) == master) {
                return row + i;
            }
        }
    }

    private static RedisServer otherThan(RedisServer master) {
        return cluster.masters().stream()
                .filter(node -> node != master)
                .findFirst()
                .orElseThrow();
    }

    private static long waiters(RedisServer server, String name) {
        return (Long) requireNonNull(server.command("ZCARD", Rig.PREFIX + "~queue:{" + Rig.key(name) + "}"));
    }

    private static void awaitReplicated(RedisServer master) {
        until("its replica has everything", () -> Long.valueOf(1).equals(master.command("WAIT", "1", "100")));
    }

    private static void assertHas(RedisServer server, Lease lease) {
        assertThat(server.command("GET", Rig.key(lease.lockName())))
                .asString()
                .startsWith("hf1:")
                .endsWith(":" + lease.token());
    }

    @Test
    @Faults({24, 36, 42})
    void failoverByCommand_losesNothing_andWaitersGoOn() {
        Client holder = client();
        Client other = client();
        Lease lease = holder.take("a", LEASE);
        RedisServer before = home("a");
        Future<Lease> waiting = threads.submit(() -> other.lock("a", LEASE).acquire(LONG));
        until("it waits", () -> waiters(before, "a") == 1);

        RedisServer after = cluster.failover(before, slot("a"));

        int renewals = holder.renewals();
        until("it is renewed at the new master", () -> holder.renewals() > renewals);
        assertHas(after, lease);
        assertThat(lease.release()).isTrue();
        Lease next = get(waiting);
        assertThat(next.token()).isGreaterThan(lease.token());
        assertHas(after, next);
        assertThat(holder.losses()).isEmpty();
    }

    @Test
    @Faults({24, 42})
    void crashOfAMaster_isOutlivedByHoldersAndWaiters() {
        Client holder = client();
        Client other = client();
        Lease lease = holder.take("c", LEASE);
        RedisServer before = home("c");
        Future<Lease> waiting = threads.submit(() -> other.lock("c", LEASE).acquire(LONG));
        until("it waits", () -> waiters(before, "c") == 1);
        awaitReplicated(before);

        before.kill9();
        RedisServer after = cluster.awaitFailoverFrom(before, slot("c"));

        int renewals = holder.renewals();
        until("it is renewed at the new master", () -> holder.renewals() > renewals);
        assertHas(after, lease);
        assertThat(lease.release()).isTrue();
        Lease next = get(waiting);
        assertThat(next.token()).isGreaterThan(lease.token());
        assertThat(holder.losses()).isEmpty();
    }

    /** Two locks are due at the same moment, and the node of one does not answer: the other's answer is not waited with. */
    @Test
    @Faults({21, 22})
    void silentMaster_holdsUpNoRenewalElsewhere() {
        Moments moments = new Moments();
        Client holder = client(ofSeconds(2), moments);
        RedisServer silent = cluster.masters().get(0);
        String stuck = nameOn(silent, "silent-");
        String healthy = nameOn(otherThan(silent), "healthy-");
        Duration lease = ofSeconds(9);
        holder.take(stuck, lease);
        holder.take(healthy, lease);
        until("both are renewed", () -> moments.renewed.containsKey(stuck) && moments.renewed.containsKey(healthy));

        silent.pause();
        moments.renewed.clear();
        moments.failed.clear();
        until(
                "a renewal fails, and another does not",
                () -> moments.failed.containsKey(stuck) && moments.renewed.containsKey(healthy));
        silent.resume();

        Duration before = Duration.ofNanos(
                requireNonNull(moments.failed.get(stuck)) - requireNonNull(moments.renewed.get(healthy)));
        assertThat(before).as("how much earlier the good answer came").isGreaterThan(ofMillis(500));
    }

    /** When each lock was first renewed, and when that first failed. */
    private static final class Moments implements LockListener {
        final Map<String, Long> renewed = new ConcurrentHashMap<>();
        final Map<String, Long> failed = new ConcurrentHashMap<>();

        @Override
        public void renewed(Hold hold, Duration lag) {
            renewed.putIfAbsent(hold.lockName(), System.nanoTime());
        }

        @Override
        public void renewalFailed(Hold hold, Duration remaining, Throwable reason) {
            failed.putIfAbsent(hold.lockName(), System.nanoTime());
        }
    }

    @Test
    @Faults({6, 24})
    void crashOfAMaster_beforeItHasReplicated_isALossAtTheHolder_andTokensRise() {
        Client holder = client();
        Client other = client();
        RedisServer before = home("b");
        Lease first = holder.take("b", LEASE);
        assertThat(first.release()).isTrue();
        // A counter that was just begun is ahead of the clock by two seconds, for which tokens outrun a failover.
        until("the clock is ahead of the token", () -> 1_000 * System.currentTimeMillis() > first.token());
        RedisServer replica = cluster.replicaOf(before);
        // It neither gets what comes now nor connects again to ask for it.
        replica.pause();
        before.command("CLIENT", "KILL", "TYPE", "replica");
        Lease lost = holder.take("b", LEASE);
        before.kill9();
        replica.resume();
        RedisServer after = cluster.awaitFailoverFrom(before, slot("b"));

        until("its holder is told", () -> !holder.losses().isEmpty());

        assertThat(lost.isValid()).isFalse();
        assertThat(after.command("GET", Rig.key("b"))).as("not brought back").isNull();
        // Which of the two depends on whether there is a new master before the lease is over.
        assertThat(holder.losses()).singleElement().extracting(Loss::cause).isIn(Loss.Cause.GONE, Loss.Cause.EXPIRED);
        assertThat(lost.release()).isFalse();
        assertThat(other.take("b", LEASE).token()).isGreaterThan(lost.token());
    }

    @Test
    @Faults(36)
    void slotThatMoves_takesItsLocksAlong() {
        Client holder = client();
        Client other = client();
        RedisServer from = home("m");
        RedisServer to = otherThan(from);
        Lease lease = holder.take("m", KEPT);
        Future<Lease> waiting = threads.submit(() -> other.lock("m", LEASE).acquire(LONG));
        until("it waits", () -> waiters(from, "m") == 1);

        RedisCluster.SlotMove move = cluster.beginMove(slot("m"), to);
        int begun = holder.renewals();
        until("it is renewed where it was", () -> holder.renewals() >= begun + 2);
        move.moveKey(Rig.key("m"));
        int moved = holder.renewals();
        until("it is renewed where it goes", () -> holder.renewals() >= moved + 2);
        move.moveKeys().finish();

        int finished = holder.renewals();
        until("it is renewed where it is", () -> holder.renewals() > finished);
        assertHas(to, lease);
        assertThat(lease.release()).isTrue();
        Lease next = get(waiting);
        assertThat(next.token()).isGreaterThan(lease.token());
        assertHas(to, next);
        assertThat(next.release()).isTrue();
        assertThat(holder.losses()).isEmpty();
    }

    /** A share has two keys, and is renewed as long as both are in one place. */
    @Test
    @Faults(36)
    void slotThatMoves_takesItsSharesAlong() {
        Client holder = client(ofSeconds(5));
        RedisServer to = otherThan(home("s"));
        Lease reading = get(threads.submit(() ->
                holder.locks().readWriteLock("s", o -> o.lease(KEPT)).readLock().acquire(SOON)));

        RedisCluster.SlotMove move = cluster.beginMove(slot("s"), to);
        int begun = holder.renewals();
        until("it is renewed where it was", () -> holder.renewals() >= begun + 2);
        move.moveKeys();
        int moved = holder.renewals();
        until("it is renewed where it goes", () -> holder.renewals() >= moved + 2);
        move.finish();

        assertThat(holder.failedRenewals()).isZero();
        assertThat(reading.release()).isTrue();
        assertThat(holder.losses()).isEmpty();
    }

    /** A slot on its way is a reason to wait, not one to give up, also for those who want replicas to have the lock. */
    @Test
    @Faults(36)
    void slotThatMoves_isWaitedForByThoseWhoWantReplicas() {
        Client client = client();
        RedisServer to = otherThan(home("replicated"));
        RedisCluster.SlotMove move = cluster.beginMove(slot("replicated"), to);
        Future<Lease> waiting = threads.submit(() -> client.locks()
                .lock("replicated", o -> o.lease(LEASE).minReplicas(1))
                .acquire(SOON));
        until("it was sent on", () -> to.commandStats().getOrDefault("asking", 0L) > 0);
        assertThat(waiting).isNotDone();

        move.moveKeys().finish();

        Lease lease = get(waiting);
        assertHas(to, lease);
        assertThat(to.commandStats()).as("its replica was asked").containsKey("wait");
        assertThat(lease.release()).isTrue();
    }

    /** The slot goes round while clients take and give back a lock in it. */
    @Test
    @Faults(36)
    void slotThatMovesUnderLoad_neverLetsTwoIn_andTokensRise() {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger sections = new AtomicInteger();
        AtomicLong highest = new AtomicLong();
        AtomicBoolean over = new AtomicBoolean();
        List<Future<Integer>> workers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Client client = client();
            workers.add(threads.submit(() -> {
                int done = 0;
                DistributedLock lock = client.lock("load", LEASE);
                while (!over.get()) {
                    Optional<Lease> taken = lock.tryAcquire(SOON);
                    if (taken.isPresent()) {
                        Lease lease = taken.get();
                        assertThat(inside.incrementAndGet())
                                .as("inside at once")
                                .isEqualTo(1);
                        assertThat(highest.getAndSet(lease.token())).isLessThan(lease.token());
                        inside.decrementAndGet();
                        assertThat(lease.release()).isTrue();
                        sections.incrementAndGet();
                        done++;
                    }
                }
                return done;
            }));
        }
        int slot = slot("load");

        for (int round = 0; round < 6; round++) {
            int before = sections.get();
            until("they are at work", () -> sections.get() >= before + 20);
            cluster.move(slot, otherThan(home("load")));
        }
        int before = sections.get();
        until("they are at work", () -> sections.get() >= before + 20);
        over.set(true);

        workers.forEach(worker -> assertThat(get(worker)).isPositive());
        clients.forEach(client -> assertThat(client.losses()).isEmpty());
    }

    /** The slot goes round while some count down and others wait. */
    @Test
    @Faults({36, 42})
    void latchWhoseSlotMoves_countsEachOnce_andWakesAllWhoWait() {
        int each = 15;
        Client one = client(ofSeconds(5));
        Client other = client(ofSeconds(5));
        DistributedLatch latch = one.locks().latch("latch");
        assertThat(latch.trySetCount(2 * each + 1)).isTrue();
        List<Future<Boolean>> waiters = new ArrayList<>();
        for (Client client : List.of(one, other)) {
            waiters.add(threads.submit(() -> client.locks().latch("latch").await(SOON.multipliedBy(2))));
            waiters.add(client.locks()
                    .latch("latch")
                    .awaitAsync(SOON.multipliedBy(2))
                    .toCompletableFuture());
        }
        List<Future<?>> counting = new ArrayList<>();
        for (Client client : List.of(one, other)) {
            counting.add(threads.submit(() -> {
                for (int i = 0; i < each; i++) {
                    client.locks().latch("latch").countDown();
                }
            }));
        }
        int slot = slot("latch");

        int moves = 0;
        for (; moves < 3 || !counting.stream().allMatch(Future::isDone); moves++) {
            cluster.move(slot, otherThan(cluster.masterOf(slot)));
        }

        counting.forEach(Timing::get);
        assertThat(latch.getCount()).hasValue(1);
        assertThat(waiters).noneMatch(Future::isDone);
        RedisCluster.SlotMove last = cluster.beginMove(slot, otherThan(cluster.masterOf(slot)));
        Future<?> opening = threads.submit(() -> other.locks().latch("latch").countDown());
        last.moveKeys().finish();
        get(opening);
        waiters.forEach(waiter -> assertThat(get(waiter)).isTrue());
        assertThat(latch.clear()).isTrue();
    }

    @Test
    @Faults(50)
    void clusterThatIsNotThere_isSaidToBe_withTheReason() {
        Client client = Client.of("redis-cluster://127.0.0.1:1,127.0.0.1:2", builder -> {});
        clients.add(client);

        assertThatThrownBy(() -> client.lock("a").tryLock())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("redis-cluster://127.0.0.1:1,127.0.0.1:2")
                .hasMessageContaining("Connection refused");
    }

    /** A name that was meant for something else is a mistake, and said to be one. */
    @Test
    @Faults(36)
    void serverThatIsNoCluster_isRefused() {
        try (RedisServer single = RedisServer.start()) {
            Client client = Client.of("redis-cluster://127.0.0.1:" + single.port(), builder -> {});
            clients.add(client);

            assertThatThrownBy(() -> client.lock("a").tryLock())
                    .isInstanceOf(LockException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("cluster support disabled");
        }
    }
}
