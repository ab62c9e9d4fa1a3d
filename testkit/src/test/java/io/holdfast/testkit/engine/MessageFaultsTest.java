package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Loss;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Platform;
import io.holdfast.testkit.Call;
import io.holdfast.testkit.Faults;
import io.holdfast.testkit.FaultyStore;
import io.holdfast.testkit.Operation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Messages that are lost, late, doubled, or overtaken by others. */
class MessageFaultsTest extends EngineFixture {
    private static final Duration SHORT = Duration.ofSeconds(1);

    @Test
    @Faults({2, 37})
    void grantOlderThanItsLease_isNotHeldAndGivenBack() {
        DistributedLock shortLived = locks.lock(NAME, options -> options.lease(SHORT));
        store.delay(Duration.ofMillis(1_500));
        Waiter<Boolean> waiter = waiting(shortLived::tryLock);

        pass(Duration.ofMillis(1_500));

        assertThat(waiter.failure())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("1000 ms");
        assertThat(only(Operation.RELEASE).owner())
                .isEqualTo(only(Operation.ACQUIRE).owner());
        assertThat(losses).as("it was never held").isEmpty();
    }

    @Test
    @Faults(2)
    void grantOlderThanItsLease_isAskedForAgainUnderAnotherId() {
        DistributedLock shortLived = locks.lock(NAME, options -> options.lease(SHORT));
        store.delay(Duration.ofMillis(1_500));
        Waiter<Boolean> waiter = waiting(() -> shortLived.tryLock(Duration.ofSeconds(20)));
        pass(Duration.ofMillis(1_500));
        assertThat(waiter.isDone()).isFalse();

        store.delay(Duration.ZERO);
        pass(Duration.ofSeconds(3));

        assertThat(waiter.join()).isTrue();
        List<Call> acquires = store.calls(Operation.ACQUIRE);
        assertThat(acquires).hasSizeGreaterThan(1);
        assertThat(acquires.get(acquires.size() - 1).owner())
                .isNotEqualTo(acquires.get(0).owner());
    }

    @Test
    @Faults(13)
    void copyOfAClient_cannotTouchTheOthersLease() throws InterruptedException {
        Holdfast original = client(builder -> builder.store(store.factory()).platform(copied()));
        Holdfast copy = client(builder -> builder.store(over(clock).factory()).platform(copied()));
        Lease lease = original.lock(NAME).acquire(Duration.ZERO);

        assertThat(copy.lock(NAME).tryLock()).isFalse();
        CompletableFuture<Lease> next =
                copy.lock(NAME).acquireAsync(Duration.ofMinutes(1)).toCompletableFuture();
        settle();
        String first = held().orElseThrow().owner().orElseThrow();
        String second = rivals.inspect(NAME).get(0).waiters().get(0);
        assertThat(second).as("same client id, another owner id").startsWith(first.substring(0, first.indexOf(':')));
        assertThat(second).isNotEqualTo(first);

        assertThat(lease.release()).isTrue();
        settle();
        assertThat(lease.release()).isFalse();
        assertThat(next.join().token()).isGreaterThan(lease.token());
        assertThat(next.join().release()).isTrue();
    }

    /** The first number drawn is the client's id: the same for every copy. */
    private Platform copied() {
        AtomicBoolean drawn = new AtomicBoolean();
        return Intercepted.of(
                Platform.class,
                clock.platform(),
                "draw",
                real -> drawn.compareAndSet(false, true) ? Long.valueOf(4_711) : real.call());
    }

    @Test
    @Faults(14)
    void requestThatIsLost_isRepeatedUnderTheSameId() {
        store.loseNextRequest(Operation.ACQUIRE);
        Waiter<Boolean> waiter = waiting(() -> lock.tryLock(Duration.ofSeconds(10)));

        pass(Duration.ofMillis(100));

        assertThat(waiter.join()).isTrue();
        assertSameOwner(store.calls(Operation.ACQUIRE), 2);
    }

    @Test
    @Faults(15)
    void answerThatIsLost_costsNoSecondToken() {
        store.loseNextReply(Operation.ACQUIRE);
        Waiter<Lease> waiter = waiting(() -> lock.acquire(Duration.ofSeconds(10)));
        long granted = held().orElseThrow().token().orElseThrow();

        pass(Duration.ofMillis(100));

        assertThat(waiter.join().token()).isEqualTo(granted);
        assertSameOwner(store.calls(Operation.ACQUIRE), 2);
        assertThat(waiter.join().release()).isTrue();
    }

