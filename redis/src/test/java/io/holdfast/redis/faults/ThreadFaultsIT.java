package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.SLACK;
import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.Loss;
import io.holdfast.OnLoss;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a loss means to the thread that held the lock, and what a thread's end means to the lock. */
class ThreadFaultsIT {
    @RegisterExtension
    static final Rig rig = new Rig();

    @Test
    @Faults({6, 52})
    void reentry_afterTheLeaseWasLost_isRefusedUntilItIsUnlocked() throws InterruptedException {
        Client client = rig.direct();
        DistributedLock lock = client.lock("a", LONG);
        assertThat(lock.tryLock(0, 400, MILLISECONDS)).isTrue();
        assertThat(lock.tryLock()).as("re-entry").isTrue();
        assertThat(lock.getHoldCount()).isEqualTo(2);
        until("the server lets go", () -> rig.isFree("a"));
        Lease others = rig.direct().take("a", LONG);

        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.getHoldCount()).isZero();
        assertThatThrownBy(lock::tryLock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::lock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> lock.tryLock(SOON)).isInstanceOf(LeaseLostException.class);
        assertThat(lock.unlock()).isFalse();
        assertThat(lock.unlock()).isFalse();
        rig.assertProtects(others);
        assertThat(lock.tryLock()).as("asks the store again: held by another").isFalse();
        assertThat(others.release()).isTrue();
        assertThat(lock.tryLock()).isTrue();
        until("the loss is told", () -> !client.losses().isEmpty());
        assertThat(client.losses()).hasSize(1);
    }

    @Test
    @Faults(53)
    void thread_thatEndsWithoutUnlocking_losesTheLockWithinItsLease() throws InterruptedException {
        assertLostWithItsThread(work -> {
            Thread thread = new Thread(work);
            thread.start();
            return thread;
        });
    }

    @Test
    @Faults(53)
    void virtualThread_thatEndsWithoutUnlocking_losesTheLockWithinItsLease() throws InterruptedException {
        Assumptions.assumeTrue(Runtime.version().feature() >= 21, "virtual threads came with JDK 21");
        assertLostWithItsThread(ThreadFaultsIT::startVirtual);
    }

    private static void assertLostWithItsThread(Function<Runnable, Thread> start) throws InterruptedException {
        Duration leaseTime = ofMillis(900);
        Client client = rig.direct().connected();
        AtomicBoolean got = new AtomicBoolean();
        start.apply(() -> got.set(client.lock("a", leaseTime).tryLock())).join();
        long ended = System.nanoTime();
        assertThat(got).isTrue();

        until("the loss is told", () -> !client.losses().isEmpty());

        assertThat(client.losses().get(0).cause()).isEqualTo(Loss.Cause.HOLDER_DIED);
        until("it is free", () -> rig.isFree("a"));
        assertThat(since(ended)).isLessThan(leaseTime.plus(SLACK));
        assertThat(client.losses()).hasSize(1);
    }

    private static Thread startVirtual(Runnable work) {
        try {
            return (Thread)
                    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("no virtual threads", e);
        }
    }

    @Test
    @Faults({4, 32})
    void holder_whoAskedToBeInterrupted_isInterruptedByTheLoss() throws InterruptedException {
        Client client = rig.direct();
        DistributedLock lock =
                client.locks().lock("a", options -> options.lease(ofSeconds(2)).onLoss(OnLoss.INTERRUPT));
        assertThat(lock.tryLock()).isTrue();
        rig.redis().command("DEL", Rig.key("a"));

        assertThatThrownBy(() -> Thread.sleep(SOON.toMillis())).isInstanceOf(InterruptedException.class);

        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.unlock()).isFalse();
    }
}
