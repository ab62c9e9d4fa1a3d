package io.holdfast.benchmarks.workloads;

import java.time.Duration;

/** Sleeps while others work. */
final class Pause {
    private Pause() {}

    static void of(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted during a measurement", e);
        }
    }
}
