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
 */
final class Line {
    enum Place {
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
        return line;
    }

    synchronized Place join(Acquisition acquisition) {
        if (gone) {
            return Place.GONE;
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
        }
    }

    /** Passes the lock on to the next here, if that may be done without asking the store. Null if not. */
    synchronized @Nullable Acquisition pass(HeldLease lease, long now) {
        while (first != null && holder == lease && tokensLeft > 0 && mayPass(lease, first.options(), now)) {
            Acquisition heir = first;
            remove(heir);
            HeldLease next = heir.inherit(lease, nextToken, now);
            if (next != null) {
                nextToken++;
                tokensLeft--;
                holder = next;
                return heir;
            }
        }
        return null;
    }

    private boolean mayPass(HeldLease lease, LockOptions next, long now) {
        LockOptions options = lease.options;
        long most = Math.min(options.handOver().toNanos(), options.lease().toNanos() / 4);
        return now - grantedNanos < most && lease.suits(next, now);
    }

    /** A hold has ended: the next is to talk to the store. Null if it is not of this line, or nobody is left. */
    synchronized @Nullable Acquisition ended(HeldLease lease) {
        if (holder != lease) {
            return null;
        }
        holder = null;
        return nextLeader();
    }

    /** One has left: if it was the leader, the next is to talk to the store. */
    synchronized @Nullable Acquisition left(Acquisition acquisition) {
        if (leader != acquisition) {
            remove(acquisition);
            return null;
        }
        leader = null;
        return nextLeader();
    }

    private @Nullable Acquisition nextLeader() {
        leader = first;
        if (leader == null) {
            gone = true;
        } else {
            remove(leader);
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
