package io.holdfast.benchmarks.contenders;

/** A connected client. Thread safe. */
public interface Session extends AutoCloseable {
    /** A lock for the calling thread alone; threads that ask for the same name contend. */
    BenchLock lock(String name);

    @Override
    void close();
}
