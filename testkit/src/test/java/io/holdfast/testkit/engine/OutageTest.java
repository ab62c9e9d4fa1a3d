package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.ClientClosedException;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.Loss;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Faults;
import io.holdfast.testkit.FaultyStore;
import io.holdfast.testkit.Operation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** "Cannot know" is never reported as "held by another", and never waited for longer than was asked. */
@Faults(50)
class OutageTest extends EngineFixture {
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

    @Test
    void formsThatDoNotWait_failAtOnce() {
        store.cutOff();

        assertThatThrownBy(lock::tryLock)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining(NAME)
                .hasMessageContaining("cannot be reached");
        assertThatThrownBy(lock::tryAcquire).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> lock.tryLock(Duration.ZERO)).isInstanceOf(StoreUnavailableException.class);
        CompletableFuture<?> stage = lock.tryAcquireAsync().toCompletableFuture();
        settle();
        assertThatThrownBy(stage::join).hasCauseInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void timedWaits_failAtTheirDeadline() {
        store.cutOff();
        Waiter<?> tryLock = waiting(() -> lock.tryLock(Duration.ofSeconds(10)));
        Waiter<?> acquire = waiting(() -> lock.acquire(Duration.ofSeconds(10)));
        Waiter<?> tryAcquire = waiting(() -> lock.tryAcquire(Duration.ofSeconds(10)));
        CompletableFuture<?> async = lock.acquireAsync(Duration.ofSeconds(10)).toCompletableFuture();

        pass(Duration.ofSeconds(10).minus(TICK));
        assertThat(tryLock.isDone() || acquire.isDone() || tryAcquire.isDone() || async.isDone())
                .isFalse();
        pass(TICK);

        assertThat(tryLock.failure()).isInstanceOf(StoreUnavailableException.class);
        assertThat(acquire.failure()).isInstanceOf(StoreUnavailableException.class);
        assertThat(tryAcquire.failure()).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(async::join).hasCauseInstanceOf(StoreUnavailableException.class);
    }

    /** Somebody stood before it, but nobody knows whether another holds the lock. */
    @Test
    void waitThatHasJustGotTheLead_isNotToldThatAnotherHoldsTheLock() {
        store.hang();
        Waiter<?> first = waiting(() -> lock.tryLock(Duration.ofMillis(20)));
        Waiter<?> second = waiting(() -> lock.tryLock(Duration.ofMillis(30)));

        pass(Duration.ofMillis(20));
        assertThat(first.failure()).isInstanceOf(StoreUnavailableException.class);
        pass(Duration.ofMillis(10));
        assertThat(second.isDone()).isFalse();
        pass(Duration.ofMillis(70));

        assertThat(second.failure()).isInstanceOf(StoreUnavailableException.class);
    }

    /** A thread of its own client has had the lock, and nobody knows what became of that. */
    @Test
    void waitBehindOneThatIsToReadOn_andWhoseTimeIsOver_isNotToldThatItHoldsTheLock() {
        Consumer<LockOptions.Builder> options = changes -> changes.lease(Duration.ofSeconds(1));
        DistributedLock brief = locks.lock(NAME, options);
        Waiter<Boolean> reader = waiting(() -> {
            assertThat(brief.tryLock()).isTrue();
            assertThat(locks.readWriteLock(NAME, options).readLock().tryLock()).isTrue();
            store.hang();
            return brief.unlock();
        });
        Waiter<?> early = waiting(() -> brief.tryLock(Duration.ofMillis(500)));
        pass(Duration.ofMillis(500));
        assertThat(early.join()).as("it still has it").isEqualTo(false);
        pass(Duration.ofMillis(600));
        Waiter<?> late = waiting(() -> brief.tryLock(Duration.ofMillis(300)));

        pass(Duration.ofMillis(300));

        assertThat(late.failure()).isInstanceOf(StoreUnavailableException.class);
        pass(COMMAND_TIMEOUT);
        assertThat(reader.join())
                .as("it was protected until it wanted to read on")
                .isTrue();
    }

    /** Not one after the other, each for the whole limit. */
    @Test
    void line_givesUpTogether_whenTheOutageOutlastsItsLimit() {
        store.cutOff();
        Waiter<?> leader = waiting(() -> lock(lock));
        Waiter<?> second = waiting(() -> lock(lock));
        Waiter<?> third = waiting(() -> lock(lock));

        pass(Duration.ofSeconds(29));
        assertThat(leader.isDone() || second.isDone() || third.isDone()).isFalse();
        pass(Duration.ofSeconds(4));

        assertThat(leader.failure()).isInstanceOf(StoreUnavailableException.class);
        assertThat(second.failure()).isInstanceOf(StoreUnavailableException.class);
        assertThat(third.failure()).isInstanceOf(StoreUnavailableException.class);
    }

    private static boolean lock(DistributedLock lock) {
        lock.lock();
        return true;
    }

