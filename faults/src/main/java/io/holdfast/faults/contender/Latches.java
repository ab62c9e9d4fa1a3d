package io.holdfast.faults.contender;

import java.time.Duration;

/** Latches: gates that open once. Thread safe. */
public interface Latches {
    /**
     * Sets a latch that nobody has set before.
     *
     * @param life how long it is to be known, where that can be said
     */
    void set(String name, int count, Duration life);

    void countDown(String name);

    /** Whether it opened in that time. */
    boolean await(String name, Duration wait) throws InterruptedException;
}
