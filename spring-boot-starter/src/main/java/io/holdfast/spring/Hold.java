package io.holdfast.spring;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
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
 * it that want the same, transactions that it ran in. The last of them gives it back.
 *
 * <p>Its home is where further calls find it: the thread, or the context of a subscriber. A call whose result ends elsewhere
 * takes its use away from there. That keeps the hold from being given back, but lets nobody in: once the last one at home has
 * left, what comes to the thread next has nothing to do with those who use it still. Thread safe.
 */
final class Hold {
    private static final Logger LOG = LoggerFactory.getLogger(Hold.class);

    private final Lease lease;
    private final Map<String, LockedMethod.Share> shares;
    private final Duration atLeast;
    private final long since = System.nanoTime();
    private final Consumer<Hold> onLeftHome;
    private int uses = 1;
    private int atHome = 1;
    private @Nullable Thread runner;

    /** @param onLeftHome called once, when nobody is to find it any more; before it is given back */
    Hold(Lease lease, Map<String, LockedMethod.Share> shares, Duration atLeast, Consumer<Hold> onLeftHome) {
        this.lease = lease;
        this.shares = shares;
        this.atLeast = atLeast;
        this.onLeftHome = onLeftHome;
    }

    Lease lease() {
        return lease;
    }

    Map<String, LockedMethod.Share> shares() {
        return shares;
    }

    /**
     * One more uses it, at home.
     *
     * @return false if nobody at home does: it is not to be had there any more
     */
    synchronized boolean enter() {
        if (atHome == 0) {
            return false;
        }
        uses++;
        atHome++;
        return true;
    }

    /** Whether a further call may use it. */
    synchronized boolean isAtHome() {
        return atHome > 0;
    }

    /** One of those at home goes on with it elsewhere, and {@linkplain #leaveElsewhere leaves} from there. */
    void takeAway() {
        leaveHome();
    }

    /**
     * One of those at home uses it no more.
     *
     * @throws LeaseLostException from the last one there, if it was lost
     */
    void leave() {
        // To be known before: once this one has left, those elsewhere may give it back at any moment.
        LeaseLostException loss = leaveHome() ? loss() : null;
        if (!giveBackAfterLast() && loss != null) {
            throw loss;
        }
    }

    private @Nullable LeaseLostException loss() {
        try {
            lease.ensureValid();
            return null;
        } catch (LeaseLostException e) {
            return e;
        } catch (IllegalStateException e) {
            return null; // the method gave it back itself
        }
    }

    /**
     * One uses it no more that took it away from home.
     *
     * @throws LeaseLostException from the last one of all, if it was lost
     */
    void leaveElsewhere() {
        giveBackAfterLast();
    }

    /** Whether that was the last one there. */
    private boolean leaveHome() {
        synchronized (this) {
            if (--atHome > 0) {
                return false;
            }
        }
        onLeftHome.accept(this);
        return true;
    }

    /**
     * One less uses it; the last one gives it back, now or when it was held for as long as it should be.
     *
     * @return whether that was the last one
     */
    private boolean giveBackAfterLast() {
        synchronized (this) {
            if (--uses > 0) {
                return false;
            }
        }
        Duration rest = atLeast.minusNanos(System.nanoTime() - since);
        if (rest.isNegative() || rest.isZero()) {
            lease.close();
            return true;
        }
        lease.ensureValid();
        keep(rest);
        return true;
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