    @Test
    void timedWaits_onAStoreThatHangs_failByTheirDeadlineAndOneCommand() {
        store.hang();
        Waiter<?> waiter = waiting(() -> lock.tryLock(Duration.ofMillis(100)));
        CompletableFuture<?> async = lock.acquireAsync(Duration.ofMillis(100)).toCompletableFuture();

        pass(Duration.ofMillis(100));
        assertThatThrownBy(async::join).hasCauseInstanceOf(StoreUnavailableException.class);
        pass(COMMAND_TIMEOUT);

        assertThat(waiter.failure()).isInstanceOf(StoreUnavailableException.class);
    }

    /** The lock was held by another when it was last heard of, and that says nothing about now. */
    @Test
    void outageDuringAWait_isAnErrorAtTheDeadline() throws InterruptedException {
        Lease holder = rival.acquire(Duration.ZERO);
        Waiter<?> waiter = waiting(() -> lock.tryLock(Duration.ofSeconds(10)));
        store.cutOff();

        pass(Duration.ofSeconds(10));

        assertThat(waiter.failure()).isInstanceOf(StoreUnavailableException.class);
        assertThat(holder.isValid()).isTrue();
    }

    @Test
    void outageThatGoesBy_isNoError() throws InterruptedException {
        Lease holder = rival.acquire(Duration.ZERO);
        Waiter<?> waiter = waiting(() -> lock.acquire(Duration.ofSeconds(10)));
        store.cutOff();
        pass(Duration.ofSeconds(5));
        store.restore();
        pass(Duration.ofSeconds(5));

        assertThat(waiter.failure()).as("the truth again").isInstanceOf(LockTimeoutException.class);
        assertThat(holder.isValid()).isTrue();
    }

    @Test
    void lock_givesUpWhenTheOutageOutlastsItsLimit() {
        store.cutOff();
        Waiter<?> waiter = waiting(() -> {
            lock.lock();
            return null;
        });

        pass(Duration.ofSeconds(29));
        assertThat(waiter.isDone()).isFalse();
        pass(Duration.ofSeconds(3));

        assertThat(waiter.failure())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining(NAME);
    }

    @Test
    void lock_waitsOnThroughOutagesThatGoBy() {
        assertThat(rival.tryLock()).isTrue();
        Waiter<?> waiter = waiting(() -> {
            lock.lock();
            return null;
        });
        for (int i = 0; i < 5; i++) {
            store.cutOff();
            pass(Duration.ofSeconds(25));
            store.restore();
            settle();
            assertThat(waiter.isDone()).isFalse();
        }
        rival.unlock();

        assertThat(waiter.join()).isNull();
    }

    @Test
    void lockHeldByAnother_isWaitedForWithoutLimit() {
        assertThat(rival.tryLock()).isTrue();
        Waiter<?> waiter = waiting(() -> {
            lock.lockInterruptibly();
            return null;
        });

        pass(Duration.ofMinutes(20));

        assertThat(waiter.isDone()).isFalse();
        rival.unlock();
        assertThat(waiter.join()).isNull();
    }

    @Test
    @Faults({4, 47})
    void close_duringAnOutage_endsEverything() throws InterruptedException {
        FaultyStore gone = over(clock);
        Holdfast client = client(builder -> builder.store(gone.factory()));
        Lease lease = client.lock(NAME).acquire(Duration.ZERO);
        Waiter<?> waiter = waiting(() -> client.lock(NAME).acquire(Duration.ofHours(1)));
        CompletableFuture<?> async =
                client.lock(NAME).acquireAsync(Duration.ofHours(1)).toCompletableFuture();
        settle();
        gone.cutOff();

        client.close();

        assertThat(waiter.failure()).isInstanceOf(ClientClosedException.class);
        assertThatThrownBy(async::join).hasCauseInstanceOf(ClientClosedException.class);
        assertThat(lease.lost().toCompletableFuture().join().cause()).isEqualTo(Loss.Cause.CLIENT_CLOSED);
        pass(LEASE);
        assertThat(rival.tryLock())
                .as("what could not be released ends with its lease")
                .isTrue();
    }

    @Test
    @Faults({4, 37, 47})
    void close_whileTheStoreHangs_endsEverything() throws InterruptedException {
        FaultyStore stuck = over(clock);
        Holdfast client = client(builder -> builder.store(stuck.factory()));
        Lease lease = client.lock(NAME).acquire(Duration.ZERO);
        stuck.hang();
        Waiter<?> waiter = waiting(() -> client.lock("other").acquire(Duration.ofHours(1)));
        CompletableFuture<?> async = client.lock("third").tryAcquireAsync().toCompletableFuture();

        client.close();

        assertThat(waiter.failure()).isInstanceOf(ClientClosedException.class);
        assertThat(async).isCompletedExceptionally();
        assertThat(lease.lost().toCompletableFuture().join().cause()).isEqualTo(Loss.Cause.CLIENT_CLOSED);
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void renewals_goOnAfterAnOutageShorterThanTheLease() throws InterruptedException {
        Lease lease = lock.acquire(Duration.ZERO);
        for (int i = 0; i < 5; i++) {
            store.cutOff();
            pass(Duration.ofSeconds(15));
            store.restore();
            pass(Duration.ofSeconds(10));
        }

        assertThat(lease.isValid()).isTrue();
        assertThat(store.count(Operation.RENEW)).isGreaterThan(10);
        assertThat(losses).isEmpty();
    }
}
