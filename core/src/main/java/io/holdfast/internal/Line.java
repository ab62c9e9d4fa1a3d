package io.holdfast.internal;

import io.holdfast.LockOptions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Those of one client who want one lock, in the order they came. At most one of them talks to the store, the leader, or
 * one holds the lock; the others wait for it here.
 *
 * <p>Who gives the lock back passes it to the next here, without a word to the store, as long as the store's last grant is
 * younger than the hand-over time and there are tokens left of those it brought. After that the store decides: the release
 * and the request of the next go there in one go, and those who wait elsewhere have their turn.
 *
 * <p>A thread that is woken takes some 5 to 100 µs to run, and a lock that is its own from the start lies idle for so long. So
 * a lock that was held for a moment only is laid ready, and the next is called to take it. Until that one has come, the
 * thread whose turn it is may take the lock again: nobody else could have had it. It does so for {@link #TURN_NANOS} at most,
 * counted from when its turn began, sections included; and whoever has come in vain is passed the lock by the next unlock.
 * So those who wait are served in the order they came, and each of them later by a turn and a section at most.
 */
final class Line {
    /** So long may a thread take the lock again while the next is on its way. */
    static final long TURN_NANOS = 50_000;

    enum Place {
        /** It has the lock, which lay ready: it is still its thread's turn. */
        TAKES,
        /** To talk to the store. */
        LEADS,
        /** To wait here. */
        QUEUED,
        /** One of this client holds the lock. */
        BUSY,
        /**
         * To ask the store apart from this line: it is to stand in the store's own queue, or it cannot wait, and what the
         * store will say to the leader is open.
         */
        APART,
        /** The line has ended; there may be a new one. */
        GONE
    }

    // All guarded by this. Those who wait are linked with each other, since a line that nobody waits in is what most
    // locks have.
    private @Nullable Acquisition first;
    private @Nullable Acquisition last;
    private int waiting;
    private @Nullable Acquisition leader;
    private @Nullable HeldLease holder;
    private long grantedNanos;
    private long nextToken;
    private int tokensLeft;
    private boolean gone;

    /** When the thread got the lock whose turn it is. */
    private long turnNanos;
    /** The first of those who wait, if it was called to take the lock and has not come yet. */
    private @Nullable Acquisition called;
    /** The holder has given the lock up, and it lies ready for the one that was called. */
    private boolean ready;
    /** The first of those who wait came when it was called, and the lock had been taken again. */
    private boolean cameInVain;

    /** One that has been asked for by one alone so far. */
    static Line of(Acquisition leader) {
        Line line = new Line();
        line.leader = leader;
        return line;
    }

    /** One whose lock is held by one alone so far, with tokens for nobody else. */
    static Line of(HeldLease holder) {
        Line line = new Line();
        line.holder = holder;
        line.turnNanos = holder.acquiredNanos;
        return line;
    }

    synchronized Place join(Acquisition acquisition, long now, long wall) {
        if (gone) {
            return Place.GONE;
        }
        if (ready
                && holder != null
                && acquisition.isOf(holder.takenBy())
                && isTurn(now)
                && mayPass(holder, acquisition.options(), now, wall)
                && give(acquisition, holder, now)) {
            ready = false;
            return Place.TAKES;
        }
        if (leader == null && holder == null) {
            leader = acquisition;
            return Place.LEADS;
        }
        if (acquisition.waits()) {
            add(acquisition);
            return Place.QUEUED;
        }
        return holder != null ? Place.BUSY : Place.APART;
    }

    /** The leader holds the lock now. */
    synchronized void granted(Acquisition acquisition, HeldLease lease, long sentNanos, int tokens) {
        if (leader == acquisition) {
            leader = null;
            holder = lease;
            grantedNanos = sentNanos;
            nextToken = lease.token() + 1;
            tokensLeft = tokens - 1;
            beginTurn(lease.acquiredNanos);
        }
    }

    /**
     * Lays the lock ready for the next here, which is called unless it is on its way already. From then on the release is
     * under way until that one {@linkplain #comes comes} or {@linkplain #forgoes leaves}, or the lock is taken again.
     *
     * @return false if it is to be passed on, or the store is to decide
     */
    synchronized boolean layReady(HeldLease lease, long now, long wall) {
        Acquisition next = first;
        if (next == null
                || holder != lease
                || cameInVain
                || !isTurn(now)
                || !next.comesWhenCalled()
                || !mayPass(lease, next.options(), now, wall)) {
            return false;
        }
        ready = true;
        if (called == null) {
            called = next;
            next.call();
        }
        return true;
    }

    private boolean isTurn(long now) {
        return now - turnNanos < TURN_NANOS;
    }

    private void beginTurn(long now) {
        turnNanos = now;
        cameInVain = false;
    }

    /**
     * One that was called is there. If the lock lies ready, it has it now, unless the store is to decide.
     *
     * @return what lay ready; null if nothing does any more
     */
    synchronized @Nullable HeldLease comes(Acquisition acquisition, long now, long wall) {
        if (called != acquisition) {
            return null;
        }
        called = null;
        if (!ready) {
            cameInVain = true;
            return null;
        }
        ready = false;
        HeldLease lay = holder;
        if (lay != null && mayPass(lay, acquisition.options(), now, wall) && give(acquisition, lay, now)) {
            remove(acquisition);
            beginTurn(now);
        }
        return lay;
    }

    /** What lies ready for one that will not come; null if nothing does. */
    synchronized @Nullable HeldLease forgoes(Acquisition acquisition) {
        if (called != acquisition) {
            return null;
        }
        called = null;
        remove(acquisition);
        HeldLease lay = ready ? holder : null;
        ready = false;
        return lay;
    }

    /** Passes the lock on to the next here, if that may be done without asking the store. Null if not. */
    synchronized @Nullable Acquisition pass(HeldLease lease, long now, long wall) {
        while (first != null && holder == lease && mayPass(lease, first.options(), now, wall)) {
            Acquisition heir = first;
            remove(heir);
            called = null;
            // Whether it may is not asked again, for that can change at any time: only one that has ended is left out.
            if (give(heir, lease, now)) {
                beginTurn(now);
                return heir;
            }
        }
        return null;
    }

    /** False if the heir has ended. */
    private boolean give(Acquisition heir, HeldLease lease, long now) {
        HeldLease next = heir.inherit(lease, nextToken, now);
        if (next == null) {
            return false;
        }
        nextToken++;
        tokensLeft--;
        holder = next;
        return true;
    }

    private boolean mayPass(HeldLease lease, LockOptions next, long now, long wall) {
        LockOptions options = lease.options;
        long most = Math.min(options.handOver().toNanos(), options.lease().toNanos() / 4);
        return tokensLeft > 0 && now - grantedNanos < most && lease.suits(next, now, wall);
    }

    /** What the store gave is not the holder's any more: it goes back there, and is not passed on. */
    synchronized void stops(HeldLease lease) {
        if (holder == lease) {
            tokensLeft = 0;
        }
    }

    /** A hold has ended: the next is to talk to the store. Null if it is not of this line, or nobody is left. */
    synchronized @Nullable Acquisition ended(HeldLease lease, long now) {
        if (holder != lease) {
            return null;
        }
        holder = null;
        return nextLeader(Standing.held(now));
    }

    /** One has left: if it was the leader, the next is to talk to the store; otherwise it knows what the leader does. */
    synchronized @Nullable Acquisition left(Acquisition acquisition, long now) {
        if (leader != acquisition) {
            if (acquisition.inLine) {
                acquisition.learns(leader != null ? leader.standing() : standing(now));
            }
            remove(acquisition);
            return null;
        }
        leader = null;
        return nextLeader(acquisition.standing());
    }

    /**
     * What there is to know behind the holder: that it has the lock. Once its time is over it may still be waiting for the answer
     * to what it does with the lock, and nobody knows who has it.
     */
    private Standing standing(long now) {
        long until = holder == null ? now : holder.validity().untilNanos();
        return until - now < 0 ? Standing.NEW.asked(until) : Standing.held(now);
    }

    private @Nullable Acquisition nextLeader(Standing known) {
        called = null;
        leader = first;
        if (leader == null) {
            gone = true;
        } else {
            remove(leader);
            leader.learns(known);
        }
        return leader;
    }

    private void add(Acquisition acquisition) {
        acquisition.inLine = true;
        acquisition.before = last;
        if (last == null) {
            first = acquisition;
        } else {
            last.behind = acquisition;
        }
        last = acquisition;
        waiting++;
    }

    private void remove(Acquisition acquisition) {
        if (!acquisition.inLine) {
            return;
        }
        acquisition.inLine = false;
        Acquisition before = acquisition.before;
        Acquisition behind = acquisition.behind;
        if (before == null) {
            first = behind;
        } else {
            before.behind = behind;
        }
        if (behind == null) {
            last = before;
        } else {
            behind.before = before;
        }
        acquisition.before = null;
        acquisition.behind = null;
        waiting--;
    }

    synchronized @Nullable Acquisition leader() {
        return leader;
    }

    synchronized @Nullable HeldLease holder() {
        return holder;
    }

    /** The leader and those who wait behind it. */
    synchronized List<Acquisition> all() {
        List<Acquisition> all = new ArrayList<>();
        for (Acquisition one = first; one != null; one = one.behind) {
            all.add(one);
        }
        if (leader != null) {
            all.add(leader);
        }
        return all;
    }

    synchronized int waiting() {
        return waiting;
    }

    synchronized boolean isGone() {
        return gone;
    }
}
