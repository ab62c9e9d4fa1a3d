package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Work that stands still by its own doing is reported, once, and with its place if that is noted. */
class StalledTest {
    private final List<String> stalls = new CopyOnWriteArrayList<>();
    private final List<Loss> losses = new CopyOnWriteArrayList<>();
    private final List<Outcome> ends = new CopyOnWriteArrayList<>();

    private Holdfast connect(boolean places) {
        return Holdfast.builder()
                .uri("memory:")
                .recordPlaces(places)
                .listener(new LockListener() {
                    @Override
                    public void stalled(Hold hold, String detail) {
                        stalls.add(detail);
                    }

                    @Override
                    public void lost(Hold hold, Loss loss) {
                        losses.add(loss);
                    }

                    @Override
                    public void ended(String lockName, Outcome outcome, Duration took) {
                        ends.add(outcome);
                    }
                })
                .build();
    }

    private void untilEnds(int count) {
        await().atMost(Duration.ofSeconds(20)).until(() -> ends.size() >= count);
    }

    @Test
    void threadThatWaitsForItsOwnLease_isReportedOnce_withThePlace() throws Exception {
        try (Holdfast locks = connect(true);
                Lease lease = locks.lock("a").acquire(Duration.ZERO)) {
            assertThat(locks.lock("a").tryLock(Duration.ofMillis(20))).isFalse();
            assertThat(locks.lock("a").tryAcquire(Duration.ofMillis(20))).isEmpty();
            untilEnds(3);

            assertThat(stalls).hasSize(1);
            assertThat(stalls.get(0))
                    .contains("waits for a lock that it has taken itself")
                    .contains("StalledTest");
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void threadThatWaitsForItsOwnFairLock_isReportedOnce() throws Exception {
        try (Holdfast locks = connect(true);
                Lease lease = locks.fairLock("a").acquire(Duration.ZERO)) {
            assertThat(locks.fairLock("a").tryAcquire(Duration.ofMillis(20))).isEmpty();
            assertThat(locks.fairLock("a").tryAcquire(Duration.ofMillis(20))).isEmpty();
            untilEnds(3);

            assertThat(stalls).hasSize(1);
            assertThat(stalls.get(0)).contains("StalledTest");
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void threadThatWaitsToWriteWhatItReads_isReportedOnce() throws Exception {
        try (Holdfast locks = connect(false);
                Lease lease = locks.readWriteLock("a").readLock().acquire(Duration.ZERO)) {
            assertThat(locks.readWriteLock("a").writeLock().tryAcquire(Duration.ofMillis(20)))
                    .isEmpty();
            untilEnds(2);

            assertThat(stalls).hasSize(1);
            assertThat(lease.isValid()).isTrue();
        }
    }

    /** Others may give some back, so it does not wait for itself alone. */
    @Test
    void threadThatWaitsForMorePermits_isNotReported() throws Exception {
        try (Holdfast locks = connect(false);
                Lease lease = locks.semaphore("a", 1).acquire(Duration.ZERO)) {
            assertThat(locks.semaphore("a", 1).tryAcquire(1, Duration.ofMillis(20)))
                    .isEmpty();
            untilEnds(2);

            assertThat(stalls).isEmpty();
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void threadThatGaveItsFairLockBack_isNotReported() throws Exception {
        try (Holdfast locks = connect(false)) {
            assertThat(locks.fairLock("a").acquire(Duration.ZERO).release()).isTrue();
            Thread other = new Thread(() -> locks.fairLock("a").lock());
            other.start();
            other.join();
            assertThat(locks.fairLock("a").tryAcquire(Duration.ofMillis(20))).isEmpty();
            untilEnds(3);

            assertThat(stalls).isEmpty();
        }
    }

    @Test
    void withoutPlaces_itIsReportedAllTheSame() throws Exception {
        try (Holdfast locks = connect(false);
                Lease lease = locks.lock("a").acquire(Duration.ZERO)) {
            assertThat(locks.lock("a").tryLock(Duration.ofMillis(20))).isFalse();
            untilEnds(2);

            assertThat(stalls).hasSize(1);
            assertThat(stalls.get(0)).doesNotContain("StalledTest");
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void threadThatWaitsForAnother_isNotReported() throws Exception {
        try (Holdfast locks = connect(false)) {
            Lease[] theirs = new Lease[1];
            Thread other = new Thread(() -> {
                try {
                    theirs[0] = locks.lock("a").acquire(Duration.ZERO);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            other.start();
            other.join();
            assertThat(locks.lock("a").tryLock(Duration.ofMillis(20))).isFalse();
            untilEnds(2);

            assertThat(stalls).isEmpty();
            assertThat(theirs[0].release()).isTrue();
        }
    }

    @Test
    void leaseThatBecameUnreachable_isLostOnce_withThePlace() throws Exception {
        try (Holdfast locks = connect(true)) {
            forget(locks);
            await().atMost(Duration.ofSeconds(20)).until(() -> {
                System.gc();
                return !losses.isEmpty();
            });

            assertThat(losses).hasSize(1);
            assertThat(losses.get(0).cause()).isEqualTo(Loss.Cause.ABANDONED);
            assertThat(losses.get(0).detail()).contains("it was acquired at").contains("StalledTest.forget");
        }
    }

    private static void forget(Holdfast locks) throws InterruptedException {
        assertThat(locks.lock("b", o -> o.lease(Duration.ofSeconds(1)))
                        .acquire(Duration.ZERO)
                        .isValid())
                .isTrue();
    }
}
