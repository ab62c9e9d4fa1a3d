package io.holdfast.benchmarks.contenders;

import java.util.concurrent.locks.Lock;

/** Any lock that is a {@link Lock}. */
record JdkHeld(Lock it) implements BenchLock {
    @Override
    public void lock() {
        it.lock();
    }

    @Override
    public void unlock() {
        it.unlock();
    }
}
