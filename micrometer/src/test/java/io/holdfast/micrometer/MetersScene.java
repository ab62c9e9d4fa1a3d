package io.holdfast.micrometer;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a client does, and what its meters show of it; over any store. */
abstract class MetersScene {
    final MeterRegistry registry = new SimpleMeterRegistry();
    private final ExecutorService others = Executors.newCachedThreadPool();

    /** Another client of the same store, when there is one that is not counted. */
    abstract Holdfast other();

    abstract Holdfast locks();

    @AfterEach
    void end() {
        others.shutdownNow();
    }

    double count(String meter, String... tags) {
        Counter counter = registry.find(meter).tags(tags).counter();
        return counter == null ? -1 : counter.count();
    }

    private double gauge(String meter) {
        Gauge gauge = registry.find(meter).tag("lock", "order:*").gauge();
        return gauge == null ? -1 : gauge.value();
    }

    private static void until(Runnable assertion) {
        await().atMost(Duration.ofSeconds(10))
                .pollInterval(Duration.ofMillis(5))
                .untilAsserted(assertion::run);
    }

    @Test
    void cycle_isCountedAndTimed() throws Exception {
        try (Lease lease = locks().lock("order:12345").acquire(Duration.ZERO)) {
            until(() -> assertThat(gauge("holdfast.held")).isEqualTo(1));
            assertThat(lease.isValid()).isTrue();
        }
        until(() -> assertThat(registry.get("holdfast.hold").timer().count()).isEqualTo(1));

        assertThat(count("holdfast.acquisitions", "lock", "order:*", "outcome", "obtained"))
                .isEqualTo(1);
        assertThat(gauge("holdfast.held")).isZero();
        assertThat(gauge("holdfast.waiters")).isZero();
        assertThat(registry.get("holdfast.wait").timers()).allMatch(timer -> timer.count() == 0);
        assertThat(registry.getMeters())
                .as("no name of a lock")
                .allMatch(meter -> "order:*".equals(meter.getId().getTag("lock")));
    }

    @Test
    void busyAndTimedOut_areCountedApart() throws Exception {
        try (Lease theirs = other().lock("order:1").acquire(Duration.ZERO)) {
            assertThat(locks().lock("order:1").tryLock()).isFalse();
            assertThat(locks().lock("order:1").tryLock(Duration.ofMillis(50))).isFalse();
            assertThat(theirs.isValid()).isTrue();
        }

        until(() -> assertThat(count("holdfast.acquisitions", "outcome", "timed_out"))
                .isEqualTo(1));
        assertThat(count("holdfast.acquisitions", "outcome", "busy")).isEqualTo(1);
        assertThat(registry.get("holdfast.wait")
                        .tag("obtained", "false")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("holdfast.wait")
                        .tag("obtained", "false")
                        .timer()
                        .totalTime(SECONDS))
                .isBetween(0.045, 5.0);
        assertThat(gauge("holdfast.waiters")).isZero();
    }

    @Test
    void interruptedWait_isCounted_andNobodyIsLeftWaiting() throws Exception {
        try (Lease theirs = other().lock("order:1").acquire(Duration.ZERO)) {
            CompletableFuture<Thread> thread = new CompletableFuture<>();
            Future<String> waiter = others.submit(() -> {
                thread.complete(Thread.currentThread());
                try {
                    locks().lock("order:1").lockInterruptibly();
                    return "locked";
                } catch (InterruptedException e) {
                    return "interrupted";
                }
            });
            Thread waits = thread.get(5, SECONDS);
            until(() -> assertThat(gauge("holdfast.waiters")).isEqualTo(1));
            waits.interrupt();
            assertThat(waiter.get(5, SECONDS)).isEqualTo("interrupted");
            assertThat(theirs.isValid()).isTrue();
        }

        until(() -> assertThat(count("holdfast.acquisitions", "outcome", "interrupted"))
                .isEqualTo(1));
        until(() -> assertThat(gauge("holdfast.waiters")).isZero());
    }

    @Test
    void handOver_withinTheClientAndFromAnother_isCountedApart() throws Exception {
        DistributedLock mine = locks().lock("order:1");
        CountDownLatch go = new CountDownLatch(1);
        Lease first = mine.acquire(Duration.ZERO);
        Future<Boolean> heir = others.submit(() -> {
            boolean got = mine.tryLock(Duration.ofSeconds(10));
            go.await();
            return got && mine.unlock();
        });
        until(() -> assertThat(gauge("holdfast.waiters")).isEqualTo(1));
        first.release();
        until(() -> assertThat(registry.get("holdfast.handovers").counters().stream()
                        .mapToDouble(counter -> counter.count())
                        .sum())
                .isEqualTo(1));
        go.countDown();
        assertThat(heir.get(10, SECONDS)).isTrue();

        double before = count("holdfast.handovers", "from", "remote");
        Lease theirs = other().lock("order:1").acquire(Duration.ofSeconds(5));
        Future<Boolean> waiter = others.submit(() -> mine.tryLock(Duration.ofSeconds(10)) && mine.unlock());
        until(() -> assertThat(gauge("holdfast.waiters")).isEqualTo(1));
        theirs.release();
        assertThat(waiter.get(10, SECONDS)).isTrue();
        until(() -> assertThat(count("holdfast.handovers", "from", "remote")).isEqualTo(before + 1));
        until(() -> assertThat(gauge("holdfast.held")).isZero());
        assertThat(registry.get("holdfast.wait").tag("obtained", "true").timer().count())
                .isEqualTo(2);
    }

    @Test
    void renewalAndLoss_areCounted() throws Exception {
        Lease lease = locks().lock(
                        "order:1", o -> o.lease(Duration.ofMillis(1500)).maxHold(Duration.ofMillis(700)))
                .acquire(Duration.ZERO);

        until(() -> assertThat(count("holdfast.lost", "cause", "max_hold")).isEqualTo(1));

        assertThat(lease.isValid()).isFalse();
        double renewals = count("holdfast.renewals", "outcome", "confirmed");
        assertThat(renewals).isPositive();
        assertThat(registry.get("holdfast.renewal.lag").timer().count()).isEqualTo((long) renewals);
        assertThat(registry.get("holdfast.renewal.lag.ratio").summary().max()).isBetween(0.0, 1.0);
        assertThat(gauge("holdfast.held")).isZero();
    }

    @Test
    void closedClient_leavesNothingHeldAndNobodyWaiting() throws Exception {
        locks().lock("order:1").acquire(Duration.ZERO);
        Future<Boolean> waiter = others.submit(() -> {
            try {
                return locks().lock("order:1").tryLock(Duration.ofSeconds(10));
            } catch (io.holdfast.ClientClosedException e) {
                return false;
            }
        });
        until(() -> assertThat(gauge("holdfast.waiters")).isEqualTo(1));

        locks().close();

        assertThat(waiter.get(10, SECONDS)).isFalse();
        until(() -> assertThat(gauge("holdfast.waiters")).isZero());
        until(() -> assertThat(gauge("holdfast.held")).isZero());
        assertThat(count("holdfast.acquisitions", "outcome", "closed")).isEqualTo(1);
        assertThat(count("holdfast.lost", "cause", "client_closed")).isEqualTo(1);
    }
}
