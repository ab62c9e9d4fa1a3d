package io.holdfast.faults.contender;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A client of one process. Thread safe. */
public interface Session extends AutoCloseable {
    /** A wait without an end. */
    Duration FOREVER = Duration.ofDays(1);

    /** Waits for it; null if it was not to be had in that time. */
    @Nullable
    Held take(Wish wish, Duration wait) throws InterruptedException;

    /** The latches; only where they are offered. */
    default Latches latches() {
        throw new UnsupportedOperationException("no latches here");
    }

    /** Stands for election until it is closed, and leads when elected; only where that is offered. */
    default Candidacy stand(String election, Leader leader) {
        throw new UnsupportedOperationException("no elections here");
    }

    /** One that stands for election, until it is closed. */
    @FunctionalInterface
    interface Candidacy {
        void close();
    }

    @Override
    void close();
}
