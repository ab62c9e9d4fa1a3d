package io.holdfast.internal;

import io.holdfast.LockException;
import io.holdfast.Loss;
import io.holdfast.Outcome;
import io.holdfast.internal.HeldLease.Phase;
import io.holdfast.internal.HeldLease.Validity;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.ExchangeReply;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.ReleaseItem;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** How a hold ends that is given up: passed on to the next of this client, given back to the store, or kept to read. */
final class Endings {
    private final Engine engine;
    private final Platform platform;
    private final LockStore store;
    private final Watchdog watchdog;
    private final Losses losses;

    Endings(Engine engine, LockStore store, Watchdog watchdog, Losses losses) {
        this.engine = engine;
        this.platform = engine.platform();
        this.store = store;
        this.watchdog = watchdog;
        this.losses = losses;
    }

    /** Gives the lock back. True if the section was protected to its end. */
    boolean release(HeldLease lease) {
        if (!beginRelease(lease)) {
            return false;
        }
        if (passOn(lease)) {
            return true;
        }
        Acquisition next = leaves(lease);
        Caller caller = engine.caller(lease.name());
        CompletableFuture<Boolean> outcome = new CompletableFuture<>();
        if (caller.runs()) {
            sendRelease(lease, next, outcome);
        } else {
            engine.releases().of(lease.name()).execute(() -> sendRelease(lease, next, outcome));
            // Others may stand before it. The lease was valid when the section ended; the rest is done in the
            // background.
            Platform.Timer limit =
                    platform.schedule(engine.commandTimeout().toNanos(), () -> outcome.complete(endsUnanswered(lease)));
            outcome.whenComplete((value, error) -> limit.cancel());
        }
        return caller.awaitUninterruptibly(outcome);
    }

    /** Nobody waits for the answer any more, and whatever the store says is nothing to who held it. False if it was lost before. */
    private boolean endsUnanswered(HeldLease lease) {
        ended(lease);
        return lease.phase() == Phase.RELEASED;
    }

    void releaseInBackground(HeldLease lease) {
        if (beginRelease(lease) && !passOn(lease)) {
            Acquisition next = leaves(lease);
            engine.releases().of(lease.name()).execute(() -> sendRelease(lease, next, new CompletableFuture<>()));
        }
    }

    /** Gives several locks back. True if the section was protected to its end by all of them. */
    boolean release(List<HeldLease> leases) {
        Caller caller = engine.caller(leases.isEmpty() ? "" : leases.get(0).name());
        List<Sent> sent = new ArrayList<>();
        boolean safe = begin(
                leases,
                sent,
                name -> caller.runs() ? Runnable::run : engine.releases().of(name));
        CompletableFuture<Boolean> all = CompletableFuture.allOf(
                        sent.stream().map(Sent::outcome).toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> sent.stream().allMatch(part -> part.outcome().join()));
        if (!caller.runs()) {
            // As above: the rest is done in the background. But a loss that is known by then is told.
            Platform.Timer limit = platform.schedule(engine.commandTimeout().toNanos(), () -> {
                sent.forEach(part -> part.leases().forEach(this::ended));
                all.complete(sent.stream()
                        .flatMap(part -> part.leases().stream())
                        .allMatch(lease -> lease.phase() == Phase.RELEASED));
            });
            all.whenComplete((value, error) -> limit.cancel());
        }
        return caller.awaitUninterruptibly(all) && safe;
    }

    void releaseInBackground(List<HeldLease> leases) {
        begin(leases, new ArrayList<>(), engine.releases()::of);
    }

    /** Some whose releases are under way, and whether the sections of all of them were protected to their end. */
    private record Sent(List<HeldLease> leases, CompletableFuture<Boolean> outcome) {
        Sent(List<HeldLease> leases) {
            this(leases, new CompletableFuture<>());
        }
    }

