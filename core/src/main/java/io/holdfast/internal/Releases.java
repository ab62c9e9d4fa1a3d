package io.holdfast.internal;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.ReleaseItem;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Releases in the background, by workers of their own, so that no request that hangs stands before them. */
final class Releases {
    private final Platform platform;
    private final LockStore store;
    private final Requests requests;
    private final Workers workers;

    Releases(Platform platform, LockStore store, Requests requests) {
        this.platform = platform;
        this.store = store;
        this.requests = requests;
        this.workers = new Workers(platform, store, "release");
    }

    /** Runs what gives this lock back. */
    Executor of(String name) {
        return workers.of(name);
    }

    /** Those that can be given back together, for each part of the store. */
    List<List<HeldLease>> apart(List<HeldLease> leases) {
        return workers.apart(leases, HeldLease::name);
    }

    List<Runnable> finish(long nanos) {
        return workers.finish(nanos);
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
        workers.of(name)
                .execute(() -> release(name, owner).whenComplete((answered, error) -> {
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

    /** Gives back all of these, some at once, until the part of the store that has them cannot be reached. */
    void giveBack(List<HeldLease> held) {
        for (List<HeldLease> together : apart(held)) {
            List<ReleaseItem> items = together.stream()
                    .map(lease -> new ReleaseItem(lease.name(), lease.owner()))
                    .toList();
            requests.begin();
            workers.of(items.get(0).name())
                    .execute(() -> giveBackAll(items).whenComplete((done, error) -> requests.end()));
        }
    }

    private CompletionStage<Void> giveBackAll(List<ReleaseItem> all) {
        List<ReleaseItem> left = all;
        while (!left.isEmpty()) {
            List<ReleaseItem> some = left.subList(0, Math.min(LockStore.AT_ONCE, left.size()));
            List<ReleaseItem> rest = left;
            CompletableFuture<Integer> reached =
                    Failures.releaseAll(store, some).thenApply(List::size).toCompletableFuture();
            if (!reached.isDone()) {
                return reached.thenCompose(done -> giveBackAll(rest.subList(done, rest.size())));
            }
            if (reached.isCompletedExceptionally()) {
                break;
            }
            left = rest.subList(reached.join(), rest.size());
        }
        return CompletableFuture.completedFuture(null);
    }

    /** False if it was not answered. */
    private CompletableFuture<Boolean> release(String name, String owner) {
        return Failures.guarded(() -> store.release(name, owner))
                .handle((reply, error) -> error == null)
                .toCompletableFuture();
    }
}
