package io.holdfast.faults.contender;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A client of one process. Thread safe. */
public interface Session extends AutoCloseable {
    /** Waits for it; null if it was not to be had in that time. */
    @Nullable
    Held take(Wish wish, Duration wait) throws InterruptedException;

    @Override
    void close();
}
