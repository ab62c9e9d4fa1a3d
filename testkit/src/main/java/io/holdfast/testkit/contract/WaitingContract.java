package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Capability;
import io.holdfast.spi.LockInfo;
import io.holdfast.testkit.Faults;
import io.holdfast.testkit.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A free lock finds the one who waits for it, and only that one. */
interface WaitingContract extends Contract {

    @Test
    @Faults(41)
    default void release_wakesTheWaiterLongBeforeItsRecheck() {
        bench().needs(Capability.NOTIFICATION);
        DistributedLock holder = bench().lock();
        DistributedLock lock = bench().lock();
        long best = Long.MAX_VALUE;
        for (int round = 0; round < 5; round++) {
            AtomicLong obtained = new AtomicLong();
            holder.lock();
            Actor<Boolean> waiter = bench().start(() -> {
                lock.lock();
                obtained.set(System.nanoTime());
                return lock.unlock();
            });
            bench().awaitWaiting(1);
            long released = System.nanoTime();
            holder.unlock();
            assertThat(waiter.join()).isTrue();
            best = Math.min(best, obtained.get() - released);
        }
        // The best of five: a busy machine may spoil any one of them.
        assertThat(Duration.ofNanos(best)).isLessThan(Duration.ofMillis(150));
    }

    @Test
    @Faults({41, 42})
    default void waiter_whoseWakeUpIsLost_getsTheLockAllTheSame() {
        DistributedLock holder = bench().lock();
        holder.lock();
        bench().store().dropWakeUps(true);
        Actor<Boolean> waiter = bench().waiter(bench().lock());

        holder.unlock();

        assertThat(waiter.join()).isTrue();
    }

    @Test
    @Faults(43)
    default void waiter_behindAHolderThatIsSilent_getsTheLockWhenTheLeaseIsOver() throws InterruptedException {
        DistributedLock silent = bench().client()
                .lock(bench().name(), options -> options.lease(Bench.SHORT).renewal(false));
        assertThat(silent.tryAcquire()).isPresent();

        bench().lock().acquire(Bench.PATIENCE).close();
    }

    @Test
    @Faults(49)
    default void waiters_areServedFirstComeFirstServed() {
        bench().needs(Capability.FIRST_COME);
        DistributedLock holder = bench().lock();
        holder.lock();
        List<Integer> served = new CopyOnWriteArrayList<>();
        List<Actor<Boolean>> waiters = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int place = i;
            DistributedLock lock = bench().lock();
            waiters.add(bench().start(() -> {
                lock.lock();
                served.add(place);
                return lock.unlock();
            }));
            bench().awaitWaiting(i + 1);
        }

        holder.unlock();

        waiters.forEach(waiter -> assertThat(waiter.join()).isTrue());
        assertThat(served).containsExactly(0, 1, 2, 3, 4, 5);
    }

    @Test
    @Faults(44)
    default void release_setsOneWaiterInMotionAndNotAllOfThem() {
        bench().needs(Capability.NOTIFICATION);
        int waiters = 12;
        DistributedLock holder = bench().lock();
        holder.lock();
        List<Actor<Boolean>> actors = new ArrayList<>();
        for (int i = 0; i < waiters; i++) {
            DistributedLock lock = bench().lock();
            actors.add(bench().start(() -> {
                lock.lock();
                return lock.unlock();
            }));
        }
        bench().awaitWaiting(waiters);
        bench().store().forgetCalls();

        holder.unlock();
        actors.forEach(actor -> assertThat(actor.join()).isTrue());

        // One each to take what it was given, and room for re-checks. A herd would need 78.
        assertThat(bench().store().count(Operation.ACQUIRE)).isLessThan(3 * waiters);
    }

    @Test
    @Faults(45)
    default void waiterThatGivesUp_doesNotKeepTheNextFromItsTurn() throws InterruptedException {
        DistributedLock holder = bench().lock();
        holder.lock();
        Actor<Boolean> head = bench().impatient(bench().lock(), Duration.ofMillis(300));
        Actor<Boolean> next = bench().waiter(bench().lock());
        assertThat(head.join()).isFalse();

        holder.unlock();

        assertThat(next.join()).isTrue();
    }

    @Test
    @Tag("race")
    @Faults({16, 45})
    default void grantsThatRaceWithTimeOuts_areNeitherLostNorKept() {
        List<Holdfast> clients = List.of(bench().client(), bench().client());
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger obtained = new AtomicInteger();
        List<Actor<Boolean>> actors = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            DistributedLock lock = clients.get(i % 2).lock(bench().name());
            actors.add(bench().start(() -> {
                boolean alone = true;
                for (int round = 0; round < 60; round++) {
                    long micros = ThreadLocalRandom.current().nextLong(1, 3_000);
                    if (triesFor(lock, Duration.ofNanos(micros * 1_000))) {
                        alone &= inside.incrementAndGet() == 1;
                        obtained.incrementAndGet();
                        inside.decrementAndGet();
                        alone &= lock.unlock();
                    }
                }
                return alone;
            }));
        }
        actors.forEach(actor -> assertThat(actor.join()).isTrue());

        assertThat(obtained).hasPositiveValue();
        bench().awaitNobodyWaiting();
        bench().until(bench()::isFree);
    }

    /** A store that takes longer than the wait, on a busy machine, is told of: the lock is not had then, either. */
    private static boolean triesFor(DistributedLock lock, Duration wait) throws InterruptedException {
        try {
            return lock.tryLock(wait);
        } catch (StoreUnavailableException e) {
            assertThat(e).hasMessageContaining("did not answer within");
            return false;
        }
    }

    @Test
    @Faults({14, 15})
    default void waiter_whoseRequestsAndAnswersGetLost_isServed() {
        DistributedLock holder = bench().lock();
        holder.lock();
        bench().store().loseNextRequest(Operation.ACQUIRE);
        Actor<Boolean> waiter = bench().waiter(bench().lock());
        bench().store().loseNextReply(Operation.ACQUIRE);

        holder.unlock();

        assertThat(waiter.join()).isTrue();
    }

    @Test
    default void inspect_showsWhoHoldsAndWhoWaits() throws InterruptedException {
        Holdfast client = bench().client();
        try (Lease lease = client.lock(bench().name()).acquire(Duration.ZERO)) {
            Actor<Boolean> waiter = bench().waiter(bench().lock());

            LockInfo lock = client.inspect(bench().name()).get(0);
            assertThat(lock.name()).isEqualTo(bench().name());
            assertThat(lock.owner()).isPresent();
            assertThat(lock.token()).hasValue(lease.token());
            assertThat(lock.remaining()).isBetween(Duration.ofSeconds(1), Bench.LONG);
            assertThat(lock.waiters()).hasSize(1);
            assertThat(client.inspect(bench().name().substring(0, 20) + "*"))
                    .extracting(LockInfo::name)
                    .contains(bench().name());
            assertThat(client.inspect(bench().name() + "x")).isEmpty();

            lease.release();
            waiter.join();
        }
        assertThat(client.inspect(bench().name())).isEmpty();
    }
}
