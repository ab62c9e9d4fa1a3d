package io.holdfast.spring;

import io.holdfast.Lease;
import io.holdfast.LockException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
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

    /**
     * A resource that the lock guards.
     *
     * @param resource its name at the gate
     * @param lockName whose token is shown there
     */
    record Gated(String resource, String lockName) {}

    private final Lease lease;
    private final Map<String, LockedMethod.Share> shares;
    private final Set<Gated> gated = ConcurrentHashMap.newKeySet();
    private final Duration atLeast;
    private final long since = System.nanoTime();
    private final Consumer<Hold> onEnd;
    private int uses = 1;
    private @Nullable Thread runner;
    private volatile boolean transactional;

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

    Set<Gated> gated() {
        return gated;
    }

    void guard(Gated more) {
        gated.add(more);
    }

    /** A transaction ran, or runs, while it is held. */
    void sawTransaction() {
        transactional = true;
    }

    /**
     * Refuses a section that names a gate and never was in a transaction.
     *
     * @throws IllegalStateException if it is one
     */
    void checkGates() {
        if (!gated.isEmpty() && !transactional) {
            throw new IllegalStateException("lock '" + lease.lockName() + "' guards " + gated
                    + ", and no transaction ran in which the gate could have been asked: what was written is not guarded;"
                    + " make the method @Transactional");
        }
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
