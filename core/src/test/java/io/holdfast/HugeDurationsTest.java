package io.holdfast;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.greaterThan;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Times that no count of nanoseconds can hold: people write them to say "for ever" or "not at all". */
class HugeDurationsTest {
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Duration NEVER = Duration.ofSeconds(Long.MIN_VALUE);

    private final AtomicInteger renewals = new AtomicInteger();
    private final Holdfast locks = Holdfast.builder()
            .uri("memory:")
            .options(LockOptions.builder().lease(Duration.ofSeconds(2)).build())
            .listener(new LockListener() {
                @Override
                public void renewed(Hold hold, Duration lag) {
                    renewals.incrementAndGet();
                }
            })
            .build();

    @AfterEach
    void close() {
        locks.close();
    }

    /** It used to stop the watchdog of the whole client with an overflow. */
    @Test
    void hugeMaxHold_isNoLimitAndRenewalGoesOn() throws Exception {
        try (Lease lease = locks.lock("a", o -> o.maxHold(EVER)).acquire(Duration.ZERO)) {
            await().atMost(10, SECONDS).untilAtomic(renewals, greaterThan(3));

            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void hugeWait_endsWithTheLock() throws Exception {
        DistributedLock lock = locks.lock("a");

        assertThat(lock.tryLock(EVER)).isTrue();
        assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();
        assertThat(lock.getHoldCount()).isEqualTo(2);
    }

    @Test
    void hugeNegativeWait_isNoWait() throws Exception {
        try (Lease lease = locks.lock("a").acquire(NEVER)) {
            assertThat(lease.isValid()).isTrue();

            assertThat(locks.lock("a").tryAcquire(NEVER)).isEmpty();
            assertThatExceptionOfType(LockTimeoutException.class)
                    .isThrownBy(() -> locks.lock("a").acquire(NEVER));
        }
    }

    /** It used never to complete. */
    @Test
    void hugeNegativeWait_asynchronously_timesOut() throws Exception {
        try (Lease lease = locks.lock("a").acquire(Duration.ZERO)) {
            assertThat(lease.isValid()).isTrue();

            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> locks.lock("a")
                            .acquireAsync(NEVER)
                            .toCompletableFuture()
                            .get(10, SECONDS))
                    .withCauseInstanceOf(LockTimeoutException.class);
        }
    }
}
