package io.holdfast.internal;

import io.holdfast.Hold;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition that the store has granted, from the moment it counts as held.
 *
 * <h2>Why it is safe to believe it without asking</h2>
 *
 * The store lets nobody else in before {@code lease} has passed since it granted or renewed, by its own clock. That
 * happened after we sent the request. So by our clock nobody else is in before {@code send time + lease}, less what the
 * two clocks may differ in rate: 1 % and 2 ms are allowed for. That moment is {@link Validity}. It only moves when a good
 * answer proves a later one. Elapsed time is the larger of what the monotonic and the wall clock show, since the former
 * may stand still while a host is suspended.
 *
 * <p>The phases: HELD, then once and for all LOST, or RELEASING and then RELEASED. RELEASING begins before the release
 * is sent, so that nobody trusts a lease which is on its way out.
 */
final class HeldLease {
    enum Phase {
        HELD,
        RELEASING,
        RELEASED,
        LOST
    }

    /**
     * What has become of it.
     *
     * @param loss how it was lost; null unless it was
     * @param seen whether whoever waited for it has been told
     */
    private record State(Phase phase, @Nullable Loss loss, boolean seen) {
        static final State HELD = new State(Phase.HELD, null, false);
        private static final State HELD_SEEN = new State(Phase.HELD, null, true);

        /** The same object for all that are held. */
        State isSeen() {
            return phase == Phase.HELD ? HELD_SEEN : new State(phase, loss, true);
        }
    }

    /** A deadline on both clocks, and since when the store is known to have it. */
    record Validity(long sinceNanos, long untilNanos, long untilWallMillis) {
        static Validity after(long sentNanos, long sentWallMillis, Duration lease) {
            long usable = lease.toNanos() - allowance(lease);
            return new Validity(sentNanos, sentNanos + usable, sentWallMillis + usable / 1_000_000);
        }

        /** What two clocks may differ by over a lease. */
        static long allowance(Duration lease) {
            return lease.toNanos() / 100 + 2_000_000;
        }

        long remainingNanos(long nowNanos, long nowWallMillis) {
            return Math.min(untilNanos - nowNanos, (untilWallMillis - nowWallMillis) * 1_000_000);
        }
    }

    // There may be a hundred thousand of these, so an id is kept in its parts, a deadline is shared by all that were
    // renewed together, and what few of them have stands apart.
    private final String name;
    private final String client;
    private final long ownerThread;
    private final long ownerDraw;
    private final long token;
    final LockOptions options;
    final long acquiredNanos;

    /** The thread that holds it, or the grip of the handle that does. Null if it is in nobody's hands yet. */
    private volatile @Nullable Object holder;

    private volatile State state = State.HELD;
    private volatile Validity validity;
    private @Nullable Extras extras;

    // The watchdog's own: guarded by its lock.
    @Nullable
    Moment moment;

    int seat;

    /**
     * The handle that holds a lease, which is not kept by it. Knows the engine for the handle: here is room for that, and each
     * handle would be 8 bytes larger.
     */
    static final class Grip extends WeakReference<Object> {
        final Engine engine;

        Grip(Object handle, Engine engine) {
            super(handle);
            this.engine = engine;
        }
    }

    /** What most leases never have. Guarded by the lease. */
    private static final class Extras {
        /** Who wants to know what becomes of it. */
        @Nullable
        Trail trail;

        /** Who had it next, if it was passed on within this client. */
        @Nullable
        HeldLease heir;

        @Nullable
        CompletableFuture<Loss> lost;

        @Nullable
        String lastFailure;

        long takenBy;
        boolean blamed;
    }

    HeldLease(
            String name,
            OwnerId owner,
            long token,
            LockOptions options,
            @Nullable Object thread,
            long acquiredNanos,
            Validity validity) {
        this(name, owner, token, options, thread, acquiredNanos, null, validity);
    }

    HeldLease(
            String name,
            OwnerId owner,
            long token,
            LockOptions options,
            @Nullable Object thread,
            long acquiredNanos,
            @Nullable Trail trail,
            Validity validity) {
        this.name = name;
        this.client = owner.client();
        this.ownerThread = owner.thread();
        this.ownerDraw = owner.draw();
        this.token = token;
        this.options = options;
        this.holder = thread;
        this.acquiredNanos = acquiredNanos;
        this.validity = validity;
        if (trail != null) {
            extras().trail = trail;
        }
    }

    private synchronized Extras extras() {
        if (extras == null) {
            extras = new Extras();
            extras.takenBy = ownerThread;
        }
        return extras;
    }

    String name() {
        return name;
    }

    OwnerId ownerId() {
        return new OwnerId(client, ownerThread, ownerDraw);
    }

    /** As the store knows it. */
    String owner() {
        return ownerId().text();
    }

    long token() {
        return token;
    }

    /** The thread that holds it, or null for a handle that belongs to nobody. */
    @Nullable
    Object thread() {
        Object present = holder;
        return present instanceof Grip ? null : present;
    }

    /** The number of the thread that asked for it; that in the owner id is of the first who had it. */
    synchronized long takenBy() {
        return extras == null ? ownerThread : extras.takenBy;
    }

    synchronized void wasTakenBy(long thread) {
        if (thread != ownerThread) {
            extras().takenBy = thread;
        }
    }

