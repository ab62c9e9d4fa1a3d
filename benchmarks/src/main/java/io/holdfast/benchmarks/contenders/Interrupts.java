package io.holdfast.benchmarks.contenders;

/** Nobody interrupts a measurement but to end it. */
final class Interrupts {
    private Interrupts() {}

    /** Sets the flag again; what comes back is to be thrown. */
    static IllegalStateException of(String name, InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted while waiting for " + name, cause);
    }
}
