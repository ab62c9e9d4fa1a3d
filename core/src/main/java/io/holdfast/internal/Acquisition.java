package io.holdfast.internal;

import static java.util.Objects.requireNonNull;

import io.holdfast.ClientClosedException;
import io.holdfast.HandOver;
import io.holdfast.LockException;
import io.holdfast.LockOptions;
import io.holdfast.internal.HeldLease.Validity;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Platform;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreFailure;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to get a lock, from the first request to the lease, the time-out or the error.
 *
 * <p>It takes its place in the {@link Line} of this client. There it is handed the lock by one before it, or its turn to
 * talk to the store comes; mostly that is at once. It asks the store; if the lock is not to be had it waits for a wake-up, a re-check time or its deadline, and asks
 * again under the same owner id, which is what makes asking safe to repeat. It ends once. Whatever an answer that comes
 * later has brought is undone: a granted lock is released, a ticket is taken back.
 *
 * <p>An answer counts as "held" only while its lease, counted from before the request was sent, still runs. One that
 * comes later is undone, and the next request has a new id.
 */
final class Acquisition implements Attempt<HeldLease>, Waiter {
    private enum Phase {
        /** In the line, behind others. */
        QUEUED,
        /** An ask is handed to the runner, which has not begun it. */
        POSTED,
        /** A request is on its way. */
        ASKING,
        /** Between two requests. */
        WAITING,
        ENDED
    }

    /** A request that is sent, and when. */
    record Ask(OwnerId id, AcquireRequest request, long sentNanos, long sentWall) {
        Validity validity() {
            return Validity.after(sentNanos, sentWall, request.lease());
        }
    }

    private final Engine engine;
    private final Platform platform;
    private final Wish wish;
    private final String name;
    private final LockOptions options;
    private final Executor runner;
    private final boolean callerRuns;
    private final Object caller;
    /** Whether the caller is unparked at the end, wherever it sleeps. */
    private volatile boolean watched;

    /** Whom of this client it is known to stand directly behind in the store's queue. */
    private @Nullable String follows;

    /** None until its turn to talk to the store comes. */
    private @Nullable OwnerId id;

    /** The same as the store knows it. */
    private String owner = "";

    // The line's, and guarded by it.
    boolean inLine;

    @Nullable
    Acquisition before;

    @Nullable
    Acquisition behind;

    private Phase phase = Phase.QUEUED;
    /** The id of one that has left with a ticket, whose place this one is to take; counted as a request under way. */
    private @Nullable String place;

    /** It was called to take what lies ready. If it ends meanwhile, it comes all the same, on its thread or the worker's. */
    private volatile boolean called;

    private @Nullable HeldLease inherited;
    private @Nullable HeldLease inheritedFrom;
    private @Nullable OwnerId idle;

    /** A wake-up came while a request was on its way, so its answer may be older than the news. */
    private boolean again;

    /** What that wake-up said, if it was more than that there are news. */
    private @Nullable PushedGrant news;

    /** Whatever it was given until it asks next was taken away. */
    private boolean expelled;

    private boolean asked;
    private Standing standing = Standing.NEW;
    private boolean behindOthers;
    /** Something of this owner may stand in the store: a ticket, or the lock itself. */
    private boolean trace;

    private final Pauses pauses;
    private Platform.@Nullable Timer recheck;
    private Platform.@Nullable Timer deadline;

    /**
     * @param runner where requests are sent from
     * @param callerRuns whether the runner is the caller itself, whose first request needs no timer to be bounded
     */
    Acquisition(Engine engine, Wish wish, Executor runner, boolean callerRuns) {
        this.engine = engine;
        this.platform = engine.platform();
        this.wish = wish;
        this.name = wish.name();
        this.options = wish.options();
        this.runner = runner;
        this.callerRuns = callerRuns;
        this.caller = platform.currentThread();
        this.pauses = new Pauses(options.backoff(), platform);
    }

    String name() {
        return name;
    }