    /**
     * Begins to release these, many in one go. False if one of them was not valid any more.
     *
     * @param sent what is sent is added here
     * @param sender who sends the release of a lock
     */
    private boolean begin(List<HeldLease> leases, List<Sent> sent, Function<String, Executor> sender) {
        boolean safe = true;
        List<HeldLease> together = new ArrayList<>();
        for (HeldLease lease : leases) {
            if (!beginRelease(lease)) {
                safe = false;
            } else if (!passOn(lease)) {
                Acquisition next = leaves(lease);
                if (next == null && !engine.lines().hasProcession(lease)) {
                    together.add(lease);
                } else {
                    Sent alone = new Sent(List.of(lease));
                    sent.add(alone);
                    sender.apply(lease.name()).execute(() -> sendRelease(lease, next, alone.outcome()));
                }
            }
        }
        for (List<HeldLease> part : engine.releases().apart(together)) {
            for (int from = 0; from < part.size(); from += LockStore.AT_ONCE) {
                Sent some = new Sent(part.subList(from, Math.min(from + LockStore.AT_ONCE, part.size())));
                sent.add(some);
                sender.apply(some.leases().get(0).name())
                        .execute(() -> sendReleases(some.leases(), true, some.outcome()));
            }
        }
        return safe;
    }

    private void sendReleases(List<HeldLease> leases, boolean safe, CompletableFuture<Boolean> outcome) {
        List<ReleaseItem> items = leases.stream()
                .map(lease -> new ReleaseItem(lease.name(), lease.owner()))
                .toList();
        Failures.releaseAll(store, items).whenComplete((replies, error) -> {
            int answered = replies == null ? leases.size() : replies.size();
            boolean safeSoFar = safe;
            try {
                for (int i = 0; i < answered; i++) {
                    safeSoFar &= released(leases.get(i), replies == null ? null : replies.get(i), error);
                    engine.requests().end();
                }
            } finally {
                if (answered < leases.size()) {
                    sendReleases(leases.subList(answered, leases.size()), safeSoFar, outcome);
                } else {
                    outcome.complete(safeSoFar);
                }
            }
        });
    }

    /** Hands the lease to the next in the line, or lays it ready for it. */
    private boolean passOn(HeldLease lease) {
        if (engine.lines().layReady(lease)) {
            return true;
        }
        Acquisition heir = engine.lines().passOn(lease);
        if (heir == null) {
            return false;
        }
        heir.takesOver();
        return true;
    }

    /**
     * What lay ready in the line is to be had by nobody there without asking: it goes back to the store. Who held it has long
     * been told that all was well, and whatever the store says now is nothing to it.
     *
     * @param sender who sends it; null if that is not the caller
     */
    void giveBack(HeldLease lease, @Nullable Executor sender) {
        Acquisition next = leaves(lease);
        ended(lease);
        Executor sends = sender == null ? engine.releases().of(lease.name()) : sender;
        sends.execute(() -> sendRelease(lease, next, new CompletableFuture<>()));
    }

    /** The lock goes back to the store. Who is to ask for it along with that, if anybody here waits. */
    private @Nullable Acquisition leaves(HeldLease lease) {
        watchdog.remove(lease);
        return engine.lines().ended(lease);
    }

    /** A hold has ended in another way than by its release: the next in the line goes on. */
    void next(HeldLease lease) {
        engine.lines().lost(lease);
        Acquisition next = engine.lines().ended(lease);
        if (next != null) {
            next.lead(null);
        }
    }

    /** From here on nobody trusts the lease, and no answer about it is a loss but the release's own. */
    private boolean beginRelease(HeldLease lease) {
        // Before it is taken from the watchdog, or passed on: closing finds it there, or waits for its release.
        engine.requests().begin();
        if (!engine.isValid(lease) || !lease.moves(Phase.HELD, Phase.RELEASING)) {
            engine.requests().end();
            return false;
        }
        return true;
    }

    /** Sends the release; along with the request of the next in the line, if there is one that still waits. */
    private void sendRelease(HeldLease lease, @Nullable Acquisition next, CompletableFuture<Boolean> outcome) {
        Acquisition.Ask ask = next == null ? null : next.askAlong();
        if (next == null || ask == null) {
            List<String> served = engine.lines().served(lease);
            Failures.guarded(() -> served.isEmpty()
                            ? store.release(lease.name(), lease.owner())
                            : store.release(lease.name(), lease.owner(), served))
                    .whenComplete((reply, error) -> {
                        try {
                            if (error != null || reply == ReleaseReply.NOT_OWNER) {
                                // If it was taken away, the store may have given it to one who was served already.
                                engine.lines().takeBack(lease, served);
                            }
                            outcome.complete(released(lease, reply, error));
                        } finally {
                            engine.requests().end();
                        }
                    });
            return;
        }
        engine.exchange(lease.owner(), ask.request(), (reply, error) -> {
            try {
                next.answered(ask, reply == null ? null : reply.acquired(), error);
            } finally {
                try {
                    outcome.complete(released(lease, reply == null ? null : reply.released(), error));
                } finally {
                    engine.requests().end();
                }
            }
        });
    }

