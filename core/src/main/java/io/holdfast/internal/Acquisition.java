package io.holdfast.internal;

import io.holdfast.ClientClosedException;
import io.holdfast.Hold;
import io.holdfast.LockException;
import io.holdfast.LockOptions;
import io.holdfast.StoreUnavailableException;
import io.holdfast.internal.HeldLease.Validity;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to get a lock, from the first request to the lease, the time-out or the error.
 *
 * <p>It asks the store; if the lock is not to be had it waits for a wake-up, a re-check time or its deadline, and asks
 * again under the same owner id, which is what makes asking safe to repeat. It ends once. Whatever an answer that comes
 * later has brought is undone: a granted lock is released, a ticket is taken back.
 *
 * <p>An answer counts as "held" only while its lease, counted from before the request was sent, still runs. One that
 * comes later is undone, and the next request has a new id.
 */
final class Acquisition {
    /** Waits as long as it takes. */
    static final long FOREVER = Long.MAX_VALUE;

    private enum Phase {
        /** An ask is handed to the runner, which has not begun it. */
        POSTED,
        /** A request is on its way. */
        ASKING,
        /** Between two requests. */
        WAITING,
        ENDED
    }

    private final Engine engine;
    private final Platform platform;
    private final String name;
    private final LockOptions options;
    private final @Nullable Object thread;
    private final long waitNanos;
    private final Executor runner;
    private final boolean callerRuns;
    private final long startNanos;
    private final CompletableFuture<Optional<HeldLease>> result = new CompletableFuture<>();

    private String owner;
    private Phase phase = Phase.POSTED;
    /** A wake-up came while a request was on its way, so its answer may be older than the news. */
    private boolean again;

    private boolean answered;
    /** Something of this owner may stand in the store: a ticket, or the lock itself. */
    private boolean trace;

    private int pauses;
    private long outageSince;
    private @Nullable StoreFailure lastFailure;
    private Platform.@Nullable Timer recheck;
    private Platform.@Nullable Timer deadline;

    /**
     * @param thread whose hold it will be, or null for a handle
     * @param waitNanos zero: one try only
     * @param runner where requests are sent from
     * @param callerRuns whether the runner is the caller itself, whose first request needs no timer to be bounded
     */
    Acquisition(
            Engine engine,
            String name,
            LockOptions options,
            @Nullable Object thread,
            long waitNanos,
            Executor runner,
            boolean callerRuns) {
        this.engine = engine;
        this.platform = engine.platform();
        this.name = name;
        this.options = options;
        this.thread = thread;
        this.waitNanos = waitNanos;
        this.runner = runner;
        this.callerRuns = callerRuns;
        this.startNanos = platform.nanoTime();
        this.owner = engine.newOwner();
    }

    /** The lease; empty if others held the lock until the wait was over. */
    CompletableFuture<Optional<HeldLease>> result() {
        return result;
    }

    void start() {
        if (waits() || !callerRuns) {
            // Before the request is sent: a grant may overtake the answer that the ticket is queued. And one that is
            // only handed to the worker must be found when the client is closed.
            engine.expect(owner, this);
        }
        if (engine.isClosed()) {
            closed();
        } else if (callerRuns) {
            ask();
            synchronized (this) {
                // A store that answers on the caller's thread has done so; one that answers later may be late.
                if (phase == Phase.ASKING) {
                    armDeadline();
                }
            }
        } else {
            synchronized (this) {
                armDeadline();
            }
            runner.execute(this::ask);
        }
    }

    /** News that may concern this acquisition: ask again. */
    void wake() {
        synchronized (this) {
            if (phase == Phase.ASKING) {
                again = true;
                return;
            }
            if (phase != Phase.WAITING) {
                return;
            }
            post();
        }
        runner.execute(this::ask);
    }

    /** The caller has left: whatever comes of it is undone, a lease that has just been granted included. */
    void abandon() {
        if (end() == null) {
            result.whenComplete((granted, error) -> {
                if (error == null) {
                    granted.ifPresent(engine::releaseInBackground);
                }
            });
        } else {
            result.cancel(false);
        }
    }

    /** The client is closed. */
    void closed() {
        fail(new ClientClosedException(name));
    }

    /** Ends the wait with an error, if it has not ended yet. */
    private void fail(LockException error) {
        if (end() != null) {
            noteWait(false);
            result.completeExceptionally(error);
        }
    }

    private boolean waits() {
        return waitNanos > 0;
    }

    private void ask() {
        if (!engine.requests().announce()) {
            closed();
            return;
        }
        AcquireRequest request;
        long sentNanos;
        long sentWall;
        synchronized (this) {
            if (phase != Phase.POSTED) {
                engine.requests().end();
                return;
            }
            phase = Phase.ASKING;
            again = false;
            request = new AcquireRequest(name, owner, options.lease(), waits());
            sentNanos = platform.nanoTime();
            sentWall = platform.wallMillis();
        }
        engine.ask(request, (reply, error) -> {
            if (error != null) {
                failed(Failures.asStoreFailure(error), true);
            } else if (reply instanceof AcquireReply.Granted granted) {
                granted(request.owner(), granted.token(), Validity.after(sentNanos, sentWall, options.lease()));
            } else if (reply instanceof AcquireReply.Queued inLine) {
                long recheckNanos = inLine.recheck().toNanos();
                refused(inLine.notified() ? recheckNanos : Math.min(recheckNanos, pauseNanos()), inLine.notified());
            } else {
                refused(0, false);
            }
        });
    }