    /** Counted from the repetition by the client, and from the first request by the store, it would be held twice. */
    @Test
    @Faults(15)
    void answerLostAndAskedAgainMuchLater_isTheFullLeaseOnBothSides() throws InterruptedException {
        store.loseNextReply(Operation.ACQUIRE);
        Waiter<Lease> waiter = waiting(() -> lock.acquire(Duration.ofMinutes(1)));
        store.cutOff();
        pass(Duration.ofSeconds(20));
        store.restore();
        Lease lease = waiter.join();
        store.cutOff();

        pass(VALID.minus(TICK));
        assertThat(lease.isValid()).isTrue();
        assertThat(rival.tryLock()).isFalse();

        pass(Duration.ofSeconds(1));
        assertThat(lease.isValid()).isFalse();
        assertThat(rival.tryLock()).isTrue();
    }

    @Test
    @Faults(15)
    void tryLock_whoseAnswerIsLost_failsAndLeavesNothing() {
        store.loseNextReply(Operation.ACQUIRE);

        assertThatThrownBy(lock::tryLock).isInstanceOf(StoreUnavailableException.class);
        settle();

        assertThat(held()).isEmpty();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    @Faults(16)
    void acquireDeliveredTwice_isNotHeldAndEndsWithItsLease() {
        lock.lock();
        lock.unlock();

        store.repeat(only(Operation.ACQUIRE));

        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.unlock()).isFalse();
        assertThat(rival.tryLock()).isFalse();
        pass(LEASE);
        assertThat(rival.tryLock()).isTrue();
        assertThat(losses).isEmpty();
    }

    @Test
    @Faults({16, 37, 50})
    void acquireCarriedOutAfterTheCallerGaveUp_isGivenBack() {
        store.hang();
        Waiter<Boolean> waiter = waiting(() -> lock.tryLock(Duration.ofSeconds(1)));
        pass(Duration.ofSeconds(3));
        assertThat(waiter.failure()).isInstanceOf(StoreUnavailableException.class);

        store.restore();
        pass(Duration.ofSeconds(5));

        assertThat(held()).isEmpty();
        assertThat(rival.tryLock()).isTrue();
    }

    @Test
    @Faults({16, 45})
    void answerThatComesAfterTheTimeOut_isUndoneByWhoeverReadsIt() {
        store.delay(SHORT);
        CompletableFuture<?> stage = lock.tryAcquireAsync(Duration.ofMillis(5)).toCompletableFuture();

        pass(Duration.ofMillis(5));
        assertThat(stage).isCompletedExceptionally();
        assertThat(held()).as("carried out, not yet answered").isPresent();
        pass(SHORT);

        assertThat(held()).isEmpty();
    }

    @Test
    @Faults(17)
    void releaseOfAnEarlierHold_deliveredLate_hasNoEffect() {
        lock.lock();
        lock.unlock();
        lock.lock();

        assertThat(store.repeat(store.calls(Operation.RELEASE).get(0))).isEqualTo("NOT_OWNER");

        pass(Duration.ofMinutes(1));
        assertThat(rival.tryLock()).isFalse();
        assertThat(lock.unlock()).isTrue();
        assertThat(losses).isEmpty();
    }

    @Test
    @Faults(18)
    void renewalDeliveredAfterTheRelease_hasNoEffect() {
        lock.lock();
        pass(Duration.ofSeconds(10));
        Call renewal = only(Operation.RENEW);
        lock.unlock();

        assertThat(store.repeat(renewal)).contains("Gone");
        assertThat(held()).isEmpty();

        assertThat(rival.tryLock()).isTrue();
        pass(Duration.ofSeconds(5));
        Duration left = held().orElseThrow().remaining();
        assertThat(store.repeat(renewal)).contains("Gone");
        assertThat(held().orElseThrow().remaining()).isEqualTo(left);
    }

    @Test
    @Faults(18)
    void renewalAnsweredAfterTheRelease_isNoLoss() {
        lock.lock();
        pass(Duration.ofSeconds(9));
        store.delay(SHORT);
        pass(Duration.ofSeconds(1));
        assertThat(store.count(Operation.RENEW)).isEqualTo(1);
        store.delay(Duration.ZERO);
        assertThat(lock.unlock()).isTrue();

        pass(Duration.ofMinutes(1));

        assertThat(losses).isEmpty();
        assertThat(store.count(Operation.RENEW)).isEqualTo(1);
    }

