package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.KEPT;
import static io.holdfast.redis.faults.Timing.SLACK;
import static io.holdfast.redis.faults.Timing.earliestLoss;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Loss;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.FiveServers;
import io.holdfast.servers.HeldRequest;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RequestTrap;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Five independent servers, of which some are cut off, paused, slow, or have lost their memory. */
class RedlockFaultsIT {
    private static final Duration MAX_LEASE = ofSeconds(60);
    private static FiveServers five;
    private final List<AutoCloseable> open = new ArrayList<>();

    /** What happens to a server, and what is said of it. */
    enum Trouble {
        CUT_OFF("(cannot reach|broke)"),
        PAUSED("did not answer within"),
        SILENT("did not answer within"),
        SLOW("did not answer within"),
        DRIPPING("(did not answer within|broke)");

        private final String reason;

        Trouble(String reason) {
            this.reason = reason;
        }

        void strike(int... nodes) {
            for (int node : nodes) {
                switch (this) {
                    case CUT_OFF -> five.network(node).cut();
                    case PAUSED -> five.server(node).pause();
                    case SILENT -> five.network(node).stall();
                    case SLOW -> five.network(node).delay(ofMillis(700));
                    case DRIPPING -> five.network(node).dripReplies(8);
                }
            }
        }
    }

    @BeforeAll
    static void start() {
        five = new FiveServers();
    }

    @AfterAll
    static void stop() {
        five.close();
    }

    @BeforeEach
    void begin() {
        five.servers().forEach(RedisServer::flushAll);
        five.vouched(MAX_LEASE);
    }

    @AfterEach
    void end() throws Exception {
        five.servers().forEach(RedisServer::resume);
        five.networks().forEach(TcpProxy::restore);
        for (AutoCloseable client : open) {
            client.close();
        }
    }

    private Client client() {
        // Patient with servers that are only as slow as a busy machine makes them.
        return client("?maxLease=60s&nodeTimeout=500ms");
    }

    private Client client(String parameters) {
        Client client = Client.of(five.networkUri(parameters), builder -> {});
        open.add(client);
        return client;
    }

    private static void untilNothingIsLeft() {
        until("the lock is gone everywhere", five::haveNoLock);
    }

    // --- a minority

