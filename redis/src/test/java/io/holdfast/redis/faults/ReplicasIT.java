package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.SLACK;
import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.ClientClosedException;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.RedisStore;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.UnifiedJedis;

/** With {@code minReplicas} a lock counts when so many replicas have it. */
class ReplicasIT {
    private static final Duration LEASE = ofSeconds(5);

    private static RedisServer master;
    private static final List<RedisServer> replicas = new ArrayList<>();
    private static int paused;

    private final List<Holdfast> clients = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeAll
    static void start() {
        master = RedisServer.start();
        for (int i = 0; i < 2; i++) {
            RedisServer replica = RedisServer.start();
            replica.command("REPLICAOF", "127.0.0.1", Integer.toString(master.port()));
            replicas.add(replica);
        }
    }

    @BeforeEach
    void replicasFollow() {
        until("both replicas follow", () -> Long.valueOf(2).equals(master.command("WAIT", "2", "200")));
    }

    @AfterEach
    void heal() {
        replicas.forEach(RedisServer::resume);
        paused = 0;
        threads.shutdownNow();
        clients.forEach(Holdfast::close);
    }

    @AfterAll
    static void stop() {
        replicas.forEach(RedisServer::close);
        master.close();
    }

    private Holdfast client(int minReplicas) {
        Holdfast client = Holdfast.builder()
                .uri(master.uri())
                .options(LockOptions.builder()
                        .lease(LEASE)
                        .minReplicas(minReplicas)
                        .build())
                .build();
        clients.add(client);
        return client;
    }

    /** The signal is not the stop: a replica may still have said a word. */
    private static void pause(RedisServer replica) {
        int running = replicas.size() - paused;
        // On a busy machine one that follows may answer too late to be counted, for once.
        until("all that run follow", () -> following() == running);
        replica.pause();
        paused++;
        until("it has stopped", () -> following() < running);
    }

    private static long following() {
        master.command("SET", "written", "something");
        return (Long) requireNonNull(master.command("WAIT", "2", "100"));
    }

    private static void assertOnAllReplicas(Lease lease) {
        String key = Rig.key(lease.lockName());
        for (RedisServer replica : replicas) {
            assertThat(replica.command("GET", key)).asString().matches(".*:" + lease.token() + "(\\+\\d+)?");
        }
    }

    @Test
    @Faults(24)
    void lock_isOnTheReplicasWhenItCounts() throws Exception {
        DistributedLock lock = client(2).lock("on-replicas");
        for (int i = 0; i < 20; i++) {
            try (Lease lease = lock.acquire(ofSeconds(2))) {
                assertOnAllReplicas(lease);
            }
        }
    }