    private void granted(String grantedOwner, long token, Validity validity) {
        long now = platform.nanoTime();
        boolean inTime = validity.remainingNanos(now, platform.wallMillis()) > 0;
        synchronized (this) {
            if (phase != Phase.ASKING) {
                engine.releases().undo(name, grantedOwner, options.lease());
                return;
            }
            if (inTime) {
                finish();
            }
        }
        if (!inTime) {
            tooLate(grantedOwner);
            return;
        }
        noteWait(true);
        HeldLease lease = new HeldLease(new Hold(name, grantedOwner, token), options, thread, now, validity);
        if (!engine.hold(lease)) {
            result.completeExceptionally(new ClientClosedException(name));
            return;
        }
        engine.notices().tell(listener -> listener.acquired(lease.hold, Duration.ofNanos(now - startNanos)));
        if (!result.complete(Optional.of(lease))) {
            engine.releaseInBackground(lease);
        }
    }

    /** The answer took longer than the lease it granted. */
    private void tooLate(String lateOwner) {
        engine.releases().undo(name, lateOwner, options.lease());
        synchronized (this) {
            if (phase != Phase.ASKING) {
                return;
            }
            engine.forget(lateOwner);
            owner = engine.newOwner();
            trace = false;
            if (waits()) {
                engine.expect(owner, this);
            }
        }
        if (engine.isClosed()) {
            // Closing may have looked for those who wait between the two ids.
            closed();
            return;
        }
        failed(
                StoreFailure.unavailable(
                        engine.storeAddress() + " granted the lock, but its answer took longer than the lease of "
                                + options.lease().toMillis() + " ms",
                        null),
                false);
    }

    /** Held by another. */
    private void refused(long recheckNanos, boolean notified) {
        boolean askNow = false;
        boolean over = false;
        synchronized (this) {
            if (phase != Phase.ASKING) {
                engine.releases().undo(name, owner, options.lease());
                return;
            }
            answered = true;
            lastFailure = null;
            trace |= waits();
            if (notified) {
                pauses = 0;
            }
            if (!waits()) {
                over = true;
            } else if (again) {
                post();
                askNow = true;
            } else {
                rest(recheckNanos);
            }
        }
        if (over) {
            expire();
        } else if (askNow) {
            runner.execute(this::ask);
        }
    }

    /** @param sent whether a request under the present id was sent, and may have done something */
    private void failed(StoreFailure failure, boolean sent) {
        LockException error = null;
        boolean undo = false;
        synchronized (this) {
            if (phase != Phase.ASKING) {
                undo = true;
            } else {
                long now = platform.nanoTime();
                if (lastFailure == null) {
                    outageSince = now;
                }
                lastFailure = failure;
                // Also after a refusal: it may be the answer to a repetition of what was carried out.
                trace |= sent;
                boolean outlasted = waitNanos == FOREVER
                        && now - outageSince >= options.outageLimit().toNanos();
                if (!waits() || outlasted || failure.kind() == StoreFailure.Kind.REFUSED) {
                    error = Failures.asLockException(name, failure);
                    phase = Phase.WAITING;
                } else {
                    rest(pauseNanos());
                }
            }
        }
        if (undo) {
            engine.releases().undo(name, owner, options.lease());
        } else if (error != null) {
            fail(error);
        }
    }

    /** The time the caller gave is over. */
    private void expire() {
        Phase was = end();
        if (was == null) {
            return;
        }
        noteWait(false);
        StoreFailure failure = lastFailure;
        if (failure != null) {
            result.completeExceptionally(Failures.asLockException(name, failure));
        } else if (!answered) {
            result.completeExceptionally(new StoreUnavailableException(
                    name,
                    engine.storeAddress() + " did not answer within " + patienceNanos() / 1_000_000 + " ms",
                    null));
        } else {
            result.complete(Optional.empty());
        }
    }

    /** Ends it, and takes back what may stand in the store. Null if it had ended before. */
    private @Nullable Phase end() {
        synchronized (this) {
            Phase was = phase;
            if (was == Phase.ENDED) {
                return null;
            }
            finish();
            // A request on its way is undone when its answer comes. Otherwise it is undone before anybody can find this
            // ended or forgotten: closing takes either for a sign that nothing is left to be sent.
            if (trace && was != Phase.ASKING) {
                engine.releases().undo(name, owner, options.lease());
            }
            engine.forget(owner);
            return was;
        }
    }

    private void finish() {
        phase = Phase.ENDED;
        cancel(recheck);
        cancel(deadline);
    }

    private void post() {
        phase = Phase.POSTED;
        cancel(recheck);
        recheck = null;
    }

    private void rest(long nanos) {
        phase = Phase.WAITING;
        armDeadline();
        recheck = platform.schedule(nanos, this::wake);
    }

    private void armDeadline() {
        if (deadline == null && waitNanos != FOREVER) {
            long left = patienceNanos() - (platform.nanoTime() - startNanos);
            deadline = platform.schedule(Math.max(0, left), this::expire);
        }
    }

    /** How long the caller can be kept. One try only has no deadline of its own, but others may stand before it. */
    private long patienceNanos() {
        return waits() ? waitNanos : engine.commandTimeout().toNanos();
    }

    private static void cancel(Platform.@Nullable Timer timer) {
        if (timer != null) {
            timer.cancel();
        }
    }

    private synchronized long pauseNanos() {
        long longest = options.backoff().longest().toNanos();
        long step = options.backoff().first().toNanos() << Math.min(pauses, 16);
        if (step < longest) {
            pauses++;
        } else {
            step = longest;
        }
        return step / 2 + platform.random(step / 2 + 1);
    }

    private void noteWait(boolean obtained) {
        if (answered && waits()) {
            Duration waited = Duration.ofNanos(platform.nanoTime() - startNanos);
            engine.notices().tell(listener -> listener.waited(name, waited, obtained));
        }
    }
}
