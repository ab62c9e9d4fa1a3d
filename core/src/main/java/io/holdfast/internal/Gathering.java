package io.holdfast.internal;

import io.holdfast.ClientClosedException;
import io.holdfast.LeaseLostException;
import io.holdfast.LockException;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.Outcome;
import io.holdfast.StoreUnavailableException;
import io.holdfast.internal.HeldLease.Validity;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to get several locks, all or none.
 *
 * <p>They are taken in one order, which is the same for everybody: whoever waits for one holds only such as come before it,
 * so nobody can wait for each other in a circle. Many are asked for in one go. The first that is not to be had is waited for
 * by an {@link Acquisition} of its own, as anybody waits for it, and then it goes on with those behind it. What is held
 * meanwhile is renewed. If one is lost before the last is had, all has failed.
 *
 * <p>It ends once. Whatever it holds at that moment, and whatever an answer brings that comes later, is given back.
 */
final class Gathering implements Attempt<List<HeldLease>> {

    /**
     * What is wanted.
     *
     * @param locks the locks, in the order in which everybody takes them
     * @param lease for how long each is taken, without renewal; null as their options say
     * @param thread whose they will be, or null for a handle
     * @param waitNanos zero: one try only
     */
    record Members(
            List<NamedLock> locks,
            @Nullable Duration lease,
            @Nullable Object thread,
            long waitNanos) {}

    /** A request that is sent, and when. */
    private record Ask(List<OwnerId> ids, List<AcquireRequest> requests, long sentNanos, long sentWall) {
        Validity validity(int index) {
            return Validity.after(sentNanos, sentWall, requests.get(index).lease());
        }

        Validity shortestValidity() {
            return Validity.after(
                    sentNanos,
                    sentWall,
                    requests.stream()
                            .map(AcquireRequest::lease)
                            .min(Duration::compareTo)
                            .orElseThrow());
        }
    }

    private final Engine engine;
    private final Platform platform;
    private final Members members;
    private final @Nullable Caller caller;
    private final long startNanos;
    private final long startThread;
    private final CompletableFuture<Optional<List<HeldLease>>> result = new CompletableFuture<>();

    // Guarded by this.
    private final List<HeldLease> held = new ArrayList<>();
    private boolean ended;
    /** The store has said of one of them that another has it. */
    private boolean refused;
    /** Why the last request failed, if the store was not heard since. */
    private @Nullable StoreFailure failure;

    private @Nullable Acquisition awaited;
    /** Begins to wait for one, and may be asleep in the store until it is told. */
    private boolean asks;

    private Platform.@Nullable Timer limit;

    /** @param caller who runs its own requests; null if others do */
    Gathering(Engine engine, Members members, @Nullable Caller caller) {
        this.engine = engine;
        this.platform = engine.platform();
        this.members = members;
        this.caller = caller;
        this.startNanos = platform.nanoTime();
        this.startThread = platform.threadId(platform.currentThread());
    }

    @Override
    public CompletableFuture<Optional<List<HeldLease>>> result() {
        return result;
    }

    Gathering start() {
        long patience = engine.commandTimeout().toNanos();
        if (!waits()) {
            // One try has no deadline of its own, but others may stand before it.
            limit(patience);
        } else if (members.waitNanos() < Wish.FOREVER - patience) {
            // What is under way when the time is over has its answer soon: that is worth more than an error.
            limit(members.waitNanos() + patience);
        }
        if (caller != null) {
            goOn();
        } else {
            runner(0).execute(this::goOn);
        }
        return this;
    }

    private boolean waits() {
        return members.waitNanos() > 0;
    }

    private boolean isOver() {
        return waits()
                && members.waitNanos() != Wish.FOREVER
                && platform.nanoTime() - startNanos >= members.waitNanos();
    }

    /** Who sends the request for a member, or for many from there on. */
    private Executor runner(int index) {
        return caller != null ? caller : engine.worker(member(index).getLockName());
    }

    private NamedLock member(int index) {
        return members.locks().get(index);
    }

    private void limit(long nanos) {
        synchronized (this) {
            if (limit != null) {
                limit.cancel();
            }
            if (!ended) {
                limit = platform.schedule(nanos, this::expire);
            }
        }
    }

    /**
     * Its time is over, and a request of its own is under way, or stands behind others that are; one that waits for a lock
     * ends by itself.
     */
    private void expire() {
        synchronized (this) {
            if (asks || (awaited != null && !awaited.result().isDone())) {
                return;
            }
        }
        tooSlow();
    }

    private void tooSlow() {
        fail(new StoreUnavailableException(
                member(0).getLockName(),
                engine.storeAddress() + " did not get to all " + members.locks().size() + " locks in time",
                null));
    }

