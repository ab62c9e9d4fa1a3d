package io.holdfast.spring;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.holdfast.Election;
import io.holdfast.Lease;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Leads by telling the application so. It leads until it is interrupted, which is how one is deposed; since a listener may
 * have swallowed the interrupt, it looks for what caused it as well.
 */
final class Leader implements Election.Task {
    /**
     * Late enough for the interrupt of the same cause to come first: one that came after it would meet those who are being
     * told to stop.
     */
    private static final Executor AFTER_THE_INTERRUPT = CompletableFuture.delayedExecutor(100, MILLISECONDS);

    private final String name;
    private final ApplicationEventPublisher events;

    // Guarded by this.
    private CompletableFuture<Void> ended = CompletableFuture.completedFuture(null);
    private CountDownLatch over = new CountDownLatch(1);
    private boolean stopped;

    Leader(String name, ApplicationEventPublisher events) {
        this.name = name;
        this.events = events;
    }

    @Override
    public void lead(Lease lease) throws InterruptedException {
        CompletableFuture<Void> end = new CompletableFuture<>();
        CountDownLatch deposed = new CountDownLatch(1);
        synchronized (this) {
            if (stopped) {
                return;
            }
            ended = end;
            over = deposed;
        }
        lease.lost().thenRunAsync(deposed::countDown, AFTER_THE_INTERRUPT);
        try {
            tell(lease, deposed);
        } finally {
            end.complete(null);
        }
    }

    private void tell(Lease lease, CountDownLatch deposed) throws InterruptedException {
        try {
            events.publishEvent(new ElectedEvent(name, lease));
            deposed.await();
        } finally {
            // Also if a listener failed: those before it believe that they lead. The interrupt was for them.
            Thread.interrupted();
            events.publishEvent(new DeposedEvent(name, !lease.isValid()));
        }
    }

    /**
     * Leads no more, once its candidacy is closed.
     *
     * @return done when the application has been told, and has stopped
     */
    synchronized CompletableFuture<Void> stop() {
        stopped = true;
        over.countDown();
        return ended;
    }
}
