package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.FencingGate;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StaleTokenException;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One holder at a time. */
interface ExclusionContract extends Contract {

    /** A number that only a lock protects: two threads at once lose an update. */
    final class Counter {
        private volatile int value;

        void increment() {
            int seen = value;
            LockSupport.parkNanos(1_000);
            value = seen + 1;
        }
    }

    @Test
    default void tryLock_whileAnotherThreadHolds_isFalse() {
        Holdfast client = bench().client();
        assertThat(client.lock(bench().name()).tryLock()).isTrue();

        assertThat(bench().start(() -> client.lock(bench().name()).tryLock()).join())
                .isFalse();
    }

    @Test
    default void tryLock_whileAnotherClientHolds_isFalse() {
        assertThat(bench().lock().tryLock()).isTrue();

        assertThat(bench().lock().tryLock()).isFalse();
    }

    @Test
    default void tryLock_afterUnlock_isTrueForOthers() {
        DistributedLock first = bench().lock();
        first.lock();
        assertThat(first.unlock()).isTrue();

        assertThat(bench().lock().tryLock()).isTrue();
    }

    @Test
    default void similarNames_areDifferentLocks() {
        Holdfast client = bench().client();
        List<String> names = new ArrayList<>();
        for (String name : List.of("a", "A", "a:b", "a:", ":a", "a b", "{a}", "{a}b", "a*", "a?", "ä", "锁", "a~")) {
            names.add(bench().name() + name);
        }
        for (String name : names) {
            assertThat(client.lock(name).tryLock()).as(name).isTrue();
        }
        for (String name : names) {
            assertThat(client.lock(name).unlock()).as(name).isTrue();
        }
    }

    @Test
    @Tag("race")
    default void counter_ofManyThreads_losesNoUpdate() {
        Holdfast client = bench().client();
        Counter counter = new Counter();

        allOf(6, thread -> () -> {
            DistributedLock lock = client.lock(bench().name());
            for (int i = 0; i < 50; i++) {
                lock.lock();
                try {
                    counter.increment();
                } finally {
                    assertThat(lock.unlock()).isTrue();
                }
            }
            return null;
        });

        assertThat(counter.value).isEqualTo(300);
    }

    @Test
    @Tag("race")
    default void counter_ofManyClients_losesNoUpdate() {
        Counter counter = new Counter();
        List<Holdfast> clients = List.of(bench().client(), bench().client(), bench().client());

        allOf(6, thread -> () -> {
            DistributedLock lock = clients.get(thread % 3).lock(bench().name());
            for (int i = 0; i < 40; i++) {
                try (Lease lease = lock.acquire(Bench.PATIENCE)) {
                    counter.increment();
                    lease.ensureValid();
                }
            }
            return null;
        });

        assertThat(counter.value).isEqualTo(240);
    }

    @Test
    @Tag("race")
    default void counter_throughEveryFormOfTheLock_losesNoUpdate() {
        Counter counter = new Counter();
        List<Holdfast> clients = List.of(bench().client(), bench().client());

        allOf(6, thread -> () -> {
            DistributedLock lock = clients.get(thread % 2).lock(bench().name());
            for (int i = 0; i < 25; i++) {
                switch (thread) {
                    case 0 -> underJdkLock(lock.asLock(), counter);
                    case 1 -> {
                        while (!lock.tryLock(1, TimeUnit.SECONDS)) {
                            Thread.onSpinWait();
                        }
                        counter.increment();
                        lock.unlock();
                    }
                    case 2 -> {
                        lock.lockInterruptibly();
                        counter.increment();
                        lock.unlock();
                    }
                    default ->
                        lock.acquireAsync(Bench.PATIENCE)
                                .thenAccept(lease -> {
                                    counter.increment();
                                    lease.close();
                                })
                                .toCompletableFuture()
                                .get(Bench.PATIENCE.toSeconds(), TimeUnit.SECONDS);
                }
            }
            return null;
        });

        assertThat(counter.value).isEqualTo(150);
    }

    private static void underJdkLock(Lock lock, Counter counter) {
        lock.lock();
        try {
            counter.increment();
        } finally {
            lock.unlock();
        }
    }

    /** Leases are taken away at random moments: exclusion is then the resource's business, with the tokens. */
    @Test
    @Tag("race")
    @Faults({1, 3, 27, 32})
    default void fencedResource_whileLocksVanish_admitsTokensOnlyInOrder() {
        FencingGate gate = FencingGate.inMemory();
        List<Long> admitted = new ArrayList<>();
        AtomicInteger left = new AtomicInteger(4);

        for (int writer = 0; writer < 4; writer++) {
            DistributedLock lock = bench().lock();
            bench().start(() -> {
                try {
                    for (int i = 0; i < 30; i++) {
                        write(lock, gate, admitted);
                    }
                } finally {
                    left.decrementAndGet();
                }
                return null;
            });
        }
        bench().until(() -> {
            bench().expire();
            return left.get() == 0;
        });

        assertThat(admitted).isNotEmpty().isSorted();
    }

    private static void write(DistributedLock lock, FencingGate gate, List<Long> admitted) throws InterruptedException {
        Lease lease = lock.acquire(Bench.PATIENCE);
        LockSupport.parkNanos(1_000);
        synchronized (admitted) {
            try {
                gate.admit("resource", lease.token());
                admitted.add(lease.token());
            } catch (StaleTokenException expected) {
                // Somebody newer was here: the write is refused, as it should be.
            }
        }
        lease.release();
    }

    @Test
    default void holdersOfOtherNames_areLeftAlone() throws InterruptedException {
        Holdfast client = bench().client();
        Lease other = client.lock(bench().name() + ":other").acquire(Duration.ZERO);
        Lease lease = client.lock(bench().name()).acquire(Duration.ZERO);

        assertThat(lease.release()).isTrue();

        assertThat(other.isValid()).isTrue();
        assertThat(other.release()).isTrue();
    }

    private void allOf(int threads, java.util.function.IntFunction<Callable<Void>> script) {
        List<Actor<Void>> actors = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            actors.add(bench().start(script.apply(thread)));
        }
        actors.forEach(Actor::join);
    }
}
