package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Capability;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.StoreEvents;
import io.holdfast.spi.StoreFactory;
import io.holdfast.testkit.FaultyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.awaitility.Awaitility;

/** What one test of the contract works with: clients, threads, a lock's name; and the check at its end. */
final class Bench {
    /** How long anything may take on a busy machine before it counts as never. */
    static final Duration PATIENCE = Duration.ofSeconds(30);
    /** So long that no test sees its end. */
    static final Duration LONG = Duration.ofSeconds(20);
    /** For tests that wait until a lease is over. */
    static final Duration SHORT = Duration.ofMillis(600);
    /** For tests that see renewals, and the end of a lease that is renewed no more. */
    static final Duration RENEWED = Duration.ofMillis(1_200);
    /** For tests that need the renewals to come in time, on a machine that stands still for two seconds too. */
    static final Duration KEPT = Duration.ofSeconds(4);

    private final Set<Capability> capabilities;
    private final StoreControl control;
    private final Witness witness = new Witness();
    private final StoreFactory probe;
    private final FaultyStore store;
    private final String name = "contract:" + UUID.randomUUID();
    private final Set<Thread> threadsBefore = libraryThreads();
    private final List<Holdfast> clients = new ArrayList<>();
    private final List<DirectStore> directs = new ArrayList<>();
    private final List<Actor<?>> actors = new ArrayList<>();

    Bench(StoreFactory factory, Set<Capability> capabilities, StoreControl control) {
        this.capabilities = capabilities;
        this.control = control;
        this.probe = new Probe(factory, witness);
        this.store = FaultyStore.over(probe);
        // What an earlier test may have left on the thread that JUnit uses for all of them.
        Thread.interrupted();
    }

    /** Skips the test if the store does not claim to be able to do this. */
    void needs(Capability capability) {
        assumeTrue(capabilities.contains(capability), "the store does not declare " + capability);
    }

    Set<Capability> capabilities() {
        return capabilities;
    }

    StoreControl control() {
        return control;
    }

    /** Fault switches and the record of requests, for all clients of this test. */
    FaultyStore store() {
        return store;
    }

    Witness witness() {
        return witness;
    }

    /** The name of this test's lock, which no other test uses. */
    String name() {
        return name;
    }

    /** Takes the lock from its holder as if the lease had run out. */
    void expire() {
        witness.disturb(() -> control.expire(name));
    }

    void loseEverything() {
        witness.disturb(control::loseEverything);
    }

    // --- clients

    /** A client whose leases do not end during a test. */
    Holdfast client() {
        return client(LONG);
    }

    Holdfast client(Duration lease) {
        return client(
                builder -> builder.options(LockOptions.builder().lease(lease).build()));
    }

    synchronized Holdfast client(Consumer<Holdfast.Builder> changes) {
        Holdfast.Builder builder = Holdfast.builder().store(store.factory());
        changes.accept(builder);
        Holdfast client = builder.build();
        clients.add(client);
        return client;
    }

    /** This test's lock, of a new client. */
    DistributedLock lock() {
        return client().lock(name);
    }

    /** This test's lock, of a new client. */
    DistributedLock lock(Duration lease) {
        return client(lease).lock(name);
    }

    synchronized DirectStore direct() {
        DirectStore direct = DirectStore.open(probe);
        directs.add(direct);
        return direct;
    }

    synchronized DirectStore direct(StoreEvents events) {
        DirectStore direct = DirectStore.open(probe, events);
        directs.add(direct);
        return direct;
    }

    // --- threads

    synchronized <T> Actor<T> start(Callable<T> script) {
        Actor<T> actor = new Actor<>(script);
        actors.add(actor);
        return actor;
    }

    /** A thread that waits for the lock and gives it back at once, seen to be waiting. */
    Actor<Boolean> waiter(DistributedLock lock) {
        int before = witness.waitingEver(name);
        Actor<Boolean> actor = start(() -> {
            lock.lock();
            return lock.unlock();
        });
        until(() -> witness.waitingEver(name) > before);
        return actor;
    }

    /**
     * A thread that waits for the lock for so long and no longer, seen to have been told to wait. It may be gone by then, and
     * answers false if it did not get the lock.
     */
    Actor<Boolean> impatient(DistributedLock lock, Duration wait) {
        int before = witness.waitingEver(name);
        Actor<Boolean> actor = start(() -> {
            do {
                try {
                    return lock.tryLock(wait);
                } catch (StoreUnavailableException busyMachine) {
                    assertThat(busyMachine).hasMessageContaining("did not answer within");
                }
            } while (witness.waitingEver(name) == before);
            return false;
        });
        awaitWaitingEver(before + 1);
        return actor;
    }

    /** Waits until so many have been told by the store to wait for this test's lock. */
    void awaitWaiting(int waiters) {
        until(() -> witness.waiting(name) >= waiters);
    }

    /** Waits until so many have been told by the store to wait for this test's lock, whether they still do or not. */
    void awaitWaitingEver(int waiters) {
        until(() -> witness.waitingEver(name) >= waiters);
    }

    void awaitNobodyWaiting() {
        until(() -> witness.waiting(name) == 0);
    }

    void until(BooleanSupplier condition) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .pollInSameThread()
                .until(condition::getAsBoolean);
    }

    /** Whether the condition came true in that time. */
    boolean within(Duration time, BooleanSupplier condition) {
        long until = System.nanoTime() + time.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - until > 0) {
                return false;
            }
            LockSupport.parkNanos(1_000_000);
        }
        return true;
    }

    // --- questions

    /** Whether the lock can be had now, asked from another client; nothing is changed by it. */
    boolean isFree() {
        try (Holdfast client = client()) {
            return client.lock(name)
                    .tryAcquire()
                    .map(lease -> {
                        lease.close();
                        return true;
                    })
                    .orElse(false);
        }
    }

    /** The token that the lock is given out with now. */
    long nextToken() throws InterruptedException {
        try (Holdfast client = client();
                Lease lease = client.lock(name).acquire(PATIENCE)) {
            return lease.token();
        }
    }

    // --- the end

    /** Ends everything, and checks that nothing is left and no invariant was broken. */
    void closeAndCheck() {
        close();
        assertThat(witness.violations()).as("broken invariants").isEmpty();
        untilEmpty("left in the store", control::leftovers);
        untilEmpty("threads left behind", () -> {
            Set<Thread> left = new HashSet<>(libraryThreads());
            left.removeAll(threadsBefore);
            return left.stream().map(Thread::toString).toList();
        });
    }

    void close() {
        Thread.interrupted();
        store.restore();
        // Closing ends every wait, so that no thread of the test is left.
        List.copyOf(clients).forEach(Holdfast::close);
        directs.forEach(this::leave);
        for (Actor<?> actor : List.copyOf(actors)) {
            until(actor::isDone);
        }
    }

    /** A store without an engine has nobody who gives back what a test has left. */
    private void leave(DirectStore direct) {
        for (Witness.Trace trace : witness.traces()) {
            if (trace.owner().startsWith(direct.clientId() + ":")) {
                direct.store()
                        .release(trace.name(), trace.owner())
                        .exceptionally(closedByTheTest -> ReleaseReply.NOT_OWNER)
                        .toCompletableFuture()
                        .join();
            }
        }
        direct.close();
    }

    private static void untilEmpty(String what, Callable<List<String>> left) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .untilAsserted(() -> assertThat(left.call()).as(what).isEmpty());
    }

    private static Set<Thread> libraryThreads() {
        Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
        threads.removeIf(thread -> !thread.getName().startsWith("holdfast-"));
        return threads;
    }
}
