package io.holdfast.benchmarks.contenders;

/** A connected client. Thread safe. */
public interface Session extends AutoCloseable {
    /** A lock for the calling thread alone; threads that ask for the same name contend. */
    BenchLock lock(String name);

    /** The same, where the caller says how many may be in at once: one permit of so many. Others do not care. */
    default BenchLock lock(String name, int places) {
        return lock(name);
    }

    @Override
    void close();
}
