package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.ClientClosedException;
import io.holdfast.DistributedLock;
import io.holdfast.Hold;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockListener;
import io.holdfast.Loss;
import io.holdfast.OnLoss;
import io.holdfast.testkit.Faults;
import io.holdfast.testkit.Operation;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What becomes of holds, renewed and not, and of those who hold them. */
class HoldFaultsTest extends EngineFixture {

    @Test
    void renewal_comesEveryThirdOfTheLease() throws InterruptedException {
        Lease lease = lock.acquire(Duration.ZERO);

        pass(Duration.ofSeconds(10).minus(TICK));
        assertThat(store.count(Operation.RENEW)).isZero();
        pass(TICK);
        assertThat(store.count(Operation.RENEW)).isEqualTo(1);
        assertThat(lease.remaining()).isEqualTo(VALID);
        pass(Duration.ofMinutes(60));

        assertThat(store.count(Operation.RENEW)).isEqualTo(361);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void renewals_doNotGrowWithTheTrafficOfLocks() throws InterruptedException {
        for (int i = 0; i < 500; i++) {
            lock.acquire(Duration.ZERO).close();
            pass(Duration.ofMillis(20));
        }
        store.forgetCalls();
        Lease lease = lock.acquire(Duration.ZERO);

        pass(Duration.ofMinutes(1));

        assertThat(store.count(Operation.RENEW)).isEqualTo(6);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void leaseWithoutRenewal_endsToTheMoment() throws InterruptedException {
        Lease lease = locks.lock(NAME, options -> options.renewal(false)).acquire(Duration.ZERO);

        pass(VALID.minus(TICK));
        assertThat(lease.isValid()).isTrue();
        pass(TICK);

        assertThat(losses).containsExactly(Loss.Cause.EXPIRED);
        assertThat(lease.isValid()).isFalse();
        assertThat(rival.tryLock()).as("the store gives it up a little later").isFalse();
        pass(LEASE.minus(VALID));
        assertThat(rival.tryLock()).isTrue();
        assertThat(store.count(Operation.RENEW)).isZero();
    }

    @Test
    void maxHold_endsTheRenewalAndSaysSo() throws InterruptedException {
        Lease lease = locks.lock(NAME, options -> options.maxHold(Duration.ofSeconds(45)))
                .acquire(Duration.ZERO);

        pass(Duration.ofSeconds(45));
        assertThat(lease.isValid()).isTrue();
        pass(LEASE);

        assertThat(losses).containsExactly(Loss.Cause.MAX_HOLD);
        assertThat(store.count(Operation.RENEW)).isEqualTo(4);
        pass(LEASE);
        assertThat(rival.tryLock()).isTrue();
    }

    /** Whoever looks before the timer has run is told the same cause. */
    @Test
    void maxHold_isTheCauseAlsoForWhoLooksFirst() throws InterruptedException {
        Lease lease = locks.lock(NAME, options -> options.maxHold(Duration.ofSeconds(45)))
                .acquire(Duration.ZERO);
        pass(Duration.ofSeconds(50));

        clock.pause(LEASE);

        assertThatThrownBy(lease::ensureValid)
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.reason()).isEqualTo(Loss.Cause.MAX_HOLD));
    }

    @Test
    @Faults(52)
    void reentryAfterTheDeadline_isRefusedFromTheFirstLookOn() {
        lock.lock();

        clock.pause(VALID);

        assertThatThrownBy(lock::lock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::tryLock).isInstanceOf(LeaseLostException.class);
        assertThat(lock.getHoldCount()).isZero();
        assertThat(lock.unlock()).isFalse();
        settle();
        assertThat(losses).containsExactly(Loss.Cause.EXPIRED);
    }

    @Test
    @Faults(52)
    void unlockOfAnInnerHoldAfterTheLoss_isFalseTillTheOuterOne() {
        lock.lock();
        lock.lock();
        assertThat(lock.unlock()).isTrue();
        lock.lock();
        store.lose(NAME);

        assertThat(lock.unlock()).isFalse();
        assertThatThrownBy(lock::lock).isInstanceOf(LeaseLostException.class);
        assertThat(lock.unlock()).isFalse();
        assertThat(lock.unlock()).isFalse();
        lock.lock();
        assertThat(lock.getHoldCount()).isEqualTo(1);
        assertThat(lock.unlock()).isTrue();
    }

