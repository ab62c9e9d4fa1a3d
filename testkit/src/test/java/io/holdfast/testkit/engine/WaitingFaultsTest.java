package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.Platform;
import io.holdfast.testkit.Faults;
import io.holdfast.testkit.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Wake-ups that are lost or doubled, and waiters that leave. */
class WaitingFaultsTest extends EngineFixture {

    @Test
    void release_givesTheLockToTheWaiterWithNoTimePassing() throws InterruptedException {
        Lease holder = rival.acquire(Duration.ZERO);
        Waiter<Boolean> waiter = waiting(() -> lock.tryLock(Duration.ofMinutes(1)));

        holder.release();

        assertThat(waiter.join()).isTrue();
    }

    @Test
    @Faults(41)
    void releaseBeforeTheSubscriptionLives_isFoundWhenItIsConfirmed() throws InterruptedException {
        Lease holder = rival.acquire(Duration.ZERO);
        store.dropWakeUps(true);
        Waiter<Boolean> waiter = waiting(() -> lock.tryLock(Duration.ofMinutes(1)));
        holder.release();
        settle();
        assertThat(waiter.isDone()).isFalse();

        store.restore();

        assertThat(waiter.join()).isTrue();
    }

    @Test
    @Faults({41, 42})
    void wakeUpThatIsLost_costsOneRecheck() throws InterruptedException {
        Lease holder = rival.acquire(Duration.ZERO);
        store.dropWakeUps(true);
        Waiter<Boolean> waiter = waiting(() -> lock.tryLock(Duration.ofMinutes(1)));

        holder.release();
        pass(Duration.ofSeconds(3));

        assertThat(waiter.join()).isTrue();
    }

    @Test
    @Faults(42)
    void reconnection_hasTheFirstInTheLineAskAgain() throws InterruptedException {
        Lease holder = rival.acquire(Duration.ZERO);
        Waiter<Boolean> one = waiting(() -> lock.tryLock(Duration.ofMinutes(1)));
        Waiter<Boolean> two = waiting(() -> lock.tryLock(Duration.ofMinutes(1)));
        store.cutOff();
        holder.release();
        store.forgetCalls();

        store.restore();

        assertThat(one.join()).isTrue();
        settle();
        assertThat(store.count(Operation.ACQUIRE)).isEqualTo(1);
        assertThat(two.isDone()).isFalse();
    }

    @Test
    @Faults(43)
    void holderThatFellSilent_isFollowedWhenItsLeaseIsOver() throws InterruptedException {
        Lease silent = lock.acquire(Duration.ZERO);
        store.cutOff();
        Waiter<Boolean> waiter = waiting(() -> rival.tryLock(Duration.ofMinutes(1)));

        pass(LEASE.minus(TICK));
        assertThat(waiter.isDone()).isFalse();
        pass(Duration.ofMillis(2));

        assertThat(waiter.join()).isTrue();
        assertThat(silent.isValid()).isFalse();
    }

    @Test
    @Faults(44)
    void release_setsOneOfManyWaitersInMotion() throws InterruptedException {
        Lease holder = rival.acquire(Duration.ZERO);
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiters.add(lock.acquireAsync(Duration.ofHours(1)).toCompletableFuture());
            settle();
        }
        store.forgetCalls();

        holder.release();
        settle();

