package io.holdfast.internal;

import static java.util.Objects.requireNonNull;

import io.holdfast.ClientClosedException;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The many forms in which a lock can be asked for: bound to the thread or as a handle, waiting or not, blocking or not.
 *
 * @param <T> what is got: a lease, or several
 */
abstract class LockForms<T> implements DistributedLock {
    final Engine engine;

    LockForms(Engine engine) {
        this.engine = engine;
    }

    /** Takes once more what this thread has; false if it does not have all of it. Refuses if it has lost it. */
    abstract boolean reenter();

    /** The name of the lock, or of the first of several. */
    abstract String firstName();

    /** Undoes a re-entry, since the rest was not to be had. */
    abstract void leave();

    /**
     * Begins an attempt.
     *
     * @param lease for how long it is taken, without renewal; null as the options say
     * @param thread whose it will be; null for a handle
     */
    abstract Attempt<T> attempt(@Nullable Duration lease, @Nullable Object thread, long waitNanos, Caller caller);

    /** As above, by the worker, for a handle. */
    abstract Attempt<T> attemptAsync(long waitNanos);

    /** From now on this thread has it. */
    abstract void hold(T taken);

    abstract Lease handle(T taken);

    abstract void giveBack(T taken);

    abstract List<HeldLease> leases(T taken);

    /** The caller has it from now on; unless it is lost already, or parts of it: then those parts, and nothing has changed. */
    abstract List<HeldLease> lostBeforeSeen(T taken);

    /** What this thread has taken and not unlocked, lost or not; nothing if it has not taken all of it. */
    abstract List<HeldLease> heldByThisThread();

    // --- bound to the thread

    @Override
    public boolean tryLock() {
        return reenter() || takeUninterruptibly(0);
    }

    @Override
    public boolean tryLock(long waitTime, TimeUnit unit) throws InterruptedException {
        return take(null, nanos(waitTime, unit));
    }

    @Override
    public boolean tryLock(Duration waitTime) throws InterruptedException {
        return take(null, nanos(waitTime));
    }

    @Override
    public boolean tryLock(long waitTime, long leaseTime, TimeUnit unit) throws InterruptedException {
        return take(lease(leaseTime, unit), nanos(waitTime, unit));
    }

    @Override
    public void lock() {
        if (!reenter()) {
            takeUninterruptibly(Wish.FOREVER);
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        take(null, Wish.FOREVER);
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return getHoldCount() > 0;
    }

    private boolean take(@Nullable Duration lease, long waitNanos) throws InterruptedException {
        if (engine.platform().interrupted()) {
            throw new InterruptedException();
        }
        return reenter() || takeAnew(lease, waitNanos, true);
    }

    private boolean takeUninterruptibly(long waitNanos) {
        try {
            return takeAnew(null, waitNanos, false);
        } catch (InterruptedException e) {
            throw new AssertionError("was told not to be interrupted", e);
        }
    }

    private boolean takeAnew(@Nullable Duration lease, long waitNanos, boolean interruptibly)
            throws InterruptedException {
        boolean all = false;
        try {
            Optional<T> taken = obtain(lease, engine.platform().currentThread(), waitNanos, interruptibly);
            taken.ifPresent(this::hold);
            all = taken.isPresent();
            return all;
        } finally {
            if (!all) {
                leave();
            }
        }
    }

    private Optional<T> obtain(@Nullable Duration lease, @Nullable Object thread, long waitNanos, boolean interruptibly)
            throws InterruptedException {
        if (interruptibly && engine.platform().interrupted()) {
            throw new InterruptedException();
        }
        long start = engine.platform().nanoTime();
        long left = waitNanos;
        while (true) {
            Optional<T> taken = tryOnce(lease, thread, left, interruptibly);
            List<HeldLease> lost = taken.map(this::lostBeforeSeen).orElse(List.of());
            if (lost.isEmpty()) {
                return taken;
            }
            // A caller amid a request that nobody answers can be passed what is over by the time it looks up. What the
            // store may have of it would stand in the way of the next attempt.
            taken.ifPresent(this::giveBack);
            // Only now: of several, more may have been lost since.
            taken.map(this::leases).orElse(List.of()).stream()
                    .filter(each -> each.phase() == HeldLease.Phase.LOST)
                    .forEach(engine.releases()::undo);
            if (waitNanos != Wish.FOREVER) {
                left = waitNanos - (engine.platform().nanoTime() - start);
            }
            if (left <= 0) {
                throw engine.isClosed()
                        ? new ClientClosedException(lost.get(0).name())
                        : Failures.lostBeforeSeen(lost.get(0), engine.storeAddress());
            }
        }
    }

    private Optional<T> tryOnce(
            @Nullable Duration lease, @Nullable Object thread, long waitNanos, boolean interruptibly)
            throws InterruptedException {
        Caller caller = engine.caller(firstName());
        Attempt<T> attempt = attempt(lease, thread, waitNanos, caller);
        try {
            return caller.await(attempt.result(), interruptibly ? attempt::abandon : null);
        } catch (Error e) {
            // It goes without what it would have got, and nobody else would ever give that back.
            attempt.abandon();
            throw e;
        } finally {
            attempt.seen();
        }
    }

    // --- as a handle

    @Override
    public Lease acquire(Duration wait) throws InterruptedException {
        return tryAcquire(wait).orElseThrow(() -> timedOut(wait));
    }

    @Override
    public Optional<Lease> tryAcquire() {
        try {
            return obtain(null, null, 0, false).map(this::handle);
        } catch (InterruptedException e) {
            throw new AssertionError("was told not to be interrupted", e);
        }
    }

    @Override
    public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
        return obtain(null, null, nanos(wait), true).map(this::handle);
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

    private <R> CompletionStage<R> async(long waitNanos, Function<Optional<Lease>, R> shape) {
        Attempt<T> attempt = attemptAsync(waitNanos);
        CompletableFuture<R> answer = new CompletableFuture<>();
        attempt.result()
                .whenCompleteAsync(
                        (found, error) -> {
                            attempt.seen();
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
                                if (!answer.complete(shape.apply(found.map(this::handle)))) {
                                    found.ifPresent(this::giveBack);
                                }
                            } catch (LockTimeoutException e) {
                                answer.completeExceptionally(e);
                            }
                        },
                        engine.platform().callbacks());
        answer.whenComplete((value, error) -> {
            if (answer.isCancelled()) {
                attempt.abandon();
            }
        });
        return answer;
    }

    @Override
    public Lock asLock() {
        return new JdkLock(this);
    }

    // --- what callers pass in

    private LockTimeoutException timedOut(Duration wait) {
        return new LockTimeoutException(
                getLockName(), "held by others for the whole wait of " + nanos(wait) / 1_000_000 + " ms");
    }

    private Duration lease(long leaseTime, TimeUnit unit) {
        // Longer than the library allows is also longer than a Duration may be able to say in this unit.
        Duration lease = Duration.ofMillis(requireNonNull(unit, "unit").toMillis(leaseTime));
        checkLease(lease, getLockName());
        return lease;
    }

    /** Refuses a lease that no lock can have. */
    static void checkLease(Duration lease, String lockName) {
        try {
            LockOptions.builder().lease(lease);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(e.getMessage() + " (lock '" + lockName + "')", e);
        }
    }

    private static long nanos(long time, TimeUnit unit) {
        return Math.max(0, requireNonNull(unit, "unit").toNanos(time));
    }

    private static long nanos(Duration time) {
        return Math.max(0, TimeUnit.NANOSECONDS.convert(requireNonNull(time, "wait")));
    }
}