    @Test
    @Faults(53)
    void threadThatDied_isNoLongerRenewedFor() {
        assertThat(started(lock::tryLock).join()).isTrue();
        Awaitility.await()
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("Thread-")));

        pass(Duration.ofSeconds(10));

        assertThat(losses).containsExactly(Loss.Cause.HOLDER_DIED);
        assertThat(store.count(Operation.RENEW)).isZero();
        assertThat(rival.tryLock()).isFalse();
        pass(Duration.ofSeconds(20));
        assertThat(rival.tryLock()).isTrue();
        assertThat(losses).hasSize(1);
    }

    @Test
    void leaseOfAThreadThatDied_isRenewed() {
        Lease lease = started(() -> lock.acquire(Duration.ZERO)).join();

        pass(Duration.ofMinutes(2));

        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void leaseThatNobodyRefersTo_isNoLongerRenewed() {
        assertThat(lock.tryAcquire()).isPresent();

        Awaitility.await().until(() -> {
            System.gc();
            pass(Duration.ofSeconds(10));
            return !losses.isEmpty();
        });

        assertThat(losses).containsExactly(Loss.Cause.ABANDONED);
    }

    @Test
    void onLoss_interrupts_onlyTheThreadThatHolds() {
        DistributedLock interrupting = locks.lock(NAME, options -> options.onLoss(OnLoss.INTERRUPT));
        interrupting.lock();

        store.lose(NAME);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(interrupting.unlock()).isFalse();
        interrupting.lock();
        assertThat(interrupting.unlock()).isTrue();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void lossToldTwice_isOneLoss() throws InterruptedException {
        Lease lease = lock.acquire(Duration.ZERO);
        List<Loss> told = new ArrayList<>();
        lease.lost().thenAccept(told::add);

        store.lose(NAME);
        store.expireNow(NAME);
        clock.pause(LEASE);
        lease.isValid();
        pass(LEASE);
        lease.release();
        locks.close();

        assertThat(told).extracting(Loss::cause).containsExactly(Loss.Cause.GONE);
        assertThat(losses).containsExactly(Loss.Cause.GONE);
    }

    /** The deadline passes while the answer that says it is gone is still on its way. */
    @Test
    @Faults({5, 6})
    void lossFoundInTwoWays_isOneLoss() throws InterruptedException {
        Lease lease = lock.acquire(Duration.ZERO);
        store.expireNow(NAME);
        store.delay(Duration.ofSeconds(1));
        pass(Duration.ofSeconds(10));
        assertThat(store.count(Operation.RENEW)).isEqualTo(1);

        clock.pause(LEASE);
        assertThat(lease.isValid()).isFalse();
        pass(LEASE);

        assertThat(losses).containsExactly(Loss.Cause.EXPIRED);
    }

    @Test
    @Faults(47)
    void lossWhileClosing_isOneLoss() throws InterruptedException {
        Lease lease = lock.acquire(Duration.ZERO);

        locks.close();

        Awaitility.await().until(() -> !losses.isEmpty());
        assertThat(losses).containsExactly(Loss.Cause.CLIENT_CLOSED);
        assertThat(lease.release()).isFalse();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> lock.acquire(Duration.ofSeconds(1))).isInstanceOf(ClientClosedException.class);
        CompletableFuture<?> late = lock.acquireAsync(Duration.ofSeconds(1)).toCompletableFuture();
        assertThatThrownBy(late::join).hasCauseInstanceOf(ClientClosedException.class);
        assertThat(rival.tryLock()).isTrue();
    }

    @Test
    void batch_ofManyLeases_isRenewedTogether() throws InterruptedException {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            leases.add(locks.lock(NAME + i).acquire(Duration.ZERO));
        }
        pass(Duration.ofMinutes(5));

        assertThat(leases).allSatisfy(lease -> assertThat(lease.isValid()).isTrue());
        assertThat(store.count(Operation.RENEW)).isEqualTo(600 * 30);
        leases.forEach(Lease::close);
        assertThat(losses).isEmpty();
    }

    /** One bad lease among many is lost alone. */
    @Test
    @Faults(32)
    void batch_withOneLeaseGone_losesThatOne() throws InterruptedException {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            leases.add(locks.lock(NAME + i).acquire(Duration.ZERO));
        }
        store.expireNow(NAME + 3);

        pass(Duration.ofMinutes(1));

        assertThat(losses).containsExactly(Loss.Cause.GONE);
        for (int i = 0; i < 10; i++) {
            assertThat(leases.get(i).isValid()).isEqualTo(i != 3);
        }
    }

    /** No state of a name outlives its last lease and its last waiter, whatever their end was. */
    @Test
    void endedHolds_areForgotten() throws InterruptedException {
        List<WeakReference<Hold>> holds = new ArrayList<>();
        LockListener witness = new LockListener() {
            @Override
            public void acquired(Hold hold, Duration waited) {
                holds.add(new WeakReference<>(hold));
            }
        };
        Holdfast client = client(builder -> builder.store(over(clock).factory()).listener(witness));
        obtainAfterWaiting(client).release();
        Lease expired = obtainAfterWaiting(client);
        clock.pause(LEASE);
        assertThat(expired.release()).isFalse();
        settle();
        assertThat(holds).hasSize(2);
        expired = null;

        Awaitility.await().until(() -> {
            System.gc();
            pass(LEASE);
            return holds.stream().allMatch(hold -> hold.get() == null);
        });
    }

    private Lease obtainAfterWaiting(Holdfast client) throws InterruptedException {
        Lease holder = rival.acquire(Duration.ZERO);
        CompletableFuture<Lease> waiter =
                client.lock(NAME).acquireAsync(Duration.ofMinutes(1)).toCompletableFuture();
        settle();
        holder.release();
        settle();
        return waiter.join();
    }
}
