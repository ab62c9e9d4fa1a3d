package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ManualClockTest {
    private final ManualClock clock = new ManualClock();
    private final Platform platform = clock.platform();

    @AfterEach
    void close() {
        platform.close();
    }

    @Test
    void time_standsStillUntilItIsMoved() {
        long nanos = platform.nanoTime();
        long wall = platform.wallMillis();

        assertThat(platform.nanoTime()).isEqualTo(nanos);
        clock.advance(Duration.ofSeconds(3));

        assertThat(platform.nanoTime() - nanos).isEqualTo(3_000_000_000L);
        assertThat(platform.wallMillis() - wall).isEqualTo(3_000);
    }

    @Test
    void wallClock_movesAloneAndBack() {
        long nanos = platform.nanoTime();
        long wall = platform.wallMillis();

        clock.jumpWall(Duration.ofHours(-1));
        assertThat(platform.wallMillis() - wall).isEqualTo(-3_600_000);
        clock.jumpWall(Duration.ofHours(1));
        clock.suspend(Duration.ofMinutes(1));

        assertThat(platform.wallMillis() - wall).isEqualTo(60_000);
        assertThat(platform.nanoTime()).isEqualTo(nanos);
    }

    @Test
    void pause_makesTimersLate() {
        List<Long> ran = new ArrayList<>();
        long start = platform.nanoTime();
        platform.schedule(10, () -> ran.add(platform.nanoTime() - start));

        clock.pause(Duration.ofNanos(25));
        assertThat(ran).isEmpty();
        assertThat(platform.nanoTime() - start).isEqualTo(25);
        clock.advance(Duration.ZERO);

        assertThat(ran).containsExactly(25L);
    }

    @Test
    void timers_runInTheirOrderAtTheirTime() {
        List<String> ran = new ArrayList<>();
        long start = platform.nanoTime();
        platform.schedule(30, () -> ran.add("c" + (platform.nanoTime() - start)));
        platform.schedule(10, () -> {
            ran.add("a" + (platform.nanoTime() - start));
            platform.schedule(5, () -> ran.add("b" + (platform.nanoTime() - start)));
        });
        platform.schedule(30, () -> ran.add("d" + (platform.nanoTime() - start)));
        Platform.Timer cancelled = platform.schedule(20, () -> ran.add("never"));
        platform.schedule(41, () -> ran.add("later"));
        cancelled.cancel();

        clock.advance(Duration.ofNanos(40));

        assertThat(ran).containsExactly("a10", "b15", "c30", "d30");
        assertThat(clock.timers()).isEqualTo(1);
    }

    @Test
    void advance_waitsForTheThreadsThatATimerSetsInMotion() {
        Platform.Worker worker = platform.worker("test");
        List<Long> seen = new ArrayList<>();
        long start = platform.nanoTime();
        for (long at = 10; at <= 50; at += 10) {
            platform.schedule(
                    at,
                    () -> worker.execute(() -> {
                        pause();
                        platform.callbacks().execute(() -> {
                            pause();
                            synchronized (seen) {
                                seen.add(platform.nanoTime() - start);
                            }
                        });
                    }));
        }

        clock.advance(Duration.ofNanos(100));

        assertThat(seen).containsExactly(10L, 20L, 30L, 40L, 50L);
        worker.finish(1_000_000_000);
    }

    @Test
    void advance_doesNotWaitForATaskThatWaitsItself() throws InterruptedException {
        Platform.Worker worker = platform.worker("test");
        CountDownLatch latch = new CountDownLatch(1);
        worker.execute(() -> await(latch));
        worker.execute(() -> {});
        long before = System.nanoTime();

        clock.advance(Duration.ofSeconds(1));

        assertThat(System.nanoTime() - before).isLessThan(900_000_000);
        latch.countDown();
        worker.finish(1_000_000_000);
    }

    @Test
    void timerOfNoDelay_needsNobodyToMoveTheClock() {
        CompletableFuture<Boolean> ran = new CompletableFuture<>();
        platform.schedule(0, () -> ran.complete(true));

        assertThat(ran.orTimeout(10, TimeUnit.SECONDS).join()).isTrue();
    }

    @Test
    void whatATimerThrows_isThrownByAdvance() {
        platform.schedule(10, () -> {
            throw new IllegalStateException("as planned");
        });
        long start = platform.nanoTime();

        assertThatThrownBy(() -> clock.advance(Duration.ofSeconds(1))).hasMessage("as planned");

        assertThat(platform.nanoTime() - start).isEqualTo(10);
    }

    @Test
    void impossibleMoves_areRefused() {
        assertThatThrownBy(() -> clock.advance(Duration.ofNanos(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> clock.suspend(Duration.ofNanos(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> clock.pause(Duration.ofNanos(-1))).isInstanceOf(IllegalArgumentException.class);
        platform.schedule(1, () -> clock.advance(Duration.ofNanos(1)));
        assertThatThrownBy(() -> clock.advance(Duration.ofNanos(1))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closedPlatform_takesItsTimersWithIt() {
        Platform other = clock.platform();
        platform.schedule(10, () -> {});
        other.schedule(10, () -> {});

        other.close();

        assertThat(clock.timers()).isEqualTo(1);
    }

    @Test
    void waitingCaller_isWokenByTheClock() {
        try (Holdfast locks = Holdfast.builder()
                .store(FaultyStore.inMemory().factory())
                .platform(clock.platform())
                .build()) {
            DistributedLock lock = locks.lock("held");
            assertThat(lock.tryLock()).isTrue();
            CompletableFuture<Boolean> waiter = CompletableFuture.supplyAsync(() -> tryLock(lock));
            clock.awaitWaiting(1);

            clock.advance(Duration.ofMillis(59_999));
            assertThat(waiter).isNotDone();
            clock.advance(Duration.ofMillis(1));

            assertThat(waiter).isCompletedWithValue(false);
            assertThat(lock.unlock()).as("renewed all the time").isTrue();
        }
        assertThat(clock.timers()).isZero();
    }

    /** The example in the documentation of the class. */
    @Test
    void leaseOfAStoreThatIsGone_isLostWithoutWaiting() throws InterruptedException {
        FaultyStore store = FaultyStore.inMemory();
        try (Holdfast locks = Holdfast.builder()
                .store(store.factory())
                .platform(clock.platform())
                .build()) {
            Lease lease = locks.lock("invoice:42").acquire(Duration.ZERO);
            store.cutOff();
            clock.advance(Duration.ofSeconds(31));
            assertThat(lease.isValid()).isFalse();
        }
    }

    /** Nobody else moves the clock while a client closes. */
    @Test
    void client_ofAStoreThatHangs_canBeClosed() throws InterruptedException {
        FaultyStore store = FaultyStore.inMemory();
        Holdfast locks = Holdfast.builder()
                .store(store.factory())
                .platform(clock.platform())
                .build();
        Lease lease = locks.lock("a").acquire(Duration.ZERO);
        store.hang();
        CompletableFuture<Lease> waiter =
                locks.lock("b").acquireAsync(Duration.ofMinutes(1)).toCompletableFuture();
        long before = System.nanoTime();

        locks.close();

        assertThat(System.nanoTime() - before).isLessThan(5_000_000_000L);
        assertThat(lease.isValid()).isFalse();
        assertThat(waiter).isCompletedExceptionally();
    }

    private static boolean tryLock(DistributedLock lock) {
        try {
            return lock.tryLock(Duration.ofMinutes(1));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Long enough to be seen at work. */
    private static void pause() {
        long until = System.nanoTime() + 3_000_000;
        while (System.nanoTime() - until < 0) {
            Thread.onSpinWait();
        }
    }
}
