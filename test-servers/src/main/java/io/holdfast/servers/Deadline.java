package io.holdfast.servers;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A point on the monotonic clock up to which something is waited for. */
final class Deadline {
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final long endNanos;

    private Deadline(long endNanos) {
        this.endNanos = endNanos;
    }

    static Deadline after(Duration duration) {
        return new Deadline(System.nanoTime() + duration.toNanos());
    }

    long remainingNanos() {
        return endNanos - System.nanoTime();
    }

    boolean isOver() {
        return remainingNanos() <= 0;
    }

    /** Waits until the condition holds, or fails with the message once the time is over. */
    static void await(Duration atMost, BooleanSupplier condition, Supplier<String> message) {
        Deadline deadline = after(atMost);
        while (!condition.getAsBoolean()) {
            if (deadline.isOver()) {
                throw new IllegalStateException(message.get());
            }
            pause(message);
        }
    }

    private static void pause(Supplier<String> message) {
        LockSupport.parkNanos(POLL_NANOS);
        if (Thread.currentThread().isInterrupted()) {
            throw new IllegalStateException("interrupted while waiting; so far: " + message.get());
        }
    }
}
