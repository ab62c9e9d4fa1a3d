package io.holdfast.redis.faults;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** How long things may take, and waiting for them. */
final class Timing {
    /** Longer than anything that works takes, on the slowest machine. */
    static final Duration SOON = Duration.ofSeconds(15);
    /** A lease that does not end during a test. */
    static final Duration LONG = Duration.ofSeconds(60);
    /** A lease that is renewed every two seconds, and does not end for another four if the machine stands still. */
    static final Duration KEPT = Duration.ofSeconds(6);
    /** What a loaded machine may take to get to something that is due. */
    static final Duration SLACK = Duration.ofMillis(1_500);

    private Timing() {}

    /** The result of what was started; what it threw is thrown here. */
    static <T> T get(Future<T> started) {
        try {
            return started.get(SOON.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError("failed: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new AssertionError("not done after " + SOON, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    static void until(String what, BooleanSupplier condition) {
        await(what)
                .atMost(SOON)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(3))
                .until(condition::getAsBoolean);
    }

    /** Time since a moment of {@link System#nanoTime()}. */
    static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    /** What a holder may use of a lease that it has just got. */
    static Duration usable(Duration lease) {
        return lease.minus(lease.dividedBy(100)).minusMillis(2);
    }

    /** When, counted from before it was asked for, a lease may be lost: the wall clock counts whole milliseconds only. */
    static Duration earliestLoss(Duration lease) {
        return usable(lease).minusMillis(1);
    }
}
