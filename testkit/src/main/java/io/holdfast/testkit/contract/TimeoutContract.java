package io.holdfast.testkit.contract;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.testkit.Faults;
import io.holdfast.testkit.Operation;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A wait ends when it was told to. */
interface TimeoutContract extends Contract {
    Duration WAIT = Duration.ofMillis(150);
    /** What a busy machine may add to a wait; far below any re-check. */
    Duration SLACK = Duration.ofMillis(1_500);

    @Test
    default void waitsOfZeroOrLess_answerAtOnceAndLeaveNoTicket() throws InterruptedException {
        assertThat(bench().lock().tryLock()).isTrue();
        DistributedLock lock = bench().lock();
        bench().store().forgetCalls();

        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.tryLock(0, SECONDS)).isFalse();
        assertThat(lock.tryLock(-1, SECONDS)).isFalse();
        assertThat(lock.tryLock(Long.MIN_VALUE, SECONDS)).isFalse();
        assertThat(lock.tryLock(Duration.ZERO)).isFalse();
        assertThat(lock.tryLock(Duration.ofSeconds(-5))).isFalse();
        assertThat(lock.tryAcquire()).isEmpty();
        assertThat(lock.tryAcquire(Duration.ofSeconds(Long.MIN_VALUE))).isEmpty();

        assertThat(bench().store().calls()).hasSize(8).allSatisfy(call -> {
            assertThat(call.operation()).isEqualTo(Operation.ACQUIRE);
            assertThat(call.waits()).isFalse();
        });
    }

    @Test
    default void waitsOfZeroOrLess_takeAFreeLock() throws InterruptedException {
        DistributedLock lock = bench().lock();

        assertThat(lock.tryLock(-1, SECONDS)).isTrue();
        lock.unlock();
        assertThat(lock.tryLock(Duration.ZERO)).isTrue();
        lock.unlock();
        lock.acquire(Duration.ZERO).close();
    }

    @Test
    default void tryLock_whoseWaitIsOver_isFalseInTime() throws InterruptedException {
        assertThat(bench().lock().tryLock()).isTrue();
        DistributedLock lock = bench().lock();
        long before = System.nanoTime();

        assertThat(lock.tryLock(WAIT.toMillis(), MILLISECONDS)).isFalse();

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isBetween(WAIT, WAIT.plus(SLACK));
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    default void acquire_whoseWaitIsOver_throws() {
        assertThat(bench().lock().tryLock()).isTrue();
        DistributedLock lock = bench().lock();
        long before = System.nanoTime();

        assertThatThrownBy(() -> lock.acquire(WAIT))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining(bench().name())
                .hasMessageContaining("150 ms");

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isBetween(WAIT, WAIT.plus(SLACK));
    }

    @Test
    default void tryAcquire_whoseWaitIsOver_isEmpty() throws InterruptedException {
        assertThat(bench().lock().tryLock()).isTrue();

        assertThat(bench().lock().tryAcquire(WAIT)).isEmpty();
    }

    @Test
    default void waits_longerThanTheClockCounts_waitOn() throws InterruptedException {
        DistributedLock holder = bench().lock();
        holder.lock();
        DistributedLock lock = bench().lock();
        Actor<Boolean> first = bench().start(() -> lock.tryLock(Long.MAX_VALUE, SECONDS) && lock.unlock());
        bench().awaitWaiting(1);
        DistributedLock other = bench().lock();
        Actor<Boolean> second = bench().start(() -> {
            try (Lease lease = other.acquire(Duration.ofSeconds(Long.MAX_VALUE))) {
                return lease.isValid();
            }
        });
        bench().awaitWaiting(2);
        // In the line of its client, behind the first.
        Actor<Boolean> third = bench().start(() -> lock.tryLock(Long.MAX_VALUE - 1, NANOSECONDS) && lock.unlock());
        bench().until(third::rests);

        holder.unlock();

        assertThat(first.join()).isTrue();
        assertThat(second.join()).isTrue();
        assertThat(third.join()).isTrue();
    }

    @Test
    @Faults(45)
    default void waitThatIsOver_leavesNothing() throws InterruptedException {
        DistributedLock holder = bench().lock();
        holder.lock();
        DistributedLock lock = bench().lock();
        assertThat(lock.tryLock(WAIT)).isFalse();
        Actor<Boolean> behind = bench().waiter(bench().lock());
        bench().until(() -> bench().witness().waiting(bench().name()) == 1);

        holder.unlock();

        assertThat(behind.join()).isTrue();
        assertThat(bench().isFree()).isTrue();
    }
}