    LockOptions options() {
        return options;
    }

    boolean waits() {
        return wish.waits();
    }

    @Override
    public CompletableFuture<Optional<HeldLease>> result() {
        return wish.result();
    }

    void start() {
        switch (wish.isFair() ? engine.lines().joinRow(this) : engine.lines().join(this)) {
            case LEADS, APART -> leadAtOnce();
            case TAKES -> takesAgain();
            case BUSY -> {
                end();
                wish.held();
            }
            default -> {
                wish.beginsToWait();
                HeldLease holder = engine.lines().holder(name);
                boolean queued;
                synchronized (this) {
                    queued = phase == Phase.QUEUED;
                    if (queued) {
                        armDeadline();
                    }
                }
                if (queued) {
                    // Otherwise it may have been passed the lock meanwhile, and be the holder itself.
                    wish.waitsBehind(holder);
                }
                // Closing may have looked before it stood in the line.
                if (engine.isClosed()) {
                    closed();
                }
            }
        }
    }

    private void leadAtOnce() {
        synchronized (this) {
            newOwner();
            phase = Phase.POSTED;
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

    /** What the one knows that talks to the store: when this one is to do so next, or has given up behind it. */
    synchronized void learns(Standing known) {
        standing = known;
    }

    /**
     * Its turn to talk to the store has come.
     *
     * @param left the id of who did so until now, if it may have a ticket, whose place is to be taken: counted as under way
     */
    void lead(@Nullable String left) {
        boolean leads;
        synchronized (this) {
            leads = phase == Phase.QUEUED;
            if (leads) {
                standing = standing.takenOver(wish.startNanos());
                newOwner();
                phase = Phase.POSTED;
                place = left;
                behindOthers = true;
            }
        }
        if (leads) {
            runner.execute(this::ask);
        } else {
            takeBack(left);
        }
    }

    /** How the store has answered it so far. */
    synchronized Standing standing() {
        return standing;
    }

    /** What it knows if it never got to talk to the store: that others of its client are ahead of it, at least. */
    private synchronized Standing standingToThoseBehind() {
        return standing.toThoseBehind(platform.nanoTime());
    }

    /** Another thread of this client has the lock. */
    private synchronized void isHeldHere(long now) {
        standing = Standing.held(now);
    }

    /**
     * A first request that takes long to be sent is one that takes long. Later ones may wait for this client's worker, whose
     * backlog is none of the store's, for as long as the request of another may take.
     */
    private void isToAsk() {
        long later = standing.answered() ? engine.commandTimeout().toNanos() : 0;
        standing = standing.asked(platform.nanoTime() + later);
    }

    /** Draws the id. One that waits, or is only handed to the worker, must be found when the client is closed. */
    private void newOwner() {
        standBehind(null);
        id = engine.newOwner(wish.startThread());
        owner = id.text();
        isToAsk();
        trace = false;
        if (waits() || !callerRuns) {
            // Before the request is sent: a grant may overtake the answer that the ticket is queued.
            engine.expect(owner, this);
        }
    }

    @Override
    public void wake() {
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

    @Override
    public synchronized void expelled() {
        // If a request is on its way, it is asked once more after the answer to that.
        news = null;
        expelled = true;
    }

    @Override
    public void seen() {
        wish.seen();
    }

    @Override
    public void abandon() {
        end();
        wish.abandoned();
    }

    @Override
    public void closed() {
        fail(new ClientClosedException(name));
    }

    /** Ends the wait with an error, if it has not ended yet. */
    private void fail(LockException error) {
        if (end() != null) {
            wish.noteWait(false, standing());
            wish.failed(error);
        }
    }

    private void ask() {
        if (!engine.requests().announce()) {
            closed();
            return;
        }
        if (isOver()) {
            engine.requests().end();
            expire();
            return;
        }
        // Not with this locked: the line locks itself first.
        int tokens = mayStandInARow() && engine.isFirstCome()
                ? wish.mayTakeAgain() ? AcquireRequest.SEVERAL_EACH : AcquireRequest.ONE_EACH
                : engine.lines().tokens(name, false);
        // Before it is sent: whoever gives the lock up meanwhile may wait for the answer.
        Procession.Asking asking = waits() && mayFollowInARow() ? engine.lines().expects(name) : null;
        Ask ask;
        String left;
        synchronized (this) {
            ask = begin(Phase.POSTED, tokens);
            left = place;
            place = null;
        }
        if (ask == null) {
            engine.lines().isTold(asking, null);
            engine.requests().end();
        } else if (left == null) {
            engine.ask(ask.request(), callerRuns, (reply, error) -> {
                try {
                    answered(ask, reply, error);
                } finally {
                    engine.lines().isTold(asking, reply);
                }
            });
        } else {
            engine.lines().isTold(asking, null);
            engine.exchange(left, ask.request(), (reply, error) -> {
                if (error != null) {
                    engine.releases().undo(name, left, options.lease());
                }
                engine.requests().end();
                answered(ask, reply == null ? null : reply.acquired(), error);
            });
        }
    }

    /** Whether it has asked, and its time is over: a request could keep the caller for a whole command time-out more. */
    private synchronized boolean isOver() {
        return asked && wish.isOver(platform.nanoTime());
    }

    /** Begins a request that is sent along with a release, by whoever releases. Null if it has ended. */
    @Nullable
    Ask askAlong() {
        if (!engine.requests().announce()) {
            closed();
            return null;
        }
        int tokens = engine.lines().tokens(name, true);
        Ask ask;
        synchronized (this) {
            if (phase == Phase.QUEUED) {
                newOwner();
                behindOthers = true;
            }
            ask = begin(Phase.QUEUED, tokens);
        }
        if (ask == null) {
            engine.requests().end();
        }
        return ask;
    }

    private @Nullable Ask begin(Phase from, int tokens) {
        if (phase != from) {
            return null;
        }
        phase = Phase.ASKING;
        again = false;
        news = null;
        expelled = false;
        engine.expulsions().forget(owner);
        asked = true;
        long now = platform.nanoTime();
        standing = standing.asked(now);
        return new Ask(
                requireNonNull(id, "asks without an id"),
                new AcquireRequest(name, owner, options.lease(), waits(), tokens, wish.share(), options.minReplicas()),
                now,
                platform.wallMillis());
    }

    void answered(Ask ask, @Nullable AcquireReply reply, @Nullable Throwable error) {
        if (callerRuns && platform.currentThread() != caller) {
            isToldByAnother();
        }
        if (error != null) {
            failed(StoreFailure.of(error), true);
        } else if (reply instanceof AcquireReply.Granted granted) {
            granted(ask, granted);
        } else if (reply instanceof AcquireReply.Unconfirmed unconfirmed) {
            // Under a new id: the release of this one may come at any time.
            startOver(
                    ask.request().owner(),
                    Failures.unconfirmed(engine.storeAddress(), unconfirmed.replicas(), options.minReplicas()));
        } else if (reply instanceof AcquireReply.Queued inLine) {
            long recheckNanos = inLine.recheck().toNanos();
            refused(
                    inLine.notified() ? recheckNanos : Math.min(recheckNanos, pauseNanos()),
                    inLine.notified(),
                    inLine.behind());
        } else if (reply instanceof AcquireReply.Failed failure) {
            failed(failure.failure(), true);
        } else {
            refused(0, false, null);
        }
    }

    /** Its own thread may be asleep in the store, and nothing but its end may be left to wake it. */
    private void isToldByAnother() {
        if (!watched) {
            watched = true;
            result().whenComplete((lease, failure) -> platform.unpark(caller));
        } else if (result().isDone()) {
            // The end came while it waited for this answer.
            platform.unpark(caller);
        }
        if (called) {
            // So may the call have done: its thread was woken for it then, and went on to wait for this answer.
            platform.unpark(caller);
        }
    }

    private void granted(Ask ask, AcquireReply.Granted granted) {
        long now = platform.nanoTime();
        String grantedOwner = ask.request().owner();
        Validity validity = ask.validity();
        boolean inTime = validity.remainingNanos(now, platform.wallMillis()) > 0;
        boolean asksAgain;
        synchronized (this) {
            if (phase != Phase.ASKING) {
                engine.releases().undo(name, grantedOwner, options.lease());
                return;
            }
            // It may be the very one that was taken away. If it is not, the store says once more that it is granted.
            asksAgain = inTime && expelled;
            if (asksAgain) {
                trace = true;
                // What it is told if it has no time left to ask.
                standing = standing.failed(Failures.takenAway(engine.storeAddress()), now);
                post();
            } else if (inTime) {
                finish();
            }
        }
        if (asksAgain) {
            runner.execute(this::ask);
            return;
        }
        if (!inTime) {
            startOver(
                    grantedOwner,
                    StoreFailure.unavailable(
                            engine.storeAddress() + " granted the lock, but its answer took longer than the lease of "
                                    + options.lease().toMillis() + " ms",
                            null));
            return;
        }
        engine.forget(grantedOwner);
        forgoes();
        obtained(wish.lease(ask.id(), granted.token(), now, validity), ask.sentNanos(), granted.tokens());
    }

    @Override
    public void pushed(PushedGrant grant) {
        if (callerRuns) {
            takeOrAsk(grant);
        } else {
            runner.execute(() -> takeOrAsk(grant));
        }
    }

    /**
     * A grant that is too old to rely on is asked for, as is one that will not be renewed, which starts its full lease, one
     * that replicas must have, and one that was taken away before it came to be looked at.
     */
    private void takeOrAsk(PushedGrant grant) {
        if (keep(grant)) {
            return;
        }
        Validity validity = Validity.after(grant.sinceNanos(), grant.sinceWallMillis(), grant.length());
        long now = platform.nanoTime();
        boolean lasts = 2 * validity.remainingNanos(now, platform.wallMillis())
                >= grant.length().toNanos();
        if (!lasts
                || !options.renewal()
                || options.minReplicas() > 0
                || !engine.requests().announce()) {
            askFor(grant);
            return;
        }
        try {
            OwnerId taken = take(grant);
            if (taken != null) {
                engine.forget(grant.owner());
                HeldLease lease = wish.lease(taken, grant.token(), now, validity);
                if (mayStandInARow()) {
                    engine.lines().precedes(lease, wish.share(), grant.tokens(), wish.mayTakeAgain(), grant.behind());
                }
                // Only now those behind it are known.
                forgoes();
                obtained(lease, grant.sinceNanos(), grant.tokens());
            } else {
                askFor(grant);
            }
        } finally {
            engine.requests().end();
        }
    }

    /** Asks for what it was given; but one that was passed a permit meanwhile has no use for a second. */
    private void askFor(PushedGrant grant) {
        boolean ended;
        synchronized (this) {
            ended = phase == Phase.ENDED;
            if (phase == Phase.WAITING && owner.equals(grant.owner())) {
                // Until it asks, this is all that tells that the store has served it.
                news = grant;
            }
        }
        if (ended) {
            engine.lines().grantedAgain(grant);
        } else {
            wake();
        }
    }

    /** With a request under way, its answer comes first: if this had ended, that would be undone, and the lock with it. */
    private synchronized boolean keep(PushedGrant grant) {
        if (phase != Phase.ASKING) {
            return false;
        }
        again = true;
        news = grant;
        return true;
    }

    private synchronized @Nullable OwnerId take(PushedGrant grant) {
        if (phase != Phase.WAITING || expelled || !owner.equals(grant.owner())) {
            return null;
        }
        finish();
        return id;
    }

    /**
     * Stands in the store's queue itself, and wants the whole lock or one permit. Not several permits: the ticket of one who
     * was passed as many would stop those behind it who want fewer, while so few are free.
     */
    boolean mayStandInARow() {
        Share share = wish.share();
        return wish.isFair() && !share.isRead() && share.weight() == 1;
    }

    /** Whether it may have this lease after the one before it in the store's queue. */
    boolean mayFollow(HeldLease lease, Share share, long now, long wall) {
        return mayFollow(lease.name(), share) && lease.suits(options, now, wall);
    }

    /** Whether it may have what the store gave on these terms to one before it in the queue. */
    boolean mayFollow(String lock, Share share, LockOptions terms) {
        return mayFollow(lock, share) && options.lease().equals(terms.lease());
    }

    /** Stands in a row, and may have what the store has given to another. */
    private boolean mayFollowInARow() {
        return mayStandInARow() && options.minReplicas() == 0 && options.renewal();
    }

    private boolean mayFollow(String lock, Share share) {
        return mayFollowInARow() && name.equals(lock) && wish.share().equals(share);
    }

    /** Takes over a lease from one before it, under a token of its own. Null if it has ended. */
    @Nullable
    HeldLease inherit(HeldLease from, long token, long now) {
        synchronized (this) {
            if (!leaves(now)) {
                return null;
            }
            HeldLease mine = wish.lease(from.ownerId(), token, now, from.validity());
            from.passesTo(mine);
            inherited = mine;
            inheritedFrom = from;
            return mine;
        }
    }

    /** Takes what the store has given to another before it, who had a permit by then. Null if it has ended. */
    @Nullable
    HeldLease inherit(OwnerId from, long token, Validity validity, long now) {
        synchronized (this) {
            if (!leaves(now)) {
                return null;
            }
            HeldLease mine = wish.lease(from, token, now, validity);
            inherited = mine;
            return mine;
        }
    }

    /** Waits no longer, since it is handed what it waits for. False if it has ended, or the store has served it. */
    private boolean leaves(long now) {
        // In the store's queue it may be asking: what comes of that is undone when the answer comes.
        if (wish.isFair() ? phase == Phase.ENDED || news != null : phase != Phase.QUEUED) {
            return false;
        }
        idle = phase == Phase.WAITING ? id : null;
        boolean posted = phase == Phase.POSTED;
        isHeldHere(now);
        finish();
        engine.forget(owner);
        if (posted && !wish.share().isWhole()) {
            // It was to ask, and the reason may be that the store has given it a permit.
            engine.releases().undo(name, owner, options.lease());
        }
        return true;
    }

    /** Whether it still waits, and the store is not known to have served it: then nobody behind it may be. */
    synchronized boolean isUnserved() {
        return phase != Phase.ENDED && news == null;
    }

    /** The id under which it waited when it was passed the lock, if nothing will be sent under it any more; or null. */
    synchronized @Nullable OwnerId idleId() {
        return idle;
    }

    /** What the store gave to another is its own now: whoever waits for it is told. Ends what was announced. */
    void isGivenIt() {
        // Not by the worker, which may be amid a request that hangs: nobody renews it before this.
        try {
            HeldLease lease = requireNonNull(inherited, "nothing was taken over");
            wish.noteWait(true, standing());
            wish.fulfilled(lease, engine.hold(lease), HandOver.REMOTE);
        } finally {
            engine.requests().end();
        }
    }

    /** What it has taken over is its own now: whoever waits for it is told. */
    void takesOver() {
        wish.noteWait(true, standing());
        takes(HandOver.LOCAL);
    }

    /** It has what its own thread has just given up, and has waited for nobody. */
    private void takesAgain() {
        takes(null);
    }

    private void takes(@Nullable HandOver handOver) {
        HeldLease lease = requireNonNull(inherited, "nothing was taken over");
        HeldLease from = requireNonNull(inheritedFrom, "nothing was taken over");
        engine.lines().leaves(from);
        standsApart(lease);
        wish.fulfilled(lease, engine.inherits(from, lease), handOver);
        if (lease.phase() == HeldLease.Phase.LOST) {
            // It may have been before it stood apart.
            engine.lines().leaves(lease);
        }
        engine.requests().end();
    }

    /** Whether it is this thread that wants it, and not a worker for somebody. */
    boolean isOf(long thread) {
        return callerRuns && wish.startThread() == thread;
    }

    /** Whether its own thread comes when it is called, and one whose turn it is may be faster. */
    boolean bearsTurns() {
        return callerRuns && wish.mayTakeAgain();
    }

    /** Whether its own thread can take what lies ready for it. */
    boolean comesWhenCalled() {
        return callerRuns;
    }

    /**
     * The lock lies ready for it.
     *
     * @return false if it stands in the store's queue, and has something else to do than to wait: amid a request it would come
     *     only when that is answered
     */
    boolean call() {
        // In one step: if it ends after this, it finds that it was called, and what it is to do next comes after this.
        synchronized (this) {
            if (wish.isFair() && phase != Phase.WAITING) {
                return false;
            }
            called = true;
            runner.execute(this::comes);
            return true;
        }
    }

    /** It has ended otherwise: what may lie ready for it is not to wait until it comes. */
    private void forgoes() {
        if (called) {
            engine.lines().forgoes(this);
        }
    }

    private void comes() {
        if (wish.isFair()) {
            engine.lines().comesInRow(this);
            return;
        }
        HeldLease lay = engine.lines().comes(this);
        if (lay == null) {
            return;
        }
        if (inherited != null) {
            takesOver();
        } else {
            engine.endings().giveBack(lay, Runnable::run);
        }
    }

    /** So that a thread that comes to wait for itself can be told. One that has permits may well wait for more. */
    private void standsApart(HeldLease lease) {
        if (wish.isFair() && (wish.share().isWhole() || wish.share().isRead())) {
            engine.lines().holdsApart(lease);
        }
    }

    private void obtained(HeldLease lease, long sinceNanos, int tokens) {
        Standing known = standing();
        wish.noteWait(true, known);
        standsApart(lease);
        engine.lines().granted(this, lease, sinceNanos, tokens);
        try {
            wish.fulfilled(lease, engine.holdBeforeTime(lease), known.answered() ? HandOver.REMOTE : null);
        } finally {
            // After whoever waits is woken: to set the timer wakes another thread, on whose processor it would run.
            engine.keepTime();
        }
    }

    /** What was granted does not count: it is given back, and asked for anew under another id, if there is time. */
    private void startOver(String lateOwner, StoreFailure why) {
        engine.releases().undo(name, lateOwner, options.lease());
        synchronized (this) {
            if (phase != Phase.ASKING) {
                return;
            }
            engine.forget(lateOwner);
            newOwner();
        }
        if (engine.isClosed()) {
            // Closing may have looked for those who wait between the two ids.
            closed();
            return;
        }
        failed(why, false);
    }

    /** Held by another. */
    private void refused(long recheckNanos, boolean notified, @Nullable String behind) {
        boolean askNow = false;
        boolean over = false;
        PushedGrant granted = null;
        HeldLease own = null;
        String late = null;
        synchronized (this) {
            if (phase != Phase.ASKING) {
                late = owner;
            } else {
                standing = standing.refused(platform.nanoTime());
                if (waits()) {
                    own = wish.isFair() ? engine.lines().takenBy(name, wish.startThread()) : null;
                    wish.beginsToWait();
                }
                trace |= waits();
                if (notified) {
                    pauses.reset();
                }
                if (!waits()) {
                    over = true;
                } else if (isOver()) {
                    // The request is answered, and its ticket is to be taken back.
                    phase = Phase.WAITING;
                    over = true;
                } else if (again && news == null) {
                    post();
                    askNow = true;
                } else {
                    granted = news;
                    rest(recheckNanos);
                    standBehind(mayStandInARow() ? behind : null);
                }
            }
        }
        if (late != null) {
            // Not with this locked: a row locks itself first. One that was passed the lock meanwhile has left its
            // ticket to whoever gives the lock back.
            if (!engine.lines().takesBack(name, late)) {
                engine.releases().undo(name, late, options.lease());
            }
            return;
        }
        wish.waitsBehind(own);
        if (granted != null) {
            // Given after this answer was: had it been before, the answer would have been another.
            takeOrAsk(granted);
        } else if (over) {
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
                standing = standing.failed(failure, now);
                // Also after a refusal: it may be the answer to a repetition of what was carried out.
                trace |= sent;
                boolean outlasted = wish.waitsForEver()
                        && now - standing.outageSince() >= options.outageLimit().toNanos();
                if (!waits() || outlasted || failure.kind() == StoreFailure.Kind.REFUSED) {
                    error = Failures.asLockException(name, failure);
                    phase = Phase.WAITING;
                } else {
                    // With news that came meanwhile there is no time to lose: a grant may be over before the pause is.
                    rest(again ? 0 : pauseNanos());
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
        if (waitsForItsFirstAnswer()) {
            return;
        }
        Phase was = end();
        if (was == null) {
            return;
        }
        wish.noteWait(false, standing());
        wish.timedOut(was == Phase.QUEUED ? standingToThoseBehind() : standing());
    }

    /** One that has only just got the lead has a moment more to hear whether another holds the lock. */
    private synchronized boolean waitsForItsFirstAnswer() {
        long moment = standing.momentLeft(platform.nanoTime());
        if (!behindOthers || (phase != Phase.POSTED && phase != Phase.ASKING) || moment <= 0) {
            return false;
        }
        deadline = platform.schedule(moment, this::expire);
        return true;
    }

    /** Ends it, and takes back what may stand in the store, or leaves it to the next. Null if it had ended before. */
    private @Nullable Phase end() {
        Phase was;
        String left = null;
        String taken;
        synchronized (this) {
            was = phase;
            if (was == Phase.ENDED) {
                return null;
            }
            // A request on its way is undone when its answer comes. Otherwise it counts as under way before anybody can
            // find this ended or forgotten: closing takes either for a sign that nothing is left to be sent.
            if (trace && was != Phase.ASKING) {
                engine.requests().begin();
                left = owner;
            }
            taken = place;
            place = null;
            finish();
            engine.forget(owner);
        }
        takeBack(taken);
        // In this order: once it has left nobody calls it any more.
        Acquisition next = engine.lines().left(this);
        forgoes();
        if (next != null) {
            next.lead(left);
        } else {
            takeBack(left);
        }
        return was;
    }

    /** Undoes what counted as under way until now. */
    private void takeBack(@Nullable String left) {
        if (left != null) {
            engine.releases().undo(name, left, options.lease());
            engine.requests().end();
        }
    }

    private void finish() {
        phase = Phase.ENDED;
        standBehind(null);
        cancel(recheck);
        cancel(deadline);
    }

    private void standBehind(@Nullable String before) {
        if (follows != null) {
            engine.lines().leaves(follows, owner);
        }
        follows = AcquireReply.Queued.FIRST.equals(before) ? Lines.front(name) : before;
        if (follows != null) {
            engine.lines().follows(follows, owner);
        }
    }

    private void post() {
        phase = Phase.POSTED;
        isToAsk();
        cancel(recheck);
        recheck = null;
    }

    private void rest(long nanos) {
        phase = Phase.WAITING;
        armDeadline();
        recheck = platform.schedule(nanos, this::wake);
    }

    private void armDeadline() {
        if (deadline == null && !wish.waitsForEver()) {
            long left = wish.patienceNanos() - (platform.nanoTime() - wish.startNanos());
            deadline = platform.schedule(Math.max(0, left), this::expire);
        }
    }

    private static void cancel(Platform.@Nullable Timer timer) {
        if (timer != null) {
            timer.cancel();
        }
    }

    private synchronized long pauseNanos() {
        return pauses.nextNanos();
    }
}
