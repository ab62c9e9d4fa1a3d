package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.OnLoss;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Capability;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who loses a lease is told, once, and cannot overlook it. */
interface LossContract extends Contract {

    @Test
    @Faults({1, 6, 32})
    default void lease_takenAway_isLostOnceAndSaysSoEverywhere() throws InterruptedException {
        Losses losses = new Losses();
        Lease lease = client(losses, Bench.KEPT).lock(bench().name()).acquire(Duration.ZERO);
        AtomicInteger signals = new AtomicInteger();
        lease.lost().thenRun(signals::incrementAndGet);

        bench().expire();
        bench().until(() -> signals.get() == 1);

        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThatThrownBy(lease::ensureValid).isInstanceOfSatisfying(LeaseLostException.class, lost -> {
            assertThat(lost.reason()).isEqualTo(Loss.Cause.GONE);
            assertThat(lost.token()).isEqualTo(lease.token());
            assertThat(lost.lockName()).isEqualTo(bench().name());
        });
        assertThat(lease.release()).isFalse();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        bench().until(() -> losses.causes().size() == 1);
        // Three more chances to say it a second time.
        bench().lock().acquire(Bench.PATIENCE).close();
        assertThat(losses.causes()).containsExactly(Loss.Cause.GONE);
        assertThat(signals).hasValue(1);
    }

    @Test
    @Faults(52)
    default void threadsHold_takenAway_isNeitherHeldNorReentered() {
        DistributedLock lock = client(new Losses()).lock(bench().name());
        lock.lock();
        lock.lock();
        bench().expire();
        bench().until(() -> !lock.isHeldByCurrentThread());

        assertThat(lock.getHoldCount()).isZero();
        assertThatThrownBy(lock::lock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::tryLock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> lock.tryLock(Duration.ofSeconds(1))).isInstanceOf(LeaseLostException.class);
        assertThat(lock.unlock()).isFalse();
        assertThat(lock.unlock()).isFalse();

        assertThat(lock.tryLock()).as("free to be taken anew").isTrue();
        assertThat(lock.unlock()).isTrue();
    }

    @Test
    @Faults({32, 51})
    default void unlock_ofWhatWasTakenAwayUnnoticed_isFalse() throws InterruptedException {
        Losses losses = new Losses();
        DistributedLock lock =
                bench().client(builder -> builder.listener(losses)).lock(bench().name());
        lock.lock();
        bench().expire();
        Lease now = bench().lock().acquire(Bench.PATIENCE);

        assertThat(lock.unlock()).isFalse();

        assertThat(now.isValid()).isTrue();
        assertThat(bench().isFree()).isFalse();
        assertThat(now.release()).isTrue();
        bench().until(() -> losses.causes().size() == 1);
    }

    @Test
    @Faults({27, 32})
    default void lossOfEverything_isTheLossOfEachLease() throws InterruptedException {
        Losses losses = new Losses();
        Holdfast client = client(losses, Bench.KEPT);
        Lease one = client.lock(bench().name()).acquire(Duration.ZERO);
        Lease two = client.lock(bench().name() + ":two").acquire(Duration.ZERO);

        bench().loseEverything();

        bench().until(() -> !one.isValid() && !two.isValid());
        bench().until(() -> losses.causes().size() == 2);
        assertThat(losses.causes()).containsOnly(Loss.Cause.GONE);
        assertThat(bench().isFree()).isTrue();
    }

    @Test
    default void onLoss_interrupt_interruptsTheHoldingThread() {
        DistributedLock lock = client(new Losses()).lock(bench().name(), options -> options.onLoss(OnLoss.INTERRUPT));
        CompletableFuture<Void> locked = new CompletableFuture<>();
        Actor<Boolean> holder = bench().start(() -> {
            lock.lock();
            locked.complete(null);
            try {
                Thread.sleep(Bench.PATIENCE.toMillis());
                return false;
            } catch (InterruptedException expected) {
                return !lock.unlock();
            }
        });
        locked.join();

        bench().expire();

        assertThat(holder.join()).isTrue();
    }

    /** The lease to read with is another than the one to write with. */
    @Test
    default void onLoss_interrupt_interruptsAThreadThatWroteAndReadsOn() {
        bench().needs(Capability.SHARING);
        DistributedReadWriteLock lock =
                client(new Losses()).readWriteLock(bench().name(), options -> options.onLoss(OnLoss.INTERRUPT));
        CompletableFuture<Boolean> readsOn = new CompletableFuture<>();
        Actor<Boolean> holder = bench().start(() -> {
            lock.writeLock().lock();
            lock.readLock().lock();
            readsOn.complete(lock.writeLock().unlock());
            try {
                Thread.sleep(Bench.PATIENCE.toMillis());
                return false;
            } catch (InterruptedException expected) {
                return !lock.readLock().unlock();
            }
        });
        assertThat(readsOn.join()).isTrue();

        bench().expire();

        assertThat(holder.join()).isTrue();
    }

    @Test
    default void onLoss_notify_interruptsNobody() {
        Losses losses = new Losses();
        DistributedLock lock = client(losses).lock(bench().name());
        lock.lock();
        bench().expire();
        bench().until(() -> losses.causes().size() == 1);

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(lock.unlock()).isFalse();
    }

    @Test
    default void cleanRelease_isNeverALoss() throws InterruptedException {
        Losses losses = new Losses();
        DistributedLock lock = client(losses).lock(bench().name());
        Lease lease = lock.acquire(Duration.ZERO);
        AtomicInteger signals = new AtomicInteger();
        lease.lost().thenRun(signals::incrementAndGet);

        assertThat(lease.release()).isTrue();
        assertThat(lease.release()).isFalse();
        lease.close();
        // Longer than the lease and its renewals would have taken.
        DistributedLock explicit = bench().lock();
        explicit.tryLock(0, Bench.RENEWED.toMillis() * 6 / 5, java.util.concurrent.TimeUnit.MILLISECONDS);
        bench().until(() -> !explicit.isHeldByCurrentThread());

        assertThat(losses.causes()).isEmpty();
        assertThat(signals).hasValue(0);
        assertThatThrownBy(lease::ensureValid).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Faults({4, 21})
    default void lease_whoseStoreIsOutOfReach_isLostAtItsDeadline() throws InterruptedException {
        Losses losses = new Losses();
        Lease lease = client(losses).lock(bench().name()).acquire(Duration.ZERO);
        bench().store().cutOff();

        bench().until(() -> losses.causes().size() == 1);

        assertThat(losses.causes()).containsExactly(Loss.Cause.EXPIRED);
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    @Faults({4, 21, 22, 50})
    default void store_cutOff_failsByTheDeadlineAndComesBack() throws InterruptedException {
        assumeTrue(bench().control().canCut(), "the store's control cannot cut it off");
        Losses losses = new Losses();
        Lease lease = client(losses).lock(bench().name()).acquire(Duration.ZERO);
        bench().control().cut();
        try {
            bench().until(() -> losses.causes().size() == 1);
            assertThat(lease.isValid()).isFalse();
            assertThatThrownBy(() -> bench().lock().tryLock()).isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> bench().lock().tryLock(Duration.ofMillis(300)))
                    .isInstanceOf(StoreUnavailableException.class);
        } finally {
            bench().control().restore();
        }
        bench().lock().acquire(Bench.PATIENCE).close();
    }

    private Holdfast client(Losses losses) {
        return client(losses, Bench.RENEWED);
    }

    private Holdfast client(Losses losses, Duration lease) {
        LockOptions options = LockOptions.builder().lease(lease).build();
        return bench().client(builder -> builder.options(options).listener(losses));
    }
}
