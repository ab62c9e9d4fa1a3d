package io.holdfast.internal;

import static java.util.Objects.requireNonNull;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.Loss;
import io.holdfast.spi.Share;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A name and its options; everything else is the engine's. */
public final class NamedLock implements DistributedLock {
    private final Engine engine;
    private final String name;
    private final LockOptions options;
    private final Share share;
    private final boolean fair;

    /**
     * A view of a lock.
     *
     * @param share how much of it is taken
     * @param fair whether everybody who waits stands in the store's queue
     */
    public NamedLock(Engine engine, String name, LockOptions options, Share share, boolean fair) {
        this.engine = engine;
        this.name = name;
        this.options = options;
        this.share = share;
        this.fair = fair;
    }

    @Override
    public String getLockName() {
        return name;
    }

    // --- bound to the thread

    @Override
    public boolean tryLock() {
        return reenter() || takeUninterruptibly(0);
    }

    @Override
    public boolean tryLock(long waitTime, TimeUnit unit) throws InterruptedException {
        return take(options, nanos(waitTime, unit));
    }

    @Override
    public boolean tryLock(Duration waitTime) throws InterruptedException {
        return take(options, nanos(waitTime));
    }

    @Override
    public boolean tryLock(long waitTime, long leaseTime, TimeUnit unit) throws InterruptedException {
        return take(explicitLease(leaseTime, unit), nanos(waitTime, unit));
    }

    @Override
    public void lock() {
        if (!reenter()) {
            takeUninterruptibly(Wish.FOREVER);
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        take(options, Wish.FOREVER);
    }

    @Override
    public boolean unlock() {
        ThreadHolds.Entry entry = entry();
        if (entry == null) {
            return false;
        }
        if (--entry.count > 0) {
            return engine.isValid(entry.lease);
        }
        engine.holds().remove(name, share);
        ThreadHolds.Entry other = entry.other;
        if (other == null) {
            return engine.endings().release(entry.lease);
        }
        other.other = null;
        if (share.isRead()) {
            // It was read on the strength of what this thread still has whole.
            return engine.isValid(entry.lease);
        }
        boolean safe = engine.isValid(entry.lease);
        other.lease = engine.endings().downgrade(entry.lease);
        Loss loss = entry.lease.loss();
        // Whether it can go on reading does not change what it wrote before; that the lock was gone by then does.
        return safe && (loss == null || loss.cause() != Loss.Cause.GONE);
    }

    private ThreadHolds.@Nullable Entry entry() {
        return engine.holds().get(name, share);
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return getHoldCount() > 0;
    }

    @Override
    public int getHoldCount() {
        ThreadHolds.Entry entry = entry();
        return entry != null && engine.isValid(entry.lease) ? entry.count : 0;
    }

    /** What this thread has taken and not unlocked, lost or not. */
    @Nullable
    HeldLease heldByThisThread() {
        ThreadHolds.Entry entry = entry();
        return entry == null ? null : entry.lease;
    }

    /** Takes the lock once more if this thread has it; refuses if it has lost it. */
    private boolean reenter() {
        ThreadHolds.Entry entry = entry();
        if (entry == null) {
            return readsAsWriter();
        }
        engine.ensureValid(entry.lease);
        entry.count++;
        return true;
    }

    /** One that has it whole may read, too, on the strength of that. One that reads is refused the whole. */
    private boolean readsAsWriter() {
        ThreadHolds.Entry other = engine.holds().get(name, share.isRead() ? Share.WHOLE : Share.READ);
        if (other == null) {
            return false;
        }
        if (!share.isRead()) {
            throw new IllegalStateException(
                    "lock '" + name + "': this thread reads, and wants to write as well. Two that"
                            + " do so would wait for each other for ever: unlock the read lock first, and look again at what was"
                            + " read");
        }
        engine.ensureValid(other.lease);
        ThreadHolds.Entry entry = engine.holds().add(other.lease, share);
        entry.other = other;
        other.other = entry;
        return true;
    }

    private boolean take(LockOptions with, long waitNanos) throws InterruptedException {
        if (engine.platform().interrupted()) {
            throw new InterruptedException();
        }
        return reenter() || hold(engine.acquire(wish(with, engine.platform().currentThread(), waitNanos), true));
    }

    private boolean takeUninterruptibly(long waitNanos) {
        try {
            return hold(engine.acquire(wish(options, engine.platform().currentThread(), waitNanos), false));
        } catch (InterruptedException e) {
            throw new AssertionError("was told not to be interrupted", e);
        }
    }

    private Wish wish(LockOptions with, @Nullable Object thread, long waitNanos) {
        return new Wish(engine, name, with, thread, waitNanos, share, fair);
    }

    private boolean hold(Optional<HeldLease> lease) {
        lease.ifPresent(held -> engine.holds().add(held, share));
        return lease.isPresent();
    }

    // --- as a handle

    @Override
    public Lease acquire(Duration wait) throws InterruptedException {
        return tryAcquire(wait).orElseThrow(() -> timedOut(wait));
    }

    @Override
    public Optional<Lease> tryAcquire() {
        try {
            return handle(engine.acquire(wish(options, null, 0), false));
        } catch (InterruptedException e) {
            throw new AssertionError("was told not to be interrupted", e);
        }
    }

    @Override
    public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
        return handle(engine.acquire(wish(options, null, nanos(wait)), true));
    }

