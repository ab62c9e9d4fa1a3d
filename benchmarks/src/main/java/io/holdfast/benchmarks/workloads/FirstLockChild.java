package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contenders;

/** The JVM of {@link FirstLock}. Its class path has the jars of its contender alone. */
public final class FirstLockChild {
    static final String HELD = "held";

    private FirstLockChild() {}

    /** Takes contender, host, port and the name of a lock. */
    public static void main(String[] args) {
        Contenders.named(args[0])
                .open(args[1], Integer.parseInt(args[2]))
                .lock(args[3])
                .lock();
        System.out.println(HELD);
        Runtime.getRuntime().halt(0); // how it ends is not measured
    }
}
