package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.Faults;
import io.holdfast.testkit.Operation;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A thread may take again what it has; a lease is nobody's in particular. */
interface ReentrancyContract extends Contract {

    @Test
    default void lock_takenAgain_isHeldUntilTheLastUnlock() throws InterruptedException {
        DistributedLock lock = bench().lock();
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
        lock.lockInterruptibly();
        assertThat(lock.getHoldCount()).isEqualTo(4);

        for (int left = 3; left >= 0; left--) {
            assertThat(bench().isFree()).isFalse();
            assertThat(lock.unlock()).isTrue();
            assertThat(lock.getHoldCount()).isEqualTo(left);
        }

        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(bench().isFree()).isTrue();
    }

    @Test
    default void lockObjects_ofOneName_areOneLock() {
        Holdfast client = bench().client();
        DistributedLock one = client.lock(bench().name());
        DistributedLock two = client.lock(bench().name());
        one.lock();

        assertThat(two.tryLock()).isTrue();
        assertThat(two.getHoldCount()).isEqualTo(2);
        assertThat(one.getHoldCount()).isEqualTo(2);
        assertThat(two.unlock()).isTrue();
        assertThat(one.unlock()).isTrue();
        assertThat(bench().isFree()).isTrue();
    }

    @Test
    default void reentry_asksTheStoreNothing() {
        DistributedLock lock = bench().lock();
        lock.lock();
        bench().store().forgetCalls();

        lock.lock();
        lock.unlock();

        assertThat(bench().store().calls()).isEmpty();
        lock.unlock();
        assertThat(bench().store().count(Operation.RELEASE)).isEqualTo(1);
    }

    @Test
    default void holdCount_isEachThreadsOwn() {
        DistributedLock lock = bench().lock();
        lock.lock();

        assertThat(bench().start(lock::getHoldCount).join()).isZero();
        assertThat(bench().start(lock::isHeldByCurrentThread).join()).isFalse();
        assertThat(bench().start(lock::tryLock).join()).isFalse();
    }

    @Test
    default void reentry_doesNotReachAcrossClients() {
        assertThat(bench().lock().tryLock()).isTrue();

        DistributedLock ofAnotherClient = bench().lock();
        assertThat(ofAnotherClient.isHeldByCurrentThread()).isFalse();
        assertThat(ofAnotherClient.tryLock()).isFalse();
    }

    @Test
    default void lease_isNotReentrant() throws InterruptedException {
        DistributedLock lock = bench().lock();
        Lease lease = lock.acquire(Duration.ZERO);

        assertThat(lock.tryAcquire()).isEmpty();
        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.unlock()).isFalse();

        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @Faults(51)
    default void unlock_onceTooOften_isFalseAndChangesNothing() {
        DistributedLock lock = bench().lock();
        lock.lock();
        assertThat(lock.unlock()).isTrue();
        DistributedLock other = bench().lock();
        assertThat(other.tryLock()).isTrue();
        bench().store().forgetCalls();

        assertThat(lock.unlock()).isFalse();

        assertThat(lock.getHoldCount()).isZero();
        assertThat(bench().store().calls()).isEmpty();
        assertThat(other.isHeldByCurrentThread()).isTrue();
        assertThat(other.unlock()).isTrue();
    }

    @Test
    @Faults(51)
    default void unlock_byAnotherThread_isFalseAndChangesNothing() {
        DistributedLock lock = bench().lock();
        lock.lock();
        bench().store().forgetCalls();

        assertThat(bench().start(lock::unlock).join()).isFalse();

        assertThat(bench().store().calls()).isEmpty();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.unlock()).isTrue();
    }
}
