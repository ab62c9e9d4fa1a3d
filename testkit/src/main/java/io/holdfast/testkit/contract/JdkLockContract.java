package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.LeaseLostException;
import io.holdfast.testkit.Faults;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

/** The view as a JDK lock keeps the JDK's promises. */
interface JdkLockContract extends Contract {

    @Test
    default void asLock_isTheSameLock() throws InterruptedException {
        DistributedLock lock = bench().lock();
        Lock view = lock.asLock();
        view.lock();
        assertThat(view.tryLock()).isTrue();
        assertThat(view.tryLock(1, TimeUnit.SECONDS)).isTrue();
        view.lockInterruptibly();
        assertThat(lock.getHoldCount()).isEqualTo(4);

        for (int i = 0; i < 4; i++) {
            view.unlock();
        }

        assertThat(bench().isFree()).isTrue();
    }

    @Test
    @Faults(51)
    default void asLock_unlockByWhoDoesNotHoldIt_throws() {
        DistributedLock lock = bench().lock();
        lock.lock();

        Actor<Object> foreign = bench().start(() -> {
            lock.asLock().unlock();
            return null;
        });

        assertThat(foreign.failure())
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining(bench().name());
        assertThat(lock.unlock()).isTrue();
        assertThatThrownBy(() -> lock.asLock().unlock()).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    @Faults(32)
    default void asLock_unlockOfALostLock_throwsOnce() {
        Lock view = bench().lock().asLock();
        view.lock();
        bench().expire();

        assertThatThrownBy(view::unlock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(view::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    default void asLock_hasNoConditions() {
        assertThatThrownBy(() -> bench().lock().asLock().newCondition())
                .isInstanceOf(UnsupportedOperationException.class);
    }
}
