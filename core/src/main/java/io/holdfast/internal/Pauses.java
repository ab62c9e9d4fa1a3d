package io.holdfast.internal;

import io.holdfast.Backoff;
import io.holdfast.spi.Platform;

/** Randomised pauses that get longer from one to the next. Not thread safe. */
final class Pauses {
    private final Backoff backoff;
    private final Platform platform;
    private int taken;

    Pauses(Backoff backoff, Platform platform) {
        this.backoff = backoff;
        this.platform = platform;
    }

    /** From now on they start anew. */
    void reset() {
        taken = 0;
    }

    long nextNanos() {
        long longest = backoff.longest().toNanos();
        long step = backoff.first().toNanos() << Math.min(taken, 16);
        if (step < longest) {
            taken++;
        } else {
            step = longest;
        }
        return step / 2 + platform.random(step / 2 + 1);
    }
}
