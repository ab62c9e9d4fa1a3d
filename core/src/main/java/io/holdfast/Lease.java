package io.holdfast;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A lock that is held, as a handle: it may be passed to other threads, platform or virtual, and to futures. Not
 * re-entrant. Thread safe.
 *
 * <pre>{@code
 * try (Lease lease = locks.lock("invoice:42").acquire(ofSeconds(5))) {
 *     repository.save(invoice, lease.token());   // the guard travels with the write
 * }
 * }</pre>
 *
 * <p>Keep the handle while the work goes on: a lease that nobody refers to any more is reported and no longer renewed.
 */
public interface Lease extends AutoCloseable {

    /** The lock; of several together, a text that names the first of them. */
    String lockName();

    /**
     * The fencing token: higher than that of every earlier holder, constant while the lease is renewed.
     *
     * @throws UnsupportedOperationException if this is the lease of several locks: each has a token of its own
     */
    long token();

    /**
     * The fencing token of one of the locks that this lease is about.
     *
     * @throws IllegalArgumentException if it is not about that lock
     */
    default long token(String lockName) {
        if (!lockName().equals(lockName)) {
            throw new IllegalArgumentException("this is a lease of '" + lockName() + "', not of '" + lockName + "'");
        }
        return token();
    }

    /** Whether the lease is ours and known to be so, by this machine's clocks alone, without asking the store. */
    boolean isValid();

    /** How long the lease is known to be ours without a further renewal; zero once it is not. */
    Duration remaining();

    /**
     * Returns if the lease is valid.
     *
     * @throws LeaseLostException if it was lost
     * @throws IllegalStateException if it was released
     */
    void ensureValid();

    /** Completes once, with the cause, when the lease is lost; never after a clean release. */
    CompletionStage<Loss> lost();

    /**
     * Makes the lease last at least {@code duration} from now, by asking the store. Never shortens it.
     *
     * @param duration from 100 ms to 24 h
     * @throws LeaseLostException if the lease is no longer ours
     * @throws StoreUnavailableException if the store did not answer; the lease is then what it was
     */
    void extend(Duration duration);

    /**
     * Gives the lock back.
     *
     * @return true: the section was protected to its end. False: the lease had been lost, or was released before
     */
    boolean release();

    /**
     * Releases.
     *
     * @throws LeaseLostException if the lease was lost before, so that nobody overlooks it
     */
    @Override
    void close();
}
