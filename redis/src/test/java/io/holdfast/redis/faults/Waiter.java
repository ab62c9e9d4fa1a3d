package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.SOON;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** A thread that waits for a lock, what came of it, and whether its interrupt flag was set afterwards. */
final class Waiter {
    final CompletableFuture<Boolean> outcome = new CompletableFuture<>();
    final AtomicBoolean flag = new AtomicBoolean();
    final Thread thread;

    Waiter(Callable<Boolean> wait) {
        thread = new Thread(() -> {
            try {
                boolean got = wait.call();
                flag.set(Thread.interrupted());
                outcome.complete(got);
            } catch (Exception e) {
                flag.set(Thread.interrupted());
                outcome.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    void assertInterrupted() {
        assertThat(outcome).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(InterruptedException.class);
        assertThat(flag).isFalse();
    }
}
