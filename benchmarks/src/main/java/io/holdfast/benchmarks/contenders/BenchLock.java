package io.holdfast.benchmarks.contenders;

/** A lock in the hands of one thread. */
public interface BenchLock {
    /** Waits until the lock is held. */
    void lock();

    /** Gives it back; fails if it was lost meanwhile. */
    void unlock();
}
