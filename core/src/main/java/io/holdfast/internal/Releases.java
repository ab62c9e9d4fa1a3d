package io.holdfast.internal;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Releases in the background, by a worker of their own, so that no request that hangs stands before them. */
final class Releases implements Executor {
    private final Platform platform;
    private final LockStore store;
    private final Requests requests;
    private final Platform.Worker worker;

    Releases(Platform platform, LockStore store, Requests requests) {
        this.platform = platform;
        this.store = store;
        this.requests = requests;
        this.worker = platform.worker("release");
    }

    @Override
    public void execute(Runnable task) {
        worker.execute(task);
    }

    List<Runnable> finish(long nanos) {
        return worker.finish(nanos);
    }

    /** Takes back whatever an owner may have in the store; tries until it would end by itself. */
    void undo(String name, String owner, Duration lease) {
        // A ticket may outlive a short lease.
        long longest = Math.max(lease.toNanos(), LockStore.LONGEST_TICKET.toNanos());
        undo(name, owner, platform.nanoTime() + longest);
    }

    /** As above, for a lease that may have been extended. */
    void undo(HeldLease lease) {
        long until = platform.nanoTime() + lease.options.lease().toNanos();
        long proved = lease.validity().untilNanos();
        undo(lease.name(), lease.owner(), proved - until > 0 ? proved : until);
    }

    private void undo(String name, String owner, long untilNanos) {
        requests.begin();
        send(name, owner, untilNanos, 0);
    }

    private void send(String name, String owner, long untilNanos, int tries) {
        worker.execute(() -> release(name, owner).whenComplete((answered, error) -> {
            long pause = Math.min(50_000_000L << Math.min(tries, 6), 2_000_000_000L);
            if (!answered && platform.nanoTime() + pause - untilNanos < 0) {
                platform.schedule(pause, () -> {
                    // A closed client has no worker left to send it, and the timer thread must not.
                    if (requests.announce()) {
                        send(name, owner, untilNanos, tries + 1);
                    }
                });
            }
            requests.end();
        }));
    }

    /** Gives back all of these, one after the other, until the store cannot be reached. */
    void giveBack(List<HeldLease> held) {
        requests.begin();
        worker.execute(() -> giveBack(new ArrayDeque<>(held)).whenComplete((reached, error) -> requests.end()));
    }

    private CompletableFuture<Boolean> giveBack(ArrayDeque<HeldLease> left) {
        for (HeldLease lease = left.poll(); lease != null; lease = left.poll()) {
            CompletableFuture<Boolean> reached = release(lease.name(), lease.owner());
            if (!reached.isDone()) {
                return reached.thenCompose(yes -> yes ? giveBack(left) : reached);
            }
            if (!reached.join()) {
                return reached;
            }
        }
        return CompletableFuture.completedFuture(true);
    }

    /** False if it was not answered. */
    private CompletableFuture<Boolean> release(String name, String owner) {
        return Failures.guarded(() -> store.release(name, owner))
                .handle((reply, error) -> error == null)
                .toCompletableFuture();
    }
}
