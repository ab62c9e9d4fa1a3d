package io.holdfast.spring;

import io.holdfast.Lease;
import io.holdfast.LockException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one call has taken from the store, one lock or several together, and who uses it: the call itself, calls inside of
 * it that want the same, transactions that it ran in. The last of them gives it back. Thread safe.
 */
final class Hold {
    private static final Logger LOG = LoggerFactory.getLogger(Hold.class);

    private final Lease lease;
    private final Map<String, LockedMethod.Share> shares;
    private final Duration atLeast;
    private final long since = System.nanoTime();
    private final Consumer<Hold> onEnd;
    private int uses = 1;
    private @Nullable Thread runner;

    /** @param onEnd called once, before it is given back */
    Hold(Lease lease, Map<String, LockedMethod.Share> shares, Duration atLeast, Consumer<Hold> onEnd) {
        this.lease = lease;
        this.shares = shares;
        this.atLeast = atLeast;
        this.onEnd = onEnd;
    }

    Lease lease() {
        return lease;
    }

    Map<String, LockedMethod.Share> shares() {
        return shares;
    }

    /** One more uses it. Only for those who know that one uses it still. */
    synchronized void enter() {
        uses++;
    }

    /**
     * One uses it no more; the last one gives it back, now or when it was held for as long as it should be.
     *
     * @throws io.holdfast.LeaseLostException from the last one, if it was lost
     */
    void leave() {
        synchronized (this) {
            if (--uses > 0) {
                return;
            }
        }
        onEnd.accept(this);
        Duration rest = atLeast.minusNanos(System.nanoTime() - since);
        if (rest.isNegative() || rest.isZero()) {
            lease.close();
            return;
        }
        lease.ensureValid();
        keep(rest);
    }

    private void keep(Duration rest) {
        try {
            if (lease.remaining().compareTo(rest) < 0) {
                // Even if this process ends before, the lock stays.
                lease.extend(rest);
            }
        } catch (LockException e) {
            LOG.warn("lock '{}' could not be kept for {} more: {}", lease.lockName(), rest, e.getMessage());
        }
        // The task refers to the lease, which is renewed for as long as somebody does.
        CompletableFuture.delayedExecutor(rest.toNanos(), TimeUnit.NANOSECONDS).execute(lease::release);
    }

    // --- a thread that wants to be interrupted

    /** From now on the loss of the lease interrupts this thread. */
    void interruptOnLoss() {
        synchronized (this) {
            runner = Thread.currentThread();
        }
        lease.lost().thenAccept(loss -> interrupt());
    }

    private synchronized void interrupt() {
        if (runner != null) {
            runner.interrupt();
        }
    }

    /** From now on it does not. */
    synchronized void runsNoMore() {
        runner = null;
    }
}
