package io.holdfast.spi;

import io.holdfast.internal.SystemPlatform;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * The ports: all time, timers, threads, randomness and parking that the engine and the stores use. One client has one
 * platform. Thread safe.
 */
public interface Platform extends AutoCloseable {

    /** The machine this runs on. */
    static Platform system() {
        return new SystemPlatform();
    }

    /** Monotonic time, for waiting and validity. As {@link System#nanoTime()}: only differences mean anything. */
    long nanoTime();

    /** Wall-clock time, which goes on while the host is suspended. */
    long wallMillis();

    /** A random number from 0 up to, not including, {@code bound}. */
    long random(long bound);

    /** A number of 64 bits that nobody else draws, a copy of this machine included: from the strongest source there is. */
    long draw();

    /** Runs a short task, which must not block, after a delay, on the timer thread. */
    Timer schedule(long delayNanos, Runnable task);

    /** A thread of its own that runs tasks which may block, one after the other. It is there while there is something to do. */
    Worker worker(String role);

    /** Runs the application's code, which may block, on a thread where it delays nobody. */
    Executor callbacks();

    /** Starts a daemon thread for a task that goes on until the store is closed. */
    void daemon(String role, Runnable task);

    /** The thread that calls, as an identity. */
    Object currentThread();

    /** A number for that thread. */
    long threadId(Object thread);

    boolean isAlive(Object thread);

    void interrupt(Object thread);

    /** Whether the calling thread was interrupted; clears the flag. */
    boolean interrupted();

    /** Waits until unparked, interrupted or the time is over; may return for no reason. */
    void park(long nanos);

    void unpark(Object thread);

    /**
     * Whether the calling thread may block on a socket. A virtual thread may not: an interrupt would close the socket
     * under everybody's feet.
     */
    boolean mayBlockHere();

    /** A value for each thread, which goes with the thread. */
    <T> Supplier<T> perThread(Supplier<T> initial);

    /** Ends the threads. Tasks not yet begun are dropped. */
    @Override
    void close();

    /** A task that was scheduled. */
    interface Timer {
        /** Takes the task back if it has not begun. */
        void cancel();
    }

    /** A thread that runs tasks in order. */
    interface Worker extends Executor {
        /**
         * Takes no more tasks, and waits at most so long for those it has.
         *
         * @return those it did not get to; somebody may wait for them
         */
        List<Runnable> finish(long nanos);
    }
}