    @Override
    public CompletionStage<Lease> acquireAsync(Duration wait) {
        return async(nanos(wait), found -> found.orElseThrow(() -> timedOut(wait)));
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync() {
        return async(0, found -> found);
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync(Duration wait) {
        return async(nanos(wait), found -> found);
    }

    private <T> CompletionStage<T> async(long waitNanos, Function<Optional<Lease>, T> shape) {
        Acquisition acquisition = engine.acquireAsync(wish(options, null, waitNanos));
        CompletableFuture<T> answer = new CompletableFuture<>();
        acquisition
                .result()
                .whenCompleteAsync(
                        (found, error) -> {
                            if (error != null) {
                                answer.completeExceptionally(
                                        error instanceof CompletionException && error.getCause() != null
                                                ? error.getCause()
                                                : error);
                                return;
                            }
                            try {
                                // The handle is referred to by the answer alone; if that was cancelled, the lease goes
                                // back.
                                if (!answer.complete(shape.apply(handle(found)))) {
                                    found.ifPresent(engine.endings()::releaseInBackground);
                                }
                            } catch (LockTimeoutException e) {
                                answer.completeExceptionally(e);
                            }
                        },
                        engine.platform().callbacks());
        answer.whenComplete((value, error) -> {
            if (answer.isCancelled()) {
                acquisition.abandon();
            }
        });
        return answer;
    }

    private Optional<Lease> handle(Optional<HeldLease> lease) {
        return lease.map(held -> new LeaseHandle(engine, held));
    }

    @Override
    public Lock asLock() {
        return new JdkLock(this);
    }

    @Override
    public String toString() {
        return "DistributedLock['" + name + "' in " + engine.storeAddress() + "]";
    }

    // --- what callers pass in

    private LockTimeoutException timedOut(Duration wait) {
        return new LockTimeoutException(
                name, "held by others for the whole wait of " + nanos(wait) / 1_000_000 + " ms");
    }

    private LockOptions explicitLease(long leaseTime, TimeUnit unit) {
        requireNonNull(unit, "unit");
        try {
            // Longer than the library allows is also longer than a Duration may be able to say in this unit.
            long millis = unit.toMillis(leaseTime);
            return options.toBuilder()
                    .lease(Duration.ofMillis(millis))
                    .renewal(false)
                    .build();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(e.getMessage() + " (lock '" + name + "')", e);
        }
    }

    private static long nanos(long time, TimeUnit unit) {
        return Math.max(0, requireNonNull(unit, "unit").toNanos(time));
    }

    private static long nanos(Duration time) {
        return Math.max(0, TimeUnit.NANOSECONDS.convert(requireNonNull(time, "wait")));
    }
}
