package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/**
 * One holder at a time, among all the threads of all the processes that use the same store. A lock object has no state
 * of its own: create as many as you like for a name, they are the same lock. Thread safe.
 *
 * <pre>{@code
 * DistributedLock lock = locks.lock("order:12345");
 * if (!lock.tryLock(5, SECONDS)) {
 *     return Busy;
 * }
 * boolean safe;
 * try {
 *     work();
 * } finally {
 *     safe = lock.unlock();
 * }
 * if (!safe) {
 *     rollBack();
 * }
 * }</pre>
 *
 * <p>The methods named lock, tryLock and unlock bind the lock to the calling thread and are re-entrant for it; those
 * named acquire and tryAcquire return a {@link Lease} that belongs to no thread. A failure of the store is never
 * reported as "held by another": it is a {@link StoreUnavailableException} or a {@link StoreRefusedException}. A thread
 * that takes the lock again after it lost its lease gets a {@link LeaseLostException} until it has unlocked.
 */
public interface DistributedLock {

    /** The name it was asked for by; of several together, a text that names the first of them. */
    String getLockName();

    /** Takes the lock if it is free or held by this thread; answers at once, after one round trip at most. */
    boolean tryLock();

    /** Waits for the lock, at most {@code waitTime}. */
    boolean tryLock(long waitTime, TimeUnit unit) throws InterruptedException;

    /** Waits for the lock, at most {@code waitTime}. */
    boolean tryLock(Duration waitTime) throws InterruptedException;

    /**
     * Waits for the lock, at most {@code waitTime}, and takes it for {@code leaseTime} only: an explicit lease is not
     * renewed. If this thread holds the lock already, its lease stays as it is.
     */
    boolean tryLock(long waitTime, long leaseTime, TimeUnit unit) throws InterruptedException;

    /**
     * Waits for the lock, however long others hold it; an interrupt does not end the wait, and is still set when this
     * returns.
     *
     * @throws StoreUnavailableException if the store has not answered for the {@code outageLimit}, 30 s by default
     */
    void lock();

    /**
     * Waits for the lock, however long others hold it, until interrupted.
     *
     * @throws StoreUnavailableException if the store has not answered for the {@code outageLimit}, 30 s by default
     */
    void lockInterruptibly() throws InterruptedException;

    /**
     * Gives the lock back, or undoes one re-entry.
     *
     * @return true: the section was protected to its end, inside the timing model. False: it was not (the lease was
     *     lost, or this thread never held the lock): roll back
     */
    boolean unlock();

    /** Whether this thread holds the lock, by local knowledge; false once the lease is lost. */
    boolean isHeldByCurrentThread();

    /** How often this thread has taken the lock without unlocking; zero once the lease is lost. */
    int getHoldCount();

    /**
     * Waits for the lock, at most {@code wait}.
     *
     * @throws LockTimeoutException if others held it for all that time
     */
    Lease acquire(Duration wait) throws InterruptedException;

    /** Takes the lock if it is free; answers at once. */
    Optional<Lease> tryAcquire();

    /** Waits for the lock, at most {@code wait}. */
    Optional<Lease> tryAcquire(Duration wait) throws InterruptedException;

    /**
     * As {@link #acquire}; fails with {@link LockTimeoutException}. Cancelling the stage's future gives up the wait, and
     * gives back what came too late.
     */
    CompletionStage<Lease> acquireAsync(Duration wait);

    /** As {@link #tryAcquire()}. */
    CompletionStage<Optional<Lease>> tryAcquireAsync();

    /** As {@link #tryAcquire(Duration)}. */
    CompletionStage<Optional<Lease>> tryAcquireAsync(Duration wait);

    /**
     * The JDK's view of this lock. Its {@code unlock} throws {@link IllegalMonitorStateException} where the JDK promises
     * it, and {@link LeaseLostException} when the lease was lost; conditions are not supported.
     */
    Lock asLock();
}
