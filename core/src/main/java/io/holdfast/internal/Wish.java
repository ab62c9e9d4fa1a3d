package io.holdfast.internal;

import io.holdfast.ClientClosedException;
import io.holdfast.HandOver;
import io.holdfast.LockException;
import io.holdfast.LockOptions;
import io.holdfast.StoreUnavailableException;
import io.holdfast.internal.HeldLease.Validity;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What somebody wants: a lock, on which terms and until when; and what it is told in the end. */
final class Wish {
    /** Waits as long as it takes. */
    static final long FOREVER = Long.MAX_VALUE;

    private final Engine engine;
    private final String name;
    private final LockOptions options;
    private final @Nullable Object thread;
    private final long waitNanos;
    private final Order order;
    private final Share share;
    private final long startNanos;
    private final long startThread;
    private final @Nullable Trail trail;
    private final CompletableFuture<Optional<HeldLease>> result = new CompletableFuture<>();

    /**
     * @param thread whose hold it will be, or null for a handle
     * @param waitNanos zero: one try only
     * @param share how much of it is wanted
     * @param order where it is to wait; whoever wants a share stands in the store's queue in any case
     */
    Wish(
            Engine engine,
            String name,
            LockOptions options,
            @Nullable Object thread,
            long waitNanos,
            Share share,
            Order order) {
        this.engine = engine;
        this.name = name;
        this.options = options;
        this.thread = thread;
        this.waitNanos = waitNanos;
        this.share = share;
        this.order = order == Order.LINE && !share.isWhole() ? Order.QUEUE : order;
        this.startNanos = engine.platform().nanoTime();
        this.startThread = engine.platform().threadId(engine.platform().currentThread());
        this.trail = engine.notices().trail(name);
        if (trail != null) {
            result.whenComplete((lease, error) -> tellTheEnd(trail));
        }
    }

    String name() {
        return name;
    }

    LockOptions options() {
        return options;
    }

    boolean waits() {
        return waitNanos > 0;
    }

    /** Whether it stands in the store's queue itself. */
    boolean isFair() {
        return order != Order.LINE;
    }

    /** Whether its thread may have it again while the next is waking up. */
    boolean mayTakeAgain() {
        return order != Order.STRICT && !options.handOver().isZero();
    }

    Share share() {
        return share;
    }

    boolean waitsForEver() {
        return waitNanos == FOREVER;
    }

    long startNanos() {
        return startNanos;
    }

    /** The id of the thread that came with it. */
    long startThread() {
        return startThread;
    }

    /** Whether its time is over. */
    boolean isOver(long now) {
        return !waitsForEver() && now - startNanos >= waitNanos;
    }

    /** How long the caller can be kept. One try only has no deadline of its own, but others may stand before it. */
    long patienceNanos() {
        return waits() ? waitNanos : engine.commandTimeout().toNanos();
    }

    /** The lease; empty if others held the lock until the wait was over. */
    CompletableFuture<Optional<HeldLease>> result() {
        return result;
    }

    /** The lease that fulfils it. */
    HeldLease lease(OwnerId owner, long token, long now, Validity validity) {
        HeldLease lease = new HeldLease(name, owner, token, options, thread, now, trail, validity);
        lease.wasTakenBy(startThread);
        return lease;
    }

    /**
     * It has the lock; unless the client was closed meanwhile, or it does not want it any more.
     *
     * @param from where it came from, if it was waited for
     */
    void fulfilled(HeldLease lease, boolean open, @Nullable HandOver from) {
        if (!open) {
            result.completeExceptionally(new ClientClosedException(name));
            return;
        }
        if (trail != null) {
            trail.acquired(lease, Duration.ofNanos(lease.acquiredNanos - startNanos), from);
        }
        if (!result.complete(Optional.of(lease))) {
            engine.endings().releaseInBackground(lease);
        }
    }

    void failed(LockException error) {
        result.completeExceptionally(error);
    }

    /** Its time is over. */
    void timedOut(Standing known) {
        StoreFailure failure = known.failure();
        if (failure != null) {
            result.completeExceptionally(Failures.asLockException(name, failure));
        } else if (!known.isHeldByAnother(startNanos, engine.platform().nanoTime())) {
            result.completeExceptionally(new StoreUnavailableException(
                    name,
                    engine.storeAddress() + " did not answer within " + patienceNanos() / 1_000_000 + " ms",
                    null));
        } else {
            held();
        }
    }

    /** Another has the lock. */
    void held() {
        result.complete(Optional.empty());
    }

    /** Nobody is there any more to be told: if it has just been fulfilled, that is undone. */
    void abandoned() {
        result.cancel(false);
        result.whenComplete((granted, error) -> {
            if (error == null) {
                granted.ifPresent(engine.endings()::releaseInBackground);
            }
        });
    }

    /** It was told to wait. */
    void beginsToWait() {
        if (trail != null) {
            trail.waits();
        }
    }

    /** Another of this client has the lock: is it the very thread that waits for it now? */
    void waitsBehind(@Nullable HeldLease holder) {
        if (holder == null || !holder.blocks(startThread)) {
            return;
        }
        String detail = "thread " + startThread
                + " waits for a lock that it has taken itself, and which is not released" + holder.where();
        Journal.stalled(holder, detail);
        Notices.tell(holder.trail(), listener -> listener.stalled(holder.hold(), detail));
    }

    /** Tells listeners how long it has waited; one that was never told to wait has not. */
    void noteWait(boolean obtained, Standing known) {
        if (trail != null && waits()) {
            if (known.answered()) {
                trail.waits();
            }
            trail.waited(elapsed(), obtained);
        }
    }

    /** Its caller goes on, with what came of it. */
    void seen() {
        if (trail != null) {
            tellTheEnd(trail);
            trail.seen();
        }
    }

    private void tellTheEnd(Trail told) {
        told.ended(Failures.outcome(result, waits()), elapsed());
    }

    private Duration elapsed() {
        return Duration.ofNanos(engine.platform().nanoTime() - startNanos);
    }
}
