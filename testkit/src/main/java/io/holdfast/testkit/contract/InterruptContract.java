package io.holdfast.testkit.contract;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.testkit.Faults;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An interrupt ends a wait where the signature says so, is kept everywhere else, and leaves nothing behind. */
@Faults(46)
interface InterruptContract extends Contract {

    /** Every way to wait that an interrupt ends. */
    private static Map<String, Callable<Object>> waits(DistributedLock lock) {
        return Map.of(
                "tryLock", () -> lock.tryLock(30, SECONDS),
                "tryLock with a lease", () -> lock.tryLock(30, 5, SECONDS),
                "lockInterruptibly",
                        () -> {
                            lock.lockInterruptibly();
                            return true;
                        },
                "acquire", () -> lock.acquire(Bench.PATIENCE),
                "tryAcquire", () -> lock.tryAcquire(Bench.PATIENCE),
                "asLock",
                        () -> {
                            lock.asLock().lockInterruptibly();
                            return true;
                        });
    }

    @Test
    default void interruptBeforeTheWait_endsItAndAsksNothing() {
        DistributedLock lock = bench().lock();
        waits(lock).forEach((form, wait) -> {
            Actor<Boolean> actor = bench().start(() -> {
                Thread.currentThread().interrupt();
                try {
                    return wait.call() == null;
                } catch (InterruptedException expected) {
                    return Thread.currentThread().isInterrupted();
                }
            });
            assertThat(actor.join()).as("%s: flag still set", form).isFalse();
        });
        assertThat(bench().store().calls()).isEmpty();
    }

    @Test
    default void interruptDuringTheWait_endsItAndLeavesNothing() {
        DistributedLock holder = bench().lock();
        holder.lock();
        DistributedLock lock = bench().lock();
        waits(lock).forEach((form, wait) -> {
            Actor<Object> actor = bench().start(wait);
            bench().awaitWaiting(1);

            actor.interrupt();

            assertThat(actor.failure()).as(form).isInstanceOf(InterruptedException.class);
            bench().awaitNobodyWaiting();
        });
        holder.unlock();
        assertThat(bench().isFree()).isTrue();
    }

    @Test
    default void lock_isNotEndedByAnInterrupt_andKeepsIt() {
        DistributedLock holder = bench().lock();
        holder.lock();
        DistributedLock lock = bench().lock();
        Actor<Boolean> actor = bench().start(() -> {
            lock.lock();
            boolean kept = Thread.currentThread().isInterrupted();
            return lock.unlock() && kept && Thread.currentThread().isInterrupted();
        });
        bench().awaitWaiting(1);

        actor.interrupt();
        bench().until(actor::rests);
        assertThat(actor.isDone()).isFalse();
        holder.unlock();

        assertThat(actor.join()).isTrue();
    }

    @Test
    default void formsThatDoNotWait_ignoreTheInterruptAndKeepIt() {
        DistributedLock lock = bench().lock();
        Actor<Boolean> actor = bench().start(() -> {
            Thread.currentThread().interrupt();
            boolean all = lock.tryLock() && lock.unlock();
            all &= lock.tryAcquire().map(Lease::release).orElse(false);
            lock.lock();
            all &= lock.unlock();
            return all && Thread.currentThread().isInterrupted();
        });

        assertThat(actor.join()).isTrue();
    }

    @Test
    @Tag("race")
    default void interruptAtAnyMoment_leaksNothing() {
        DistributedLock lock = bench().lock();
        DistributedLock other = bench().lock();
        Actor<Integer> traffic = bench().start(() -> {
            int rounds = 0;
            do {
                if (other.tryLock()) {
                    pause(200_000);
                    assertThat(other.unlock()).isTrue();
                }
                rounds++;
            } while (!Thread.currentThread().isInterrupted());
            return rounds;
        });
        for (int round = 0; round < 100; round++) {
            Actor<Object> actor = bench().start(() -> {
                try (Lease lease = lock.acquire(Bench.PATIENCE)) {
                    return lease.token();
                } catch (InterruptedException expected) {
                    return 0;
                }
            });
            pause(ThreadLocalRandom.current().nextLong(600_000));
            actor.interrupt();
            actor.join();
        }
        traffic.interrupt();
        assertThat(traffic.join()).isPositive();
        bench().awaitNobodyWaiting();

        bench().until(bench()::isFree);
    }

    private static void pause(long nanos) {
        LockSupport.parkNanos(nanos);
    }
}
