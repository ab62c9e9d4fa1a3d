package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * So many permits, among all the threads of all the processes that use the same store. A semaphore object has no state of its own.
 * Thread safe.
 *
 * <pre>{@code
 * DistributedSemaphore calls = locks.semaphore("partner-api", 10);
 * try (Lease permit = calls.acquire(ofSeconds(5))) {
 *     call();
 * }
 * }</pre>
 *
 * <p>Permits are leased: those of a holder that died come back when its lease is over, and a holder that lost them is told.
 * Who wants several gets all of them at once or none, and all are served in the order of their coming, so that one who wants
 * many is not overtaken for ever by those who want few. Nothing can be given back twice: a {@link Lease} is released once.
 *
 * <p>The number of permits is kept in the store while any are held. A client that means another number is refused with a
 * {@link StoreRefusedException}.
 */
public interface DistributedSemaphore {

    /** The name it was asked for by. */
    String getName();

    /** How many there are in all, as this client knows it. */
    int getPermits();

    /**
     * Waits for one permit, at most {@code wait}.
     *
     * @throws LockTimeoutException if it was not to be had for all that time
     */
    Lease acquire(Duration wait) throws InterruptedException;

    /**
     * Waits for so many permits at once, at most {@code wait}.
     *
     * @throws LockTimeoutException if they were not to be had for all that time
     */
    Lease acquire(int permits, Duration wait) throws InterruptedException;

    /** Takes one permit if there is one and nobody waits; answers at once. */
    Optional<Lease> tryAcquire();

    /** Takes so many permits if there are as many and nobody waits; answers at once. */
    Optional<Lease> tryAcquire(int permits);

    /** Waits for one permit, at most {@code wait}. */
    Optional<Lease> tryAcquire(Duration wait) throws InterruptedException;

    /** Waits for so many permits at once, at most {@code wait}. */
    Optional<Lease> tryAcquire(int permits, Duration wait) throws InterruptedException;

    /** As {@link #acquire(int, Duration)}; fails with {@link LockTimeoutException}. */
    CompletionStage<Lease> acquireAsync(int permits, Duration wait);

    /** As {@link #tryAcquire(int)}. */
    CompletionStage<Optional<Lease>> tryAcquireAsync(int permits);

    /** As {@link #tryAcquire(int, Duration)}. */
    CompletionStage<Optional<Lease>> tryAcquireAsync(int permits, Duration wait);

    /**
     * Changes the number of permits of a semaphore that is in use. More permits let those in who wait, at once; fewer take
     * nothing from those who hold some. From then on all clients have to mean the new number: this object does not, ask the
     * client for another.
     *
     * @return false if nobody holds a permit: then the next to take one decides
     */
    boolean setPermits(int permits);

    /**
     * So many permits as a lock, to take them together with others by {@link Holdfast#allOf}. Its forms that are bound to a
     * thread are re-entrant: a thread that has so many permits has them, and takes no more.
     */
    DistributedLock asLock(int permits);
}