        assertThat(store.calls()).hasSize(1);
        assertThat(waiters.get(0)).isCompleted();
        assertThat(waiters.subList(1, 20))
                .allSatisfy(waiter -> assertThat(waiter).isNotDone());
    }

    @Test
    @Faults(45)
    void grantThatNobodyHeardOf_isPassedOnWhenTheWaiterTimesOut() throws InterruptedException {
        Lease holder = rival.acquire(Duration.ZERO);
        store.dropWakeUps(true);
        Waiter<Boolean> impatient = waiting(() -> lock.tryLock(Duration.ofMillis(500)));
        holder.release();
        settle();
        assertThat(held()).as("granted, and nobody knows").isPresent();

        pass(Duration.ofMillis(500));

        assertThat(impatient.join()).isFalse();
        assertThat(held()).isEmpty();
        assertThat(rival.tryLock()).isTrue();
    }

    @Test
    @Faults(45)
    void timeOutWhileAskingAgain_givesBackWhatTheAnswerBrings() throws InterruptedException {
        Lease holder = rival.acquire(Duration.ZERO);
        Waiter<Boolean> impatient = waiting(() -> lock.tryLock(Duration.ofMillis(500)));
        store.delay(Duration.ofSeconds(1));
        holder.release();
        settle();
        assertThat(store.count(Operation.ACQUIRE)).as("woken, and asking").isEqualTo(2);

        pass(Duration.ofMillis(500));
        assertThat(impatient.join()).isFalse();
        pass(Duration.ofSeconds(2));

        assertThat(held()).isEmpty();
    }

    @Test
    @Faults(46)
    void interruptBetweenTwoRequests_takesTheTicketBack() throws InterruptedException {
        Lease holder = rival.acquire(Duration.ZERO);
        Waiter<Boolean> waiter = waiting(() -> lock.tryLock(Duration.ofMinutes(1)));

        waiter.thread.interrupt();

        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        settle();
        assertThat(rivals.inspect(NAME).get(0).waiters()).isEmpty();
        assertThat(holder.release()).isTrue();
        assertThat(held()).isEmpty();
    }

    @Test
    @Faults(46)
    void interruptWhileARequestIsUnderWay_givesBackWhatItBrings() {
        store.delay(Duration.ofSeconds(1));
        Waiter<Boolean> waiter = waiting(() -> lock.tryLock(Duration.ofMinutes(1)));

        waiter.thread.interrupt();

        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        assertThat(held()).as("on its way").isPresent();
        pass(Duration.ofSeconds(2));
        assertThat(held()).isEmpty();
        assertThat(losses).isEmpty();
    }

    @Test
    @Faults({45, 46})
    void interruptAfterAGrantThatNobodyHeardOf_passesItOn() throws InterruptedException {
        Lease holder = rival.acquire(Duration.ZERO);
        store.dropWakeUps(true);
        Waiter<Boolean> waiter = waiting(() -> lock.tryLock(Duration.ofMinutes(1)));
        holder.release();
        settle();

        waiter.thread.interrupt();

        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        settle();
        assertThat(held()).isEmpty();
    }

    @Test
    @Faults({45, 46})
    void interruptNoticedWhenTheGrantHasJustComeIn_givesItBack() {
        Duration late = Duration.ofSeconds(1);
        Platform platform = Intercepted.of(Platform.class, clock.platform(), "interrupted", real -> {
            boolean interrupted = (boolean) real.call();
            if (interrupted) {
                clock.advance(late);
            }
            return interrupted;
        });
        Holdfast client = client(builder -> builder.store(store.factory()).platform(platform));
        store.delay(late);
        Waiter<Boolean> waiter = waiting(() -> client.lock(NAME).tryLock(Duration.ofMinutes(1)));

        waiter.thread.interrupt();

        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        store.delay(Duration.ZERO);
        pass(late);
        assertThat(held()).isEmpty();
    }

    @Test
    @Faults(46)
    void interruptOfAReleaseUnderWay_isKeptAndTheReleaseGoesOn() throws InterruptedException {
        Lease lease = lock.acquire(Duration.ZERO);
        store.delay(Duration.ofSeconds(1));
        Waiter<Boolean> release =
                waiting(() -> lease.release() && Thread.currentThread().isInterrupted());

        release.thread.interrupt();
        settle();
        assertThat(release.isDone()).isFalse();
        pass(Duration.ofSeconds(1));

        assertThat(release.join()).isTrue();
        assertThat(held()).isEmpty();
    }

    @Test
    @Faults(48)
    void waiterThatFellSilent_isSkippedOnceItsTicketHasRunOut() throws InterruptedException {
        Lease holder = rival.acquire(Duration.ZERO);
        Waiter<Boolean> silent = waiting(() -> lock.tryLock(Duration.ofMinutes(1)));
        store.cutOff();
        CompletableFuture<Lease> next =
                rival.acquireAsync(Duration.ofMinutes(5)).toCompletableFuture();
        settle();

        holder.release();
        pass(Duration.ofSeconds(10));

        assertThat(next).isCompleted();
        assertThat(silent.isDone()).isFalse();
        store.restore();
        next.join().release();
        assertThat(silent.join()).as("a waiter that comes back is served").isTrue();
    }
}