    /** Asks for as many as can be had in one go; or, if all are held, is done. */
    private void goOn() {
        int from;
        boolean others;
        synchronized (this) {
            if (ended) {
                return;
            }
            from = held.size();
            others = refused;
        }
        if (from == members.locks().size()) {
            complete();
            return;
        }
        if (from > 0 && isOver()) {
            if (others) {
                end(Optional.empty());
            } else {
                tooSlow();
            }
            return;
        }
        if (!engine.requests().announce()) {
            fail(new ClientClosedException(member(from).getLockName()));
            return;
        }
        if (!waits() && from > 0) {
            // More than go into one request: each has its time.
            limit(engine.commandTimeout().toNanos());
        }
        Ask ask = ask(from, Math.min(from + LockStore.AT_ONCE, members.locks().size()));
        engine.askAll(ask.requests(), waits(), (replies, error) -> {
            if (replies == null) {
                undo(ask.requests());
                failed(from, StoreFailure.of(error));
            } else {
                answered(from, ask, replies);
            }
        });
    }

    private Ask ask(int from, int to) {
        List<OwnerId> ids = new ArrayList<>(to - from);
        List<AcquireRequest> requests = new ArrayList<>(to - from);
        for (NamedLock lock : members.locks().subList(from, to)) {
            OwnerId id = engine.newOwner(startThread);
            ids.add(id);
            LockOptions terms = lock.terms(members.lease());
            requests.add(new AcquireRequest(
                    lock.getLockName(), id.text(), terms.lease(), false, 1, lock.share(), terms.minReplicas()));
        }
        return new Ask(ids, requests, platform.nanoTime(), platform.wallMillis());
    }

    private void answered(int from, Ask ask, List<AcquireReply> replies) {
        heard();
        AcquireReply last = replies.get(replies.size() - 1);
        boolean all = last instanceof AcquireReply.Granted;
        // Without waiting it is all or none in the store, too.
        int granted = all ? replies.size() : waits() ? replies.size() - 1 : 0;
        if (granted > 0 && ask.shortestValidity().remainingNanos(platform.nanoTime(), platform.wallMillis()) <= 0) {
            undo(ask.requests());
            failed(
                    from,
                    StoreFailure.unavailable(
                            engine.storeAddress() + " granted locks, but its answer took longer than their lease",
                            null));
            return;
        }
        List<HeldLease> leases = new ArrayList<>(granted);
        boolean open = true;
        for (int i = 0; i < granted; i++) {
            if (!(replies.get(i) instanceof AcquireReply.Granted grant)) {
                undo(ask.requests());
                failed(from, StoreFailure.unavailable(engine.storeAddress() + " skipped one of several locks", null));
                return;
            }
            HeldLease lease = lease(from + i, ask, i, grant);
            leases.add(lease);
            open &= engine.hold(lease);
        }
        if (!keep(leases)) {
            engine.endings().releaseInBackground(leases);
        } else if (!open) {
            fail(new ClientClosedException(member(from).getLockName()));
        } else if (all) {
            runner(Math.min(from + granted, members.locks().size() - 1)).execute(this::goOn);
        } else if (last instanceof AcquireReply.Unconfirmed unconfirmed) {
            AcquireRequest request = ask.requests().get(replies.size() - 1);
            undo(List.of(request));
            failed(
                    from + replies.size() - 1,
                    Failures.unconfirmed(engine.storeAddress(), unconfirmed.replicas(), request.replicas()));
        } else if (last instanceof AcquireReply.Failed failure) {
            // It may be the answer to a repetition of what was carried out.
            undo(List.of(ask.requests().get(replies.size() - 1)));
            failed(from + replies.size() - 1, failure.failure());
        } else if (waits() && !isOver()) {
            synchronized (this) {
                refused = true;
            }
            await(from + granted);
        } else {
            tellTheEnd(from + granted, waits() ? Outcome.TIMED_OUT : Outcome.BUSY);
            end(Optional.empty());
        }
    }

    private HeldLease lease(int member, Ask ask, int index, AcquireReply.Granted grant) {
        NamedLock lock = member(member);
        HeldLease lease = new HeldLease(
                lock.getLockName(),
                ask.ids().get(index),
                grant.token(),
                lock.terms(members.lease()),
                members.thread(),
                platform.nanoTime(),
                engine.notices().trail(lock.getLockName()),
                ask.validity(index));
        Trail trail = lease.trail();
        if (trail != null) {
            trail.acquired(lease, elapsed(), null);
            trail.ended(Outcome.OBTAINED, elapsed());
            trail.seen();
        }
        return lease;
    }

    private Duration elapsed() {
        return Duration.ofNanos(platform.nanoTime() - startNanos);
    }

