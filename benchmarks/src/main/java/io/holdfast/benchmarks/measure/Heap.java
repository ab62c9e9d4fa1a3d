package io.holdfast.benchmarks.measure;

import java.lang.management.ManagementFactory;

/** What lives in this JVM. */
public final class Heap {
    private static final int COLLECTIONS = 3;

    private Heap() {}

    /** Bytes in use after garbage was collected, more than once since cleaners let go of more. */
    public static long used() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
