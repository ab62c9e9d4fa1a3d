package io.holdfast.testkit;

import static java.util.Objects.requireNonNull;

import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Time that moves only when told, so that a test sees leases renewed, waits time out and locks get lost without waiting
 * for any of it. Thread safe.
 *
 * <pre>{@code
 * ManualClock clock = new ManualClock();
 * FaultyStore store = FaultyStore.inMemory();
 * try (Holdfast locks = Holdfast.builder().store(store.factory()).platform(clock.platform()).build()) {
 *     Lease lease = locks.lock("invoice:42").acquire(Duration.ZERO);
 *     store.cutOff();
 *     clock.advance(Duration.ofSeconds(31));
 *     assertFalse(lease.isValid());
 * }
 * }</pre>
 *
 * <p>Each client gets a {@link #platform()} of its own; those of one clock share its time. Only time is make-believe:
 * threads are real, and so is parking. {@link #advance} runs what becomes due on the thread that calls it, one timer after
 * the other, each with the clock at its very moment. Before the clock moves on it waits until the threads that a timer has
 * set in motion have come to rest, which means: ended what they were given, or wait for something. A thread that is still
 * busy after a second of real time is waited for no longer.
 *
 * <p>A caller that waits for a lock needs another thread to move the clock. {@link #awaitWaiting} tells when it is there.
 */
public final class ManualClock {
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration LONG_PATIENCE = Duration.ofSeconds(20);
    private static final long MILLI = 1_000_000;
    /** Neither zero nor round, so that nobody mistakes the two clocks for each other. */
    private static final long FIRST_NANOS = 7_000_000_000L;

    private static final long FIRST_WALL_MILLIS = 1_800_000_000_000L;

    private static final class Due {
        final long nanos;
        final long sequence;
        final ManualPlatform platform;
        final Runnable task;

        Due(long nanos, long sequence, ManualPlatform platform, Runnable task) {
            this.nanos = nanos;
            this.sequence = sequence;
            this.platform = platform;
            this.task = task;
        }
    }

    private final ReentrantLock moving = new ReentrantLock();
    private final List<ManualPlatform> platforms = new CopyOnWriteArrayList<>();
    private final Parking parking = new Parking();

    // Guarded by this.
    private final PriorityQueue<Due> timers =
            new PriorityQueue<>(Comparator.<Due>comparingLong(due -> due.nanos).thenComparingLong(due -> due.sequence));
    private long nanos = FIRST_NANOS;
    private long wallNanos;
    private long lastSequence;

    /** The ports of one client, on this clock's time. The client closes them. */
    public Platform platform() {
        ManualPlatform platform = new ManualPlatform(this, parking);
        platforms.add(platform);
        return platform;
    }

    /**
     * Lets time pass on both clocks, and runs every timer that becomes due, in the order of their times. When it returns,
     * what they have set in motion is done. A duration of zero only waits for that.
     *
     * @throws RuntimeException what a timer has thrown; the clock then stands at that timer's moment
     */
    public void advance(Duration by) {
        long step = notNegative(by);
        if (moving.isHeldByCurrentThread()) {
            throw new IllegalStateException("a timer must not move the clock that runs it");
        }
        moving.lock();
        try {
            settle();
            long target = nanoTime() + step;
            for (Due due = next(target); due != null; due = next(target)) {
                due.task.run();
                settle();
            }
        } finally {
            moving.unlock();
        }
    }

    /**
     * The process stands still, as in a long collection of garbage: both clocks go on, and no timer runs. Those that became
     * due meanwhile run at the next {@link #advance}, late.
     */
    public synchronized void pause(Duration length) {
        nanos += notNegative(length);
    }

    /** Moves the wall clock alone, forward or back, as an administrator or a time service does. Runs no timer. */
    public synchronized void jumpWall(Duration by) {
        wallNanos += requireNonNull(by, "by").toNanos();
    }

    /** The host sleeps: the wall clock goes on, the monotonic one stands still, and no timer runs. */
    public synchronized void suspend(Duration length) {
        wallNanos += notNegative(length);
    }

    /** Monotonic time, as the clients see it. */
    public synchronized long nanoTime() {
        return nanos;
    }

    /** Wall-clock time, as the clients see it. */
    public synchronized long wallMillis() {
        return FIRST_WALL_MILLIS + Math.floorDiv(nanos - FIRST_NANOS + wallNanos, MILLI);
    }

    /** How many timers are set. A client at rest has none. */
    public synchronized int timers() {
        return timers.size();
    }

    /**
     * Waits, in real time, until at least so many threads wait inside the clients of this clock.
     *
     * @throws IllegalStateException if they do not within 20 s
     */
    public void awaitWaiting(int threads) {
        if (!await(() -> parking.parked() >= threads, LONG_PATIENCE)) {
            throw new IllegalStateException(parking.parked() + " threads wait, not " + threads);
        }
    }

    // --- for the platforms

    Platform.Timer schedule(ManualPlatform platform, long delayNanos, Runnable task) {
        Due due;
        synchronized (this) {
            due = new Due(nanos + delayNanos, ++lastSequence, platform, task);
            timers.add(due);
        }
        return () -> {
            synchronized (this) {
                timers.remove(due);
            }
        };
    }

    void closed(ManualPlatform platform) {
        platforms.remove(platform);
        synchronized (this) {
            timers.removeIf(due -> due.platform == platform);
        }
    }

    /** Moves to the next timer that is due by then, and takes it out; moves all the way if there is none. */
    private synchronized @Nullable Due next(long targetNanos) {
        Due first = timers.peek();
        if (first == null || first.nanos > targetNanos) {
            nanos = Math.max(nanos, targetNanos);
            return null;
        }
        nanos = Math.max(nanos, first.nanos);
        return timers.poll();
    }

    private static long notNegative(Duration length) {
        if (requireNonNull(length, "length").isNegative()) {
            throw new IllegalArgumentException("time does not go back by " + length);
        }
        return length.toNanos();
    }

    private void settle() {
        await(this::isAtRest, PATIENCE);
    }

    private boolean isAtRest() {
        // Twice: between the looks at two threads one may wake the other.
        for (int look = 0; look < 2; look++) {
            if (!parking.isAtRest() || !platforms.stream().allMatch(ManualPlatform::isAtRest)) {
                return false;
            }
        }
        return true;
    }

    private static boolean await(BooleanSupplier condition, Duration patience) {
        long until = System.nanoTime() + patience.toNanos();
        boolean interrupted = false;
        try {
            while (!condition.getAsBoolean()) {
                if (System.nanoTime() - until > 0) {
                    return false;
                }
                try {
                    Thread.sleep(0, 50_000);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            return true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