    /** Who wants to know what becomes of it; null if nobody does. */
    synchronized @Nullable Trail trail() {
        return extras == null ? null : extras.trail;
    }

    /** As listeners see it. */
    Hold hold() {
        return new Hold(name, owner(), token, options.lease(), options.maxHold());
    }

    /** Completes when it is lost. */
    synchronized CompletableFuture<Loss> lost() {
        Extras own = extras();
        if (own.lost == null) {
            own.lost = new CompletableFuture<>();
        }
        return own.lost;
    }

    /** Why the last renewal failed, for the message when the lease is lost; null if it did not. */
    synchronized @Nullable String lastFailure() {
        return extras == null ? null : extras.lastFailure;
    }

    synchronized void renewalFailed(String reason) {
        extras().lastFailure = reason;
    }

    Phase phase() {
        return state.phase();
    }

    /** How it was lost; null unless it was. */
    @Nullable
    Loss loss() {
        return state.loss();
    }

    /** Moves on; false if another was faster or the phase has passed. */
    boolean moves(Phase from, Phase to) {
        return replaces(from, to, null);
    }

    boolean loses(Phase from, Loss loss) {
        return replaces(from, Phase.LOST, loss);
    }

    /** Whoever waited for it goes on with it; false if it is lost. */
    synchronized boolean isSeen() {
        State present = state;
        if (!present.seen() && present.phase() != Phase.LOST) {
            present = present.isSeen();
            state = present;
        }
        return present.seen();
    }

    /** Whether somebody believed in it when it was lost. */
    synchronized boolean wasSeen() {
        return state.seen();
    }

    private synchronized boolean replaces(Phase from, Phase to, @Nullable Loss loss) {
        State present = state;
        if (present.phase() != from) {
            return false;
        }
        state = new State(to, loss, present.seen());
        return true;
    }

    Validity validity() {
        return validity;
    }

    long remainingNanos(long nowNanos, long nowWallMillis) {
        return validity.remainingNanos(nowNanos, nowWallMillis);
    }

    boolean isWatched() {
        return moment != null;
    }

    /** A good answer has proved this much, to whoever has it by now; a lesser proof changes nothing. */
    void prove(Validity proved) {
        HeldLease each = this;
        while (each != null) {
            each = each.proved(proved);
        }
    }

    /** A renewal was answered, and has proved this much. Who wants to know of it; null if nobody does. */
    @Nullable
    Trail renewed(Validity proved) {
        HeldLease next;
        Trail own;
        synchronized (this) {
            next = proved(proved);
            if (extras != null) {
                extras.lastFailure = null;
            }
            own = trail();
        }
        if (next != null) {
            next.prove(proved);
        }
        return own;
    }

    private synchronized @Nullable HeldLease proved(Validity proved) {
        if (proved.untilNanos() - validity.untilNanos() > 0) {
            validity = proved;
        }
        return heir();
    }

    /** To the store both are one: an answer to what was sent for this one may come when that one has it. */
    synchronized void passesTo(HeldLease next) {
        extras().heir = next;
        next.prove(validity);
    }

    /** Who had it next, if it was passed on; null if it was not. */
    synchronized @Nullable HeldLease heir() {
        return extras == null ? null : extras.heir;
    }

    /** Who has had it last, if it was passed on; or this. */
    HeldLease last() {
        HeldLease last = this;
        for (HeldLease next = heir(); next != null; next = next.heir()) {
            last = next;
        }
        return last;
    }

    /** Whether it is held for longer than it may be renewed. */
    boolean isPastMaxHold(long nowNanos) {
        Optional<Duration> limit = options.maxHold();
        // Not as nanoseconds: a limit that means "never" may be more than a long can count.
        return limit.isPresent() && Duration.ofNanos(nowNanos - acquiredNanos).compareTo(limit.get()) >= 0;
    }

    /** Whether it is what one who wants a lease on these terms would have got, and may be passed on to it. */
    boolean suits(LockOptions next, long nowNanos, long nowWallMillis) {
        if (!options.renewal()
                || !next.renewal()
                || !options.lease().equals(next.lease())
                || next.minReplicas() > options.minReplicas()) {
            return false;
        }
        Validity present = validity;
        // One that was extended would leave more than the next has asked for; one that is over by either clock,
        // nothing.
        return present.untilNanos() - nowNanos <= options.lease().toNanos()
                && present.remainingNanos(nowNanos, nowWallMillis) > 0;
    }

    /** Whether the thread that took it is the one that waits for it now; true once at most. */
    synchronized boolean blocks(long thread) {
        if (takenBy() != thread || state.phase() != Phase.HELD || extras().blamed) {
            return false;
        }
        extras().blamed = true;
        return true;
    }

    /** Where it was acquired, as the end of a sentence; nothing if that was not noted. */
    String where() {
        Trail trail = trail();
        Place place = trail == null ? null : trail.place();
        return place == null ? "" : "; it was acquired at " + place;
    }

    /** Ties the renewal to a handle of that engine: once nobody refers to it any more, renewal ends. */
    void follow(Object handle, Engine engine) {
        holder = new Grip(handle, engine);
    }

    /** The engine of the handle that it follows. */
    Engine engine() {
        if (holder instanceof Grip grip) {
            return grip.engine;
        }
        throw new IllegalStateException("it follows no handle");
    }

    boolean isUnreachable() {
        return holder instanceof Grip grip && grip.get() == null;
    }
}