    /** Gives back whatever the store may have for these, in the background: nobody here has any use for it. */
    void giveBack(String name, List<String> owners) {
        if (owners.isEmpty()) {
            return;
        }
        engine.requests().begin();
        engine.releases()
                .of(name)
                .execute(() -> Failures.guarded(
                                () -> store.release(name, owners.get(0), owners.subList(1, owners.size())))
                        .whenComplete((reply, error) -> {
                            if (error != null) {
                                owners.forEach(owner -> engine.releases().undo(name, owner, LockStore.LONGEST_TICKET));
                            }
                            engine.requests().end();
                        }));
    }

    private boolean released(HeldLease lease, @Nullable ReleaseReply reply, @Nullable Throwable error) {
        // A no that came while the lease should still have been running means it was lost before. A later one means
        // nothing: the message may have travelled longer than the lease.
        // And after its time-out it is not even asked: whoever held it has been told that all was well.
        if (reply == ReleaseReply.NOT_OWNER
                && lease.remainingNanos(platform.nanoTime(), platform.wallMillis()) > 0
                && (losses.declare(
                                lease,
                                Phase.RELEASING,
                                new Loss(Loss.Cause.GONE, "the store no longer had it at its release"))
                        || lease.phase() == Phase.LOST)) {
            return false;
        }
        ended(lease);
        if (error != null) {
            engine.releases().undo(lease);
        }
        return true;
    }

    /** The release is over, and the section was protected to its end. */
    void ended(HeldLease lease) {
        boolean first = lease.moves(Phase.RELEASING, Phase.RELEASED);
        Trail trail = lease.trail();
        if (first && trail != null) {
            Duration held = Duration.ofNanos(platform.nanoTime() - lease.acquiredNanos);
            trail.over("released");
            trail.tell(listener -> listener.released(lease.hold(), held));
        }
    }

    /**
     * Goes on reading with what was held whole, without a moment in which another could have it whole.
     *
     * @return the lease to read with; the old one, lost, if that was not to be had: GONE if it had been lost before
     */
    HeldLease downgrade(HeldLease lease) {
        if (!beginRelease(lease)) {
            return lease;
        }
        watchdog.remove(lease);
        OwnerId reader = engine.newOwner(platform.threadId(platform.currentThread()));
        AcquireRequest request =
                new AcquireRequest(lease.name(), reader.text(), lease.options.lease(), false, 1, Share.READ);
        long sentNanos = platform.nanoTime();
        long sentWall = platform.wallMillis();
        try {
            ExchangeReply reply = engine.ask(lease.name(), () -> store.exchange(lease.owner(), request));
            Validity validity = Validity.after(sentNanos, sentWall, lease.options.lease());
            if (reply.acquired() instanceof AcquireReply.Granted granted
                    && reply.released() == ReleaseReply.RELEASED
                    && validity.remainingNanos(platform.nanoTime(), platform.wallMillis()) > 0) {
                ended(lease);
                HeldLease reads = new HeldLease(
                        lease.name(),
                        reader,
                        granted.token(),
                        lease.options,
                        lease.thread(),
                        platform.nanoTime(),
                        engine.notices().trail(lease.name()),
                        validity);
                Trail trail = reads.trail();
                if (trail != null) {
                    trail.acquired(reads, Duration.ZERO, null);
                    trail.ended(Outcome.OBTAINED, Duration.ZERO);
                }
                // Its thread goes on with it, and is to be interrupted if it is lost.
                reads.isSeen();
                engine.holdOrLose(reads);
                return reads;
            }
            cannotRead(lease, reader, Loss.Cause.GONE, "the store no longer had it");
        } catch (LockException e) {
            cannotRead(lease, reader, Loss.Cause.EXPIRED, e.toString());
        } finally {
            next(lease);
            engine.requests().end();
        }
        return lease;
    }

    private void cannotRead(HeldLease lease, OwnerId reader, Loss.Cause cause, String why) {
        engine.releases().undo(lease);
        engine.releases().undo(lease.name(), reader.text(), lease.options.lease());
        losses.declare(lease, Phase.RELEASING, new Loss(cause, "it could not be kept to read: " + why));
    }
}
