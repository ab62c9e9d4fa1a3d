package io.holdfast.testkit.contract;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.testkit.Faults;
import io.holdfast.testkit.Operation;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A lease ends by itself, unless it is renewed; and what ends it is told. */
interface ExpiryContract extends Contract {

    @Test
    @Faults(43)
    default void explicitLease_isNotRenewedAndGoesToTheNext() throws InterruptedException {
        DistributedLock lock = bench().lock();
        long before = System.nanoTime();
        assertThat(lock.tryLock(0, Bench.SHORT.toMillis(), MILLISECONDS)).isTrue();

        Lease next = bench().lock().acquire(Bench.PATIENCE);

        assertThat(System.nanoTime() - before).isGreaterThan(almost(Bench.SHORT));
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.unlock()).isFalse();
        assertThat(next.isValid()).isTrue();
        assertThat(bench().store().count(Operation.RENEW)).isZero();
    }

    @Test
    default void leaseWithoutRenewal_isLostAtItsEnd() throws InterruptedException {
        Losses losses = new Losses();
        Lease lease = bench().client(builder -> builder.listener(losses))
                .lock(bench().name(), options -> options.lease(Bench.SHORT).renewal(false))
                .acquire(Duration.ZERO);

        bench().until(() -> !lease.isValid());

        bench().until(() -> losses.causes().equals(java.util.List.of(Loss.Cause.EXPIRED)));
        assertThat(lease.release()).isFalse();
    }

    @Test
    default void renewedLease_outlivesItsLength() throws InterruptedException {
        Lease lease = bench().lock(Bench.KEPT).acquire(Duration.ZERO);
        long token = lease.token();
        DistributedLock other = bench().lock();

        // A third of it apart.
        bench().until(() -> {
            assertThat(other.tryAcquire()).isEmpty();
            return bench().store().count(Operation.RENEW) >= 4;
        });

        assertThat(lease.isValid()).isTrue();
        assertThat(lease.token()).isEqualTo(token);
        assertThat(lease.release()).isTrue();
        assertThat(other.tryAcquire()).isPresent();
    }

    @Test
    @Faults({6, 17})
    default void release_afterExpiry_leavesTheNewOwnerAlone() throws InterruptedException {
        DistributedLock lock = bench().client()
                .lock(bench().name(), options -> options.lease(Bench.SHORT).renewal(false));
        Lease old = lock.acquire(Duration.ZERO);
        Lease now = bench().lock().acquire(Bench.PATIENCE);

        assertThat(old.isValid()).isFalse();
        assertThat(old.release()).isFalse();
        assertThatThrownBy(old::close).isInstanceOf(LeaseLostException.class);

        assertThat(bench().isFree()).isFalse();
        assertThat(now.release()).isTrue();
    }

    @Test
    default void extend_makesTheLeaseLastLonger() throws InterruptedException {
        Duration longer = Bench.RENEWED.multipliedBy(3).dividedBy(2);
        Lease lease = bench().client()
                .lock(bench().name(), options -> options.lease(Bench.RENEWED).renewal(false))
                .acquire(Duration.ZERO);
        long before = System.nanoTime();

        lease.extend(longer);
        assertThat(lease.remaining()).isGreaterThan(Bench.RENEWED);
        bench().lock().acquire(Bench.PATIENCE).close();

        assertThat(System.nanoTime() - before).isGreaterThan(almost(longer));
    }

    @Test
    default void extend_byLessThanIsLeft_shortensNothing() throws InterruptedException {
        Lease lease = bench().lock().acquire(Duration.ZERO);
        Duration before = lease.remaining();

        lease.extend(LockOptions.MIN_LEASE);

        assertThat(lease.remaining()).isGreaterThan(before.minus(Duration.ofSeconds(5)));
        bench().until(() -> lease.remaining().compareTo(before.minus(LockOptions.MIN_LEASE.multipliedBy(2))) < 0);
        assertThat(bench().isFree()).isFalse();
        assertThat(lease.release()).isTrue();
    }

    /** The watchdog's renewals are shorter than what the lease was extended to. */
    @Test
    default void renewal_afterExtend_shortensNothing() throws InterruptedException {
        Lease lease = bench().lock(Bench.RENEWED).acquire(Duration.ZERO);
        lease.extend(Bench.LONG);
        Duration shorter = Bench.LONG.minus(Bench.RENEWED.multipliedBy(3).dividedBy(2));
        bench().until(() -> bench().store().calls(Operation.RENEW).stream()
                .anyMatch(call -> call.lease().equals(Bench.RENEWED)));

        // No renewal from here on can make up for one that has shortened the lease.
        bench().store().cutOff();
        bench().until(() -> lease.remaining().compareTo(shorter) < 0);
        assertThat(lease.isValid()).isTrue();
        bench().store().restore();

        assertThat(bench().isFree()).isFalse();
        assertThat(lease.release()).isTrue();
    }

    @Test
    default void extend_ofWhatIsNoLongerOurs_throws() throws InterruptedException {
        Lease lost = bench().lock().acquire(Duration.ZERO);
        bench().expire();

        assertThatThrownBy(() -> lost.extend(Bench.LONG))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining(bench().name());

        Lease released = bench().lock().acquire(Duration.ZERO);
        released.release();
        assertThatThrownBy(() -> released.extend(Bench.LONG)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    default void maxHold_endsTheRenewal() throws InterruptedException {
        Losses losses = new Losses();
        Lease lease = bench().client(builder -> builder.listener(losses))
                .lock(bench().name(), options -> options.lease(Bench.RENEWED).maxHold(Bench.RENEWED.dividedBy(2)))
                .acquire(Duration.ZERO);
        long before = System.nanoTime();

        bench().lock().acquire(Bench.PATIENCE).close();

        assertThat(System.nanoTime() - before).isGreaterThan(almost(Bench.RENEWED));
        assertThat(lease.isValid()).isFalse();
        bench().until(() -> losses.causes().size() == 1);
        assertThat(losses.causes()).containsExactly(Loss.Cause.MAX_HOLD);
    }

    @Test
    @Faults(53)
    default void lock_ofAThreadThatDied_isReportedAndFree() throws InterruptedException {
        Losses losses = new Losses();
        Holdfast client = bench().client(builder -> builder.listener(losses));
        bench().start(() -> client.lock(bench().name(), options -> options.lease(Bench.RENEWED))
                        .tryLock())
                .join();

        bench().lock().acquire(Bench.PATIENCE).close();

        bench().until(() -> losses.causes().size() == 1);
        assertThat(losses.causes()).containsExactly(Loss.Cause.HOLDER_DIED);
    }

    @Test
    @Faults(53)
    default void lock_ofAVirtualThreadThatDied_isReportedAndFree() throws InterruptedException {
        assumeTrue(VirtualThreads.exist(), "this JVM has no virtual threads");
        Losses losses = new Losses();
        Holdfast client = bench().client(builder -> builder.listener(losses));
        AtomicBoolean locked = new AtomicBoolean();
        VirtualThreads.run(() -> locked.set(client.lock(bench().name(), options -> options.lease(Bench.RENEWED))
                .tryLock()));
        assertThat(locked).isTrue();

        bench().lock().acquire(Bench.PATIENCE).close();

        bench().until(() -> losses.causes().size() == 1);
        assertThat(losses.causes()).containsExactly(Loss.Cause.HOLDER_DIED);
    }

    @Test
    default void lease_thatNobodyRefersTo_isReportedAndFree() throws InterruptedException {
        Losses losses = new Losses();
        Holdfast client = bench().client(builder -> builder.listener(losses));
        assertThat(client.lock(bench().name(), options -> options.lease(Bench.RENEWED))
                        .tryAcquire())
                .isPresent();

        bench().until(() -> {
            System.gc();
            return losses.causes().size() == 1;
        });

        assertThat(losses.causes()).containsExactly(Loss.Cause.ABANDONED);
        bench().lock().acquire(Bench.PATIENCE).close();
    }

    /** Traffic of renewals follows what is held, not how often locks come and go. */
    @Test
    default void renewals_doNotGrowWithTheTrafficOfLocks() throws InterruptedException {
        DistributedLock lock = bench().lock(Bench.RENEWED);
        for (int i = 0; i < 300; i++) {
            lock.lock();
            lock.unlock();
        }
        bench().store().forgetCalls();
        long before = System.nanoTime();

        Lease lease = lock.acquire(Duration.ZERO);
        bench().until(() -> bench().store().count(Operation.RENEW) >= 4);
        lease.release();

        long due = (System.nanoTime() - before) / (Bench.RENEWED.toNanos() / 4) + 1;
        assertThat((long) bench().store().count(Operation.RENEW)).isLessThanOrEqualTo(due);
    }

    private static long almost(Duration lease) {
        return lease.toNanos() * 97 / 100 - 5_000_000;
    }
}
