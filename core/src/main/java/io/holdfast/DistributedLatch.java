package io.holdfast;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;

/**
 * A gate that opens once, when it has been counted down so many times, among all the threads of all the processes that use the
 * same store. A latch object has no state of its own. Thread safe.
 *
 * <pre>{@code
 * DistributedLatch imported = locks.latch("import:2026-11-15");
 * imported.trySetCount(4);           // whoever comes first says how many
 * ...
 * imported.countDown();              // each of the four, when it is done
 * ...
 * if (imported.await(ofMinutes(5))) {
 *     report();
 * }
 * }</pre>
 *
 * <p>Who waits may come before the latch is set. An open latch stays open until its life is over or it is cleared; then its name
 * may be used again. Counting down is safe against messages that are lost or doubled: one call counts once, for the latch that
 * was there when it was made.
 */
public interface DistributedLatch {

    String getName();

    /**
     * Sets the latch, for a life of a day.
     *
     * @param count from 1 to 1,000,000
     * @return false if there is one of that name already, open or not
     */
    boolean trySetCount(int count);

    /**
     * Sets the latch.
     *
     * @param count from 1 to 1,000,000
     * @param life when it is over the latch is forgotten, open or not; from 100 ms to 365 days
     * @return false if there is one of that name already, open or not
     */
    boolean trySetCount(int count, Duration life);

    /** How often it has to be counted down until it opens; empty if it is not set. */
    OptionalInt getCount();

    /**
     * Counts down once. Does nothing if the latch is open. A store that cannot be reached is asked again for as long as the
     * client's {@code outageLimit}.
     *
     * @throws IllegalStateException if it is not set; or was forgotten meanwhile, and may have been counted down before
     * @throws StoreUnavailableException if the store did not answer for all that time; it may have counted or not
     */
    void countDown();

    /** As {@link #countDown}, without blocking. */
    CompletionStage<Void> countDownAsync();

    /**
     * Waits until the latch is open, at most {@code wait}.
     *
     * @return whether it is open
     * @throws IllegalStateException if the latch was forgotten before it was open: its life was over, or it was cleared
     */
    boolean await(Duration wait) throws InterruptedException;

    /** As {@link #await}, without blocking. */
    CompletionStage<Boolean> awaitAsync(Duration wait);

    /**
     * Forgets the latch. Who waits for it is told. One of that name that others set meanwhile is left alone.
     *
     * @return whether it was set
     */
    boolean clear();
}