    @Test
    @Faults(19)
    void releaseWhoseAnswerIsLost_isReportedAsReleasedAndRepeated() {
        lock.lock();
        store.loseNextReply(Operation.RELEASE);

        assertThat(lock.unlock()).isTrue();
        assertThat(rival.tryLock()).isTrue();
        pass(Duration.ofSeconds(1));

        assertSameOwner(store.calls(Operation.RELEASE), 2);
        assertThat(rival.unlock()).isTrue();
        assertThat(losses).isEmpty();
    }

    @Test
    @Faults(19)
    void releaseDuringAnOutage_isRepeatedUntilItArrives() {
        lock.lock();
        store.cutOff();

        assertThat(lock.unlock()).as("protected to its end").isTrue();
        pass(Duration.ofSeconds(5));
        assertThat(rival.tryLock()).isFalse();
        store.restore();
        pass(Duration.ofSeconds(3));

        assertThat(rival.tryLock()).isTrue();
        assertThat(losses).isEmpty();
    }

    /** An id that was named in a release is dead: no thread of the same client lives on under it. */
    @Test
    @Faults(17)
    void slowRelease_doesNotHitTheNextThreadOfTheSameClient() throws InterruptedException {
        Lease lease = lock.acquire(Duration.ZERO);
        store.delay(SHORT);
        Waiter<Boolean> release = waiting(lease::release);
        assertThat(lease.isValid())
                .as("not from the moment the release is sent")
                .isFalse();
        store.delay(Duration.ZERO);

        Lease next = lock.acquire(Duration.ZERO);
        pass(SHORT);

        assertThat(release.join()).isTrue();
        assertThat(next.isValid()).isTrue();
        List<Call> acquires = store.calls(Operation.ACQUIRE);
        assertThat(acquires.get(0).owner()).isNotEqualTo(acquires.get(1).owner());
        pass(Duration.ofMinutes(1));
        assertThat(next.release()).isTrue();
        assertThat(losses).isEmpty();
    }

    @Test
    void extension_isNotShortenedByTheRenewalsThatFollow() throws InterruptedException {
        Lease lease = lock.acquire(Duration.ZERO);
        lease.extend(Duration.ofMinutes(10));
        pass(Duration.ofSeconds(20));
        assertThat(store.calls(Operation.RENEW)).hasSizeGreaterThan(1);
        store.cutOff();

        pass(Duration.ofMinutes(9));
        assertThat(lease.isValid()).isTrue();
        assertThat(rival.tryLock()).isFalse();
        pass(Duration.ofMinutes(1));

        assertThat(losses).containsExactly(Loss.Cause.EXPIRED);
        assertThat(rival.tryLock()).isTrue();
    }

    @Test
    void extensionWhoseAnswerIsLost_promisesNothing() throws InterruptedException {
        Lease lease = lock.acquire(Duration.ZERO);
        store.loseNextReply(Operation.RENEW);

        assertThatThrownBy(() -> lease.extend(Duration.ofMinutes(10))).isInstanceOf(StoreUnavailableException.class);

        assertThat(lease.remaining()).isEqualTo(VALID);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @Faults({4, 14})
    void renewalThatFails_isTriedAgainWithinTheLease() {
        lock.lock();
        for (int i = 0; i < 5; i++) {
            store.loseNextRequest(Operation.RENEW);
        }
        pass(Duration.ofSeconds(15));

        assertThat(store.count(Operation.RENEW)).isGreaterThan(5);
        pass(Duration.ofMinutes(1));
        assertThat(lock.unlock()).isTrue();
        assertThat(losses).isEmpty();
    }

    private static void assertSameOwner(List<Call> calls, int times) {
        assertThat(calls).hasSize(times);
        assertThat(calls).extracting(Call::owner).containsOnly(calls.get(0).owner());
    }

    /** Not a fault, and the ground for all of them: the switches of one client do not reach the other. */
    @Test
    void rival_isNotConcernedByTheFaults() {
        store.cutOff();
        assertThat(rival.tryLock()).isTrue();
        FaultyStore other = over(clock);
        assertThat(other.calls()).isEmpty();
    }
}