    @ParameterizedTest
    @EnumSource(Trouble.class)
    @Faults({21, 31, 37})
    void minorityInTrouble_costsALittleTimeAndNothingElse(Trouble trouble) {
        Client client = client().connected();
        trouble.strike(0, 3);
        long threads = threads();
        List<Long> micros = new ArrayList<>();
        long before = 0;
        for (int i = 0; i < 30; i++) {
            long start = System.nanoTime();
            Lease lease = takeInTheEnd(client);
            assertThat(lease.token()).isGreaterThan(before);
            before = lease.token();
            assertThat(lease.release()).isTrue();
            micros.add((System.nanoTime() - start) / 1_000);
        }

        micros.sort(null);
        // Less than it takes to wait for one server in trouble, and a cycle asks twice.
        assertThat(ofMillis(micros.get(15) / 1_000)).as("median").isLessThan(ofMillis(500));
        assertThat(threads()).isLessThanOrEqualTo(threads + 2);
        assertThat(client.losses()).isEmpty();
        five.servers().forEach(RedisServer::resume);
        five.networks().forEach(TcpProxy::restore);
        untilNothingIsLeft();
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("holdfast-"))
                .count();
    }

    @Test
    @Faults({31, 37})
    void lease_isRenewedByTheRest_whileAMinorityIsPaused() {
        Client client = client().connected();
        Lease lease = client.take("a", KEPT);
        Trouble.PAUSED.strike(1, 4);

        int before = client.renewals();
        until("it was renewed", () -> client.renewals() >= before + 2);

        assertThat(lease.isValid()).isTrue();
        assertThat(lease.release()).isTrue();
        assertThat(client.losses()).isEmpty();
    }

    @Test
    @Faults({27, 32})
    void lease_outlivesTheLossOfAMinority_andNotThatOfAMajority() {
        Client client = client().connected();
        Lease lease = takenOnAll(client);
        five.server(0).flushAll();
        five.server(1).flushAll();
        int before = client.renewals();
        until("it was renewed", () -> client.renewals() >= before + 2);
        assertThat(lease.isValid()).isTrue();

        five.server(2).flushAll();

        until("the loss is told", () -> client.losses().size() == 1);
        assertThat(client.losses().get(0).cause()).isEqualTo(Loss.Cause.GONE);
        // Renewal has brought nothing back.
        assertThat(five.server(0).keys()).noneMatch(key -> key.endsWith(":a"));
    }

    @Test
    @Faults({20, 22, 35})
    void connectionsThatAreKilled_andScriptsThatAreForgotten_areReplaced() {
        Client client = client().connected();
        five.servers().forEach(RedisServer::killClients);
        assertThat(takeInTheEnd(client).release()).isTrue();

        five.servers().forEach(server -> server.command("SCRIPT", "FLUSH"));

        assertThat(client.lock("a").tryLock()).isTrue();
        five.servers().forEach(server -> server.command("SCRIPT", "FLUSH"));
        assertThat(client.lock("a").unlock()).isTrue();
        untilNothingIsLeft();
    }

    // --- a majority

    @ParameterizedTest
    @EnumSource(Trouble.class)
    @Faults({21, 50})
    void majorityInTrouble_isAnErrorByTheDeadlineThatNamesEachServer(Trouble trouble) {
        Client client = client().connected();
        trouble.strike(0, 2, 3);
        long start = System.nanoTime();

        assertThatThrownBy(() -> client.lock("a").tryLock())
                .isInstanceOf(StoreUnavailableException.class)
                .satisfies(e -> assertThat(e.getMessage())
                        .contains("lock 'a'")
                        // Two, unless this machine is very slow.
                        .containsPattern("[0-2] of 5 servers granted the lock, and 3 have to agree")
                        .containsPattern(trouble.reason)
                        .contains(five.networks().stream()
                                .map(network -> "redis://127.0.0.1:" + network.port())
                                .toArray(String[]::new)));
        assertThat(since(start)).isLessThan(ofMillis(2_250).plus(SLACK));

        long waits = System.nanoTime();
        assertThatThrownBy(() -> client.lock("a").tryLock(ofMillis(300))).isInstanceOf(StoreUnavailableException.class);
        assertThat(since(waits)).isBetween(ofMillis(250), ofMillis(300).plus(SLACK));
        five.servers().forEach(RedisServer::resume);
        five.networks().forEach(TcpProxy::restore);
        untilNothingIsLeft();
        assertThat(takeInTheEnd(client).release()).isTrue();
    }

    @Test
    @Faults({4, 37})
    void lease_whoseMajorityIsPaused_isLostAtItsDeadline() {
        Client client = client().connected();
        long start = System.nanoTime();
        Lease lease = client.take("a", ofMillis(900));
        Trouble.PAUSED.strike(0, 1, 2);

        until("the loss is told", () -> client.losses().size() == 1);

        assertThat(since(start)).isGreaterThan(earliestLoss(ofMillis(900)));
        assertThat(since(start)).isLessThan(ofMillis(1_800).plus(SLACK));
        assertThat(client.losses().get(0).cause()).isEqualTo(Loss.Cause.EXPIRED);
        assertThat(lease.isValid()).isFalse();
    }

    // --- the restart rule

    /** A has the first two of three; the second forgets; with the third, which was never asked, B would have a majority. */
    @Test
    @Faults({27, 29})
    void serverThatWasRestarted_doesNotCountBeforeItsOldLeasesAreOver() {
        try (FiveServers three = new FiveServers(3, RedisServer.Version.V7_0)) {
            three.vouched(ofSeconds(8));
            Lease first = takeOnTwo(three, 8);
            three.server(1).kill9();
            three.server(1).restart();
            Client other = Client.of(three.networkUri("?maxLease=8s&nodeTimeout=500ms"), builder -> {});
            try {
                until(
                        "it is connected to those that count",
                        () -> tryAcquire(other, "b").map(Lease::release).orElse(false));
                assertThat(answered(() -> other.lock("a", ofSeconds(2)).tryLock()))
                        .as("the first says so, and the second has no say")
                        .isFalse();
                assertThat(first.isValid()).as("the test was quick enough").isTrue();
                three.network(0).cut();
                assertThatThrownBy(() -> other.lock("a", ofSeconds(2)).tryLock())
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("1 of 3 servers granted the lock, and 2 have to agree")
                        .hasMessageContaining("has been up for less than maxLease, 8000 ms")
                        .hasMessageContaining("it counts in ");
                three.network(0).restore();

                Optional<Lease> second = Optional.empty();
                while (second.isEmpty()) {
                    second = tryAcquire(other);
                    assertThat(second.isPresent() && first.isValid())
                            .as("two hold it")
                            .isFalse();
                }
                assertThat(second.get().token()).isGreaterThan(first.token());
            } finally {
                other.close();
            }
        }
    }

    /** The same without the rule: what it is for, and that the token tells the two apart all the same. */
    @Test
    @Faults(29)
    void serverThatWasRestarted_andIsWronglyVouchedFor_makesTwoMajorities() {
        try (FiveServers three = new FiveServers(3, RedisServer.Version.V7_0)) {
            three.vouched(ofSeconds(20));
            Lease first = takeOnTwo(three, 20);
            three.server(1).kill9();
            three.server(1).restart();
            three.vouched(ofSeconds(20));
            Client other = Client.of(three.networkUri("?maxLease=20s&nodeTimeout=500ms"), builder -> {});
            try {
                until(
                        "another has it",
                        () -> tryAcquire(other)
                                .map(second -> {
                                    assertThat(first.isValid()).isTrue();
                                    assertThat(second.token()).isGreaterThan(first.token());
                                    return true;
                                })
                                .orElse(false));
            } finally {
                other.close();
            }
        }
    }

    private Lease takeOnTwo(FiveServers three, int seconds) {
        Client holder = Client.of(three.networkUri("?maxLease=" + seconds + "s&nodeTimeout=500ms"), builder -> {});
        open.add(holder);
        three.network(2).cut();
        Lease lease = answered(() -> holder.takeUnrenewed("a", ofSeconds(seconds)));
        three.network(2).restore();
        return lease;
    }

    /** What the servers say, who may all be too slow at first on a busy machine. */
    private static <T> T answered(Supplier<T> question) {
        List<T> answers = new ArrayList<>();
        until("they answer", () -> {
            try {
                return answers.add(question.get());
            } catch (StoreUnavailableException e) {
                return false;
            }
        });
        return answers.get(0);
    }

    private static Optional<Lease> tryAcquire(Client client) {
        return tryAcquire(client, "a");
    }

    private static Optional<Lease> tryAcquire(Client client, String name) {
        try {
            return client.lock(name, ofSeconds(2)).tryAcquire();
        } catch (StoreUnavailableException e) {
            return Optional.empty();
        }
    }

    @Test
    @Faults(59)
    void leaseLongerThanTheLongest_isRefusedBeforeAnythingIsSent() {
        Client client = client().connected();
        Lease lease = client.take("b", ofSeconds(60));
        RequestTrap acquires = five.network(0).holdNextRequestContaining("61000");
        RequestTrap renewals = five.network(0).holdNextRequestContaining("90000");

        assertThatThrownBy(() -> client.lock("a", ofSeconds(61)).tryLock())
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContainingAll("lock 'a'", "61000 ms", "maxLease, 60000 ms");
        assertThatThrownBy(() -> lease.extend(ofSeconds(90)))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContainingAll("lock 'b'", "90000 ms", "maxLease, 60000 ms");

        assertThat(acquires.isSprung()).isFalse();
        assertThat(renewals.isSprung()).isFalse();
        assertThat(lease.isValid()).isTrue();
        assertThatThrownBy(() -> client.locks().readWriteLock("a"))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("redlock://");
        assertThatThrownBy(() -> client.locks().semaphore("a", 2)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> client.locks().fairLock("a"))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("the order of their coming");
    }

    @Test
    void serverThatIsNamedTwice_votesOnce() {
        int port = five.server(0).port();
        Holdfast client =
                Holdfast.connect("redlock://127.0.0.1:" + port + ",localhost:" + port + ",127.0.0.1:1?maxLease=60s");
        open.add(client);

        assertThatThrownBy(() -> client.lock("a").tryLock())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("is the same server as ");
    }

    // --- tokens

    @Test
    @Faults({10, 32, 33})
    void tokens_riseOverChangingMajorities_lostCountersAndCountersThatRanAhead() {
        Client one = client().connected();
        Client two = client().connected();
        long before = 0;
        for (int round = 0; round < 15; round++) {
            five.networks().forEach(TcpProxy::restore);
            five.network(round % 5).cut();
            five.network((round + 2) % 5).cut();
            RedisServer server = five.server((round + 1) % 5);
            if (round % 3 == 1) {
                server.command("DEL", "distributed_lock:~fence");
            } else if (round % 3 == 2) {
                // As a server does whose clock is ahead.
                server.command("INCRBY", "distributed_lock:~fence", "700000");
            }
            Client client = round % 2 == 0 ? one : two;
            Lease lease = takeInTheEnd(client);
            assertThat(lease.token()).as("round %s", round).isGreaterThan(before);
            before = lease.token();
            assertThat(lease.release()).isTrue();
            untilNothingIsLeftOnThoseInReach(round);
        }
    }

    private static void untilNothingIsLeftOnThoseInReach(int round) {
        five.network(round % 5).restore();
        five.network((round + 2) % 5).restore();
        untilNothingIsLeft();
    }

    /** One that every server has: on a busy machine one of them may answer too late, and is done without. */
    private static Lease takenOnAll(Client client) {
        List<Lease> taken = new ArrayList<>();
        until("all have it", () -> {
            taken.add(client.take("a", KEPT));
            boolean all = five.servers().stream()
                    .allMatch(server -> server.keys().stream().anyMatch(key -> key.endsWith(":a")));
            if (!all) {
                taken.remove(0).release();
            }
            return all;
        });
        return taken.get(0);
    }

    private static Lease takeInTheEnd(Client client) {
        AtomicInteger tries = new AtomicInteger();
        List<Lease> taken = new ArrayList<>();
        until("it is to be had", () -> {
            try {
                tries.incrementAndGet();
                client.lock("a", ofSeconds(20)).tryAcquire().ifPresent(taken::add);
            } catch (StoreUnavailableException e) {
                // A connection that was cut has to be made anew.
            }
            return !taken.isEmpty();
        });
        return taken.get(0);
    }

    // --- many at once

    @Test
    @Faults(30)
    void clientsThatComeAtTheSameTime_haveTheLockOneAfterTheOther() throws Exception {
        int clients = 5;
        int rounds = 8;
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            CyclicBarrier together = new CyclicBarrier(clients);
            AtomicInteger inside = new AtomicInteger();
            List<Future<Integer>> all = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                DistributedLock lock = client().connected().lock("a");
                all.add(threads.submit(() -> {
                    int alone = 0;
                    for (int round = 0; round < rounds; round++) {
                        together.await();
                        lock.lock();
                        alone += inside.incrementAndGet() == 1 ? 1 : 0;
                        inside.decrementAndGet();
                        alone += lock.unlock() ? 0 : -1;
                    }
                    return alone;
                }));
            }
            for (Future<Integer> one : all) {
                assertThat(get(one)).isEqualTo(rounds);
            }
            untilNothingIsLeft();
        } finally {
            threads.shutdownNow();
        }
    }

    /** Nobody waits, so a vote that is split is held again, after a time of its own for each. */
    @Test
    @Faults(30)
    void clientsThatTryAtTheSameTime_mostlyHaveAWinner_andNeverTwo() throws Exception {
        int clients = 4;
        int rounds = 20;
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            CyclicBarrier together = new CyclicBarrier(clients);
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            AtomicInteger won = new AtomicInteger();
            List<Future<Boolean>> all = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                DistributedLock lock = client().connected().lock("a");
                all.add(threads.submit(() -> {
                    boolean good = true;
                    for (int round = 0; round < rounds; round++) {
                        together.await();
                        boolean got = lock.tryLock();
                        if (got) {
                            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                            won.incrementAndGet();
                        }
                        together.await();
                        if (got) {
                            inside.decrementAndGet();
                            good &= lock.unlock();
                        }
                    }
                    return good;
                }));
            }
            for (Future<Boolean> one : all) {
                assertThat(get(one)).isTrue();
            }
            assertThat(most).hasValue(1);
            assertThat(won).hasValueGreaterThan(rounds / 2);
            untilNothingIsLeft();
        } finally {
            threads.shutdownNow();
        }
    }

    // --- late messages

    /** The request hangs in a connection that breaks, its release overtakes it, and then it comes. */
    @Test
    @Faults({14, 16})
    void acquireThatComesToOneServerAfterItsRelease_isTakenBack() {
        Client client = Client.of(
                five.networkUri("?maxLease=60s&nodeTimeout=500ms"), builder -> builder.commandTimeout(ofSeconds(2)));
        open.add(client.connected());
        HeldRequest held = five.network(0).holdNextRequestContaining("acquire");
        Lease lease = client.take("late", ofSeconds(50));
        held.awaitSprung(ofSeconds(5));
        five.network(0).dropConnections();

        assertThat(lease.release()).isTrue();
        until("the others are free", five::haveNoLock);
        held.release();

        until(
                "it came",
                () -> five.server(0).commandStats().getOrDefault("eval", 0L)
                                + five.server(0).commandStats().getOrDefault("evalsha", 0L)
                        > 0);
        untilNothingIsLeft();
    }

    /** The way to one server is broken when the lock is given back: it must not keep it for the rest of the lease. */
    @Test
    @Faults({19, 22})
    void releaseThatOneServerCannotBeTold_isSaidAgainOnceItIsInReach() {
        Client client = client().connected();
        List<Lease> many = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            many.add(client.take("many:" + i, ofSeconds(50)));
        }
        until(
                "the first server has them all",
                () -> five.server(0).keys().stream()
                                .filter(key -> key.contains(":many:"))
                                .count()
                        == 20);
        five.network(0).cut();

        many.forEach(lease -> assertThat(lease.release()).isTrue());
        assertThat(five.server(0).keys()).anyMatch(key -> key.contains(":many:"));
        five.network(0).restore();

        untilNothingIsLeft();
    }

    /** The same for what falls short of a majority. */
    @Test
    @Faults({16, 22})
    void takingBackThatAServerCannotBeTold_isSaidAgainOnceItIsInReach() {
        Client client = client().connected();
        Trouble.PAUSED.strike(2, 3, 4);
        HeldRequest held = five.network(0).holdNextRequestContaining("retreat");

        assertThatThrownBy(() -> client.lock("a", ofSeconds(50)).tryLock())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("2 of 5 servers granted");
        held.awaitSprung(ofSeconds(5));
        five.network(0).cut();
        assertThat(five.server(0).keys()).anyMatch(key -> key.endsWith(":a"));
        until("nobody can connect", () -> {
            try {
                client.lock("b", ofSeconds(50)).tryLock();
                return false;
            } catch (StoreUnavailableException e) {
                return String.valueOf(e.getMessage()).contains("cannot reach");
            }
        });
        five.network(0).restore();
        five.servers().forEach(RedisServer::resume);

        untilNothingIsLeft();
    }
}
