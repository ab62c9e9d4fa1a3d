package io.holdfast.internal;

import io.holdfast.spi.Platform;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Requests that were sent and are not answered yet. Closing waits for them, so that what they bring, or take, is not left to
 * chance; after that nothing new is sent.
 */
final class Requests {
    private final Platform platform;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicInteger underWay = new AtomicInteger();

    Requests(Platform platform) {
        this.platform = platform;
    }

    /** Announces a request. False if the client is closed: nothing may be sent. */
    boolean announce() {
        begin();
        // Looked at after the count: either closing sees this request, or this sees the closing.
        if (closed.get()) {
            end();
            return false;
        }
        return true;
    }

    /** Announces a request that is sent in any case, since it takes something back. */
    void begin() {
        underWay.incrementAndGet();
    }

    /** What was announced is answered, or is not sent after all. */
    void end() {
        underWay.decrementAndGet();
    }

    int underWay() {
        return underWay.get();
    }

    boolean isClosed() {
        return closed.get();
    }

    /** True for the first who calls. */
    boolean close() {
        return closed.compareAndSet(false, true);
    }

    /** Waits, but not for ever, until nothing is under way. True if the thread was interrupted meanwhile. */
    boolean awaitAnswers(long nanos) {
        boolean interrupted = false;
        long patience = platform.nanoTime() + nanos;
        while (underWay() > 0 && platform.nanoTime() - patience < 0) {
            interrupted |= platform.interrupted();
            platform.park(1_000_000);
        }
        return interrupted;
    }
}