    /** It refuses WAIT as well, which says nothing that the script's own refusal has not said better. */
    @Test
    @Faults({26, 36})
    void serverThatIsAReplicaForAMoment_isWaitedFor() {
        DistributedLock lock = client(1).lock("demoted");
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.unlock()).isTrue();
        master.command("REPLICAOF", "127.0.0.1", "1");
        try {
            Future<Lease> waiting = threads.submit(() -> lock.acquire(SOON));
            until("it was refused", () -> master.info("errorstats").containsKey("errorstat_READONLY"));
            assertThat(waiting).isNotDone();

            master.command("REPLICAOF", "NO", "ONE");

            assertThat(get(waiting).release()).isTrue();
        } finally {
            master.command("REPLICAOF", "NO", "ONE");
        }
    }

    /** The time-out of a socket starts anew with every byte: this kept the caller, and all who wanted replicas. */
    @Test
    @Faults(21)
    void answerThatDrips_isCutAfterCommandTimeOutAndWait() {
        Duration timeout = Duration.ofMillis(400);
        try (TcpProxy proxy = TcpProxy.to(master.port());
                Holdfast client = Holdfast.builder()
                        .uri("redis://127.0.0.1:" + proxy.port())
                        .commandTimeout(timeout)
                        .options(LockOptions.builder()
                                .lease(LEASE)
                                .minReplicas(1)
                                .build())
                        .build()) {
            until("it is connected", () -> takes(client, "warm"));
            proxy.dripReplies(8);
            long start = System.nanoTime();

            assertThatThrownBy(() -> client.lock("drips").tryLock()).isInstanceOf(StoreUnavailableException.class);

            assertThat(since(start)).isLessThan(timeout.multipliedBy(2).plus(SLACK));
            proxy.restore();
            until("what it may have taken is given back", () -> !master.keys().contains(Rig.key("drips")));
            until("it is taken", () -> takes(client, "drips"));
        }
    }

    /** Unless the command time-out is too short for a busy machine. */
    private static boolean takes(Holdfast client, String name) {
        try {
            return client.lock(name).tryLock();
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    @Test
    @Faults({24, 45})
    void lockThatIsHandedOver_isOnTheReplicasWhenItCounts() throws Exception {
        Holdfast client = client(2);
        Lease before = client.lock("handed-over").acquire(ofSeconds(2));
        Future<Lease> next =
                threads.submit(() -> client(2).fairLock("handed-over").acquire(ofSeconds(20)));
        until("one waits", () -> waiters("handed-over") == 1);

        assertThat(before.release()).isTrue();

        Lease lease = get(next);
        assertOnAllReplicas(lease);
        assertThat(lease.remaining()).as("the full lease").isGreaterThan(ofSeconds(3));
        assertThat(lease.release()).isTrue();
    }

    /** Those in a row pass a fair lock on among themselves; one who wants replicas asks for itself when its turn comes. */
    @Test
    @Faults({24, 45})
    void rowOfAFairLock_inWhichSomeWantReplicas_isServedInOrder_andTheirsIsOnThem() throws Exception {
        Holdfast client = client(0);
        Lease before = client.fairLock("row").acquire(ofSeconds(2));
        List<Integer> wanted = List.of(0, 0, 2, 0, 1, 2, 0);
        List<Integer> served = new CopyOnWriteArrayList<>();
        List<Future<Long>> row = new ArrayList<>();
        for (int i = 0; i < wanted.size(); i++) {
            int place = i;
            int min = wanted.get(i);
            row.add(threads.submit(() -> {
                try (Lease lease = client.fairLock("row", options -> options.minReplicas(min))
                        .acquire(SOON)) {
                    served.add(place);
                    if (min == 2) {
                        assertReplicasHaveWhatTheMasterHas("row");
                    }
                    return lease.token();
                }
            }));
            until("it stands in line", () -> waiters("row") == place + 1);
        }

        assertThat(before.release()).isTrue();

        List<Long> tokens = row.stream().map(Timing::get).toList();
        assertThat(served).containsExactly(0, 1, 2, 3, 4, 5, 6);
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
        assertThat(tokens.get(0)).isGreaterThan(before.token());
        until("nothing is left", () -> free("row"));
    }

    private static void assertReplicasHaveWhatTheMasterHas(String name) {
        Object held = master.command("GET", Rig.key(name));
        assertThat(held).asString().startsWith("hf1:");
        for (RedisServer replica : replicas) {
            assertThat(replica.command("GET", Rig.key(name))).isEqualTo(held);
        }
    }

    private static long waiters(String name) {
        return (Long) requireNonNull(master.command("ZCARD", Rig.PREFIX + "~queue:{" + Rig.key(name) + "}"));
    }

    @Test
    @Faults(24)
    void replicaThatDoesNotFollow_keepsTheLockFromCounting_andNothingIsLeft() throws Exception {
        Holdfast client = client(2);
        DistributedLock lock = client.lock("lagging");
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.unlock()).isTrue();
        pause(replicas.get(0));

        assertThatThrownBy(lock::tryLock)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("only 1 of the 2 replicas")
                .hasMessageContaining("'lagging'");
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        until("it is given back", () -> free("lagging"));
        assertThat(client(1).lock("lagging").tryAcquire().map(Lease::release))
                .as("one is enough for another")
                .contains(true);
    }

    @Test
    @Faults(24)
    void waiter_goesOnWhenTheReplicaFollowsAgain() throws Exception {
        DistributedLock lock = client(2).lock("follows-again");
        pause(replicas.get(0));
        Future<Lease> waiter = threads.submit(() -> lock.acquire(ofSeconds(30)));
        assertThatThrownBy(() -> client(2).lock("another").tryLock()).isInstanceOf(StoreUnavailableException.class);

        replicas.get(0).resume();

        Lease lease = get(waiter);
        assertOnAllReplicas(lease);
        assertThat(lease.release()).isTrue();
    }

    @Test
    @Faults(24)
    void renewalAndRelease_askNoReplica() throws Exception {
        Lease lease = client(2).lock("renewed").acquire(ofSeconds(2));
        replicas.forEach(ReplicasIT::pause);

        lease.extend(ofSeconds(60));

        assertThat(lease.isValid()).isTrue();
        assertThat(lease.release()).isTrue();
    }

    @Test
    @Faults(57)
    void severalTogether_areOnTheReplicasToo() throws Exception {
        Holdfast client = client(2);
        DistributedLock both = client.allOf(client.lock("joint:a"), client.lock("joint:b"));
        try (Lease lease = both.acquire(ofSeconds(2))) {
            assertThat(replicas.get(0).command("GET", Rig.key("joint:b")))
                    .asString()
                    .endsWith(":" + lease.token("joint:b"));
        }
        pause(replicas.get(1));

        assertThatThrownBy(both::tryLock)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("only 1 of the 2 replicas");
        until("nothing is left", () -> free("joint:a") && free("joint:b"));
    }

    /** The server tells what the replicas have when the wait is over, and not before; the lock does not outlast the client. */
    @Test
    @Faults({24, 47})
    void close_whileReplicasAreWaitedFor_endsInTime_andLeavesNothing() {
        Duration timeout = ofSeconds(2);
        Holdfast client = Holdfast.builder()
                .uri(master.uri())
                .commandTimeout(timeout)
                .options(LockOptions.builder()
                        .lease(ofSeconds(60))
                        .minReplicas(2)
                        .build())
                .build();
        clients.add(client);
        pause(replicas.get(0));
        Future<Lease> called = threads.submit(() -> client.lock("closed:a").acquire(ofSeconds(60)));
        Future<Lease> async =
                client.lock("closed:b").acquireAsync(ofSeconds(60)).toCompletableFuture();
        Future<Boolean> tried = threads.submit(() -> client.lock("closed:c").tryLock());
        until("one is waited for", () -> "1".equals(master.info("clients").get("blocked_clients")));

        long start = System.nanoTime();
        client.close();

        assertThat(since(start)).isLessThan(timeout.multipliedBy(5));
        assertThat(master.keys()).noneMatch(key -> key.contains("closed:"));
        for (Future<?> each : List.of(called, async, tried)) {
            assertThatThrownBy(() -> get(each)).isInstanceOf(ClientClosedException.class);
        }
        until("it has left", () -> "0".equals(master.info("clients").get("blocked_clients")));
        assertThat(master.keys()).noneMatch(key -> key.contains("closed:"));
    }

    private boolean free(String name) {
        return client(0).lock(name).tryAcquire().map(Lease::release).orElse(false);
    }

    @Test
    void clientWithoutAConnectionOfItsOwn_isToldSo() {
        try (UnifiedJedis jedis = new UnifiedJedis(new HostAndPort("127.0.0.1", master.port()));
                Holdfast client = Holdfast.builder()
                        .store(RedisStore.on(jedis))
                        .options(LockOptions.builder().minReplicas(1).build())
                        .build()) {
            assertThatThrownBy(client.lock("unified")::tryLock)
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("minReplicas");
        }
    }

    @Test
    void storeWithoutReplicas_isToldSoAtOnce() {
        try (Holdfast client = Holdfast.builder()
                .uri("memory:")
                .options(LockOptions.builder().minReplicas(1).build())
                .build()) {
            assertThatThrownBy(() -> client.lock("memory"))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("minReplicas 1")
                    .hasMessageContaining("'memory'");
        }
        assertThatThrownBy(() -> LockOptions.builder().minReplicas(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> LockOptions.builder().minReplicas(101)).isInstanceOf(IllegalArgumentException.class);
    }
}