    /** Tells of one that was not to be had, and that nobody has waited for. */
    private void tellTheEnd(int member, Outcome outcome) {
        Trail trail = engine.notices().trail(member(member).getLockName());
        if (trail != null) {
            trail.ended(outcome, elapsed());
            trail.seen();
        }
    }

    private synchronized void heard() {
        failure = null;
    }

    private synchronized boolean keep(List<HeldLease> leases) {
        if (!ended) {
            held.addAll(leases);
        }
        return !ended;
    }

    /** Whoever waits tries once more, as one who waits for that lock alone does; that also knows when to give up. */
    private void failed(int member, StoreFailure failure) {
        if (waits() && !isOver()) {
            synchronized (this) {
                this.failure = failure;
            }
            await(member);
        } else {
            LockException error = Failures.asLockException(member(member).getLockName(), failure);
            tellTheEnd(member, Failures.outcome(error));
            fail(error);
        }
    }

    /** Waits for one, and then goes on with those behind it. */
    private void await(int member) {
        long left = members.waitNanos() == Wish.FOREVER
                ? Wish.FOREVER
                : Math.max(1, members.waitNanos() - (platform.nanoTime() - startNanos));
        Executor runner = runner(member);
        synchronized (this) {
            asks = true;
        }
        Acquisition acquisition;
        try {
            acquisition = engine.acquire(
                    member(member).wish(members.lease(), members.thread(), left), runner, caller != null);
        } finally {
            synchronized (this) {
                asks = false;
            }
        }
        boolean over;
        synchronized (this) {
            over = ended;
            if (!over) {
                awaited = acquisition;
            }
        }
        if (over) {
            acquisition.abandon();
        } else {
            acquisition.result().whenComplete((lease, error) -> {
                if (error != null) {
                    fail(known(error));
                } else if (lease.isEmpty()) {
                    // The end takes nobody's turn: requests that hang may stand before it.
                    awaited(acquisition, lease);
                } else {
                    runner.execute(() -> awaited(acquisition, lease));
                }
            });
        }
    }

    private LockException known(Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return cause instanceof LockException known
                ? known
                : new StoreUnavailableException(member(0).getLockName(), String.valueOf(cause), cause);
    }

    private void awaited(Acquisition one, Optional<HeldLease> found) {
        boolean behindOthers = one.standing().answered();
        StoreFailure unheard;
        synchronized (this) {
            awaited = null;
            refused |= behindOthers;
            if (behindOthers || found.isPresent()) {
                failure = null;
            }
            unheard = failure;
        }
        if (found.isEmpty() && unheard != null) {
            // That others of this client stand before it says nothing of the store.
            fail(Failures.asLockException(one.name(), unheard));
        } else if (found.isEmpty()) {
            end(Optional.empty());
        } else if (keep(List.of(found.get()))) {
            goOn();
        } else {
            engine.endings().releaseInBackground(found.get());
        }
    }

    private void complete() {
        List<HeldLease> all;
        synchronized (this) {
            all = List.copyOf(held);
        }
        for (HeldLease lease : all) {
            if (!engine.isValid(lease)) {
                Loss loss = lease.loss();
                fail(new LeaseLostException(
                        lease.name(), lease.token(), loss != null ? loss : Losses.expired(lease, platform.nanoTime())));
                return;
            }
        }
        end(Optional.of(all));
    }

    /** Ends it; what it holds and has no use for is given back. */
    private void end(Optional<List<HeldLease>> outcome) {
        List<HeldLease> mine = end();
        if (mine == null) {
            return;
        }
        boolean taken = result.complete(outcome) && outcome.isPresent();
        if (!taken) {
            engine.endings().releaseInBackground(mine);
        }
    }

    private void fail(LockException error) {
        List<HeldLease> mine = end();
        if (mine != null) {
            engine.endings().releaseInBackground(mine);
            result.completeExceptionally(error);
        }
    }

    @Override
    public void abandon() {
        List<HeldLease> mine = end();
        if (mine != null) {
            engine.endings().releaseInBackground(mine);
        }
        result.cancel(false);
        result.whenComplete((granted, error) -> {
            if (error == null) {
                granted.ifPresent(engine.endings()::releaseInBackground);
            }
        });
    }

    /** What it holds at its end; null if it had ended before. */
    private @Nullable List<HeldLease> end() {
        Acquisition waiting;
        List<HeldLease> mine;
        synchronized (this) {
            if (ended) {
                return null;
            }
            ended = true;
            if (limit != null) {
                limit.cancel();
            }
            waiting = awaited;
            mine = List.copyOf(held);
        }
        if (waiting != null) {
            waiting.abandon();
        }
        return mine;
    }

    /** Nobody knows what became of these. */
    private void undo(List<AcquireRequest> requests) {
        requests.forEach(request -> engine.releases().undo(request.name(), request.owner(), request.lease()));
    }
}
