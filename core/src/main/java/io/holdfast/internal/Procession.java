package io.holdfast.internal;

import io.holdfast.LockOptions;
import io.holdfast.internal.HeldLease.Validity;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.Share;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Those of one client who stand directly behind one another in the store's queue for one lock, the first of whom was given
 * it. It goes from one to the next without a word to the store, in the order of the queue: nobody else would have come
 * between. The store tells who stood there when it gave the lock, and each who comes later whom it stands behind; so it goes
 * on until one of another client is next, or the tokens that were reserved with the lock are used up.
 *
 * <p>Their tickets stay in the queue until one of them gives the lock back, and are taken out along with that. So if
 * anything goes wrong on the way, those who have not had their turn have lost nothing.
 *
 * <h2>Turns</h2>
 *
 * As in a {@link Line}, what was held for a moment only is laid ready for the next, and until that one has come the thread whose
 * turn it is may take it again, for {@link #TURN_NANOS} from when its turn began. Not before one who waits for it strictly.
 * For this there are more tokens than those who stand in the row may use.
 *
 * <h2>Those who are about to stand there</h2>
 *
 * If nobody is known to be next, but somebody here is asking, what is given up is laid ready until the answer has come: it
 * says whether that one stands directly behind whoever was served last. That takes less than to give it back and to be given it
 * again. It waits for nobody who comes to ask after that, and it is not taken again meanwhile. Nor does it wait at all if one of
 * those who asked was told that it stands behind somebody else: then that one is next.
 *
 * <h2>Permits</h2>
 *
 * Of permits several may be held here, each with tokens of its own: that is a {@link Row} for each. All of them go to the
 * same line of people, one after the other: whoever is served, by the store or here, is served before all who stand behind
 * it there, so the next is the one behind whoever was served last, whichever permit comes free.
 *
 * <p>A ticket of one who was served may be given another permit by the store, since that cannot know. Such a permit goes to
 * the next here, or back to the store, along with all such tickets. While it is under way it is out, so never more are out
 * than there are.
 *
 * <p>An owner id whose ticket was served is waited under by nobody; it has one of two ends. Either a release of it is sent, and
 * then it is dead, whatever the store may still say of it; or a permit that the store gave to it is held under it by another.
 */
final class Procession {
    /** So many tickets are taken back with one release at most. */
    static final int MOST_TAKEN_BACK = 512;

    /** So many may have it one after the other before the store is asked again; and so many, if each may have it again. */
    private static final int MOST_IN_A_ROW = 64;

    /** A prime: the last of a row cannot take it again, and is not to be the same thread each time. */
    private static final int MOST_WITH_TURNS = 17;

    /**
     * So long may a thread take it again while the next is on its way: longer than in a {@link Line}, since each turn uses up tokens
     * for as many holds as it may have, and those are limited by time.
     */
    static final long TURN_NANOS = 150_000;

    /** So often may a thread take it again in one turn. */
    private static final int MOST_AGAIN = -AcquireRequest.SEVERAL_EACH - 1;

    /** What the store has given to one owner, and who has it here. */
    private static final class Row {
        final Share share;
        HeldLease holder;
        /** Who has it, as it stands in the queue. */
        String last;

        long nextToken;
        int tokensLeft;
        /** So many of them may be used to pass it on. The others are for those who take it again. */
        int passesLeft;
        /** When the thread got it whose turn it is, and how often it may take it again. */
        long turnNanos;

        int againLeft;
        /** The holder has given it up, and it lies ready for the next. */
        boolean ready;
        /** Nobody was known to be next: it is kept for those who have asked up to here. */
        long waitsFor;
        /** Whose tickets are to be taken back with it. */
        final Set<String> served = new LinkedHashSet<>();

        Row(Share share, HeldLease holder, String last, int tokens, boolean turns) {
            this.share = share;
            this.holder = holder;
            this.last = last;
            this.nextToken = holder.token() + 1;
            this.tokensLeft = tokens - 1;
            this.passesLeft = Math.min(tokens, turns ? MOST_WITH_TURNS : MOST_IN_A_ROW) - 1;
            beginTurn(holder.acquiredNanos);
        }

        private void beginTurn(long now) {
            turnNanos = now;
            againLeft = MOST_AGAIN;
        }

        boolean isTurn(long now) {
            return now - turnNanos < TURN_NANOS && againLeft > 0 && tokensLeft > passesLeft;
        }

        /** It is passed to the next, or taken again. */
        void goesTo(HeldLease next) {
            holder = next;
            nextToken++;
            tokensLeft--;
        }
    }

    /** One that asks to stand in the store's queue, the more lately the higher its number. */
    static final class Asking {
        private final Procession procession;
        private final long number;
        private boolean told;

        Asking(Procession procession, long number) {
            this.procession = procession;
            this.number = number;
        }

        Procession procession() {
            return procession;
        }
    }

    /**
     * A ticket whose owner was served here.
     *
     * @param row with which it is to be taken back
     * @param id that of the ticket; null if a request is under way under it, the answer to which will be undone
     */
    private record Served(Row row, @Nullable OwnerId id) {}

    /**
     * What became of that which lay ready.
     *
     * @param heirs who has it now
     * @param left what is to be given back, since nobody here has any use for it
     */
    record Settled(List<Acquisition> heirs, List<HeldLease> left) {}

    private final Engine engine;
    private final String name;

    // All guarded by this.
    /** By the owner id under which the store has given it. */
    private final Map<String, Row> rows = new HashMap<>();

    private final Map<String, Served> served = new LinkedHashMap<>();

    /** Who was served last, and who stood behind that one when the store told. */
    private String last = "";

    private List<String> behind = List.of();
    private int next;

    /** The next, if it was called to take what lies ready and has not come yet. */
    private @Nullable Acquisition called;
    /** The next came when it was called, and all of it had been taken again: it is passed what is given up then. */
    private boolean cameInVain;
    /** Those who are asking, and may come to stand behind whoever was served last; and some who have been told. */
    private final Deque<Asking> asking = new ArrayDeque<>();

    private long asked;
    /** One of them was told that it stands behind somebody to whom this does not go from here: that one is next. */
    private boolean parted;
    /** What lay ready, and is nobody's here any more. */
    private final List<HeldLease> left = new ArrayList<>();

    Procession(Engine engine, String name) {
        this.engine = engine;
        this.name = name;
    }

    /**
     * The store has given it to one behind whom these stand.
     *
     * @param turns whether each may have it again, so that there are tokens for fewer
     * @return whose tickets are to be taken back, since the store must have forgotten who had the lock before
     */
    synchronized List<String> begins(HeldLease lease, Share share, int tokens, boolean turns, List<String> standing) {
        List<String> forgotten = List.of();
        if (share.isWhole()) {
            forgotten = served();
            rows.values().stream().filter(row -> row.ready).forEach(row -> left.add(row.holder));
            rows.clear();
            served.clear();
        }
        String owner = lease.owner();
        rows.put(owner, new Row(share, lease, owner, tokens, turns));
        last = owner;
        behind = standing;
        next = 0;
        parted = false;
        return forgotten;
    }

    synchronized boolean isHeldBy(HeldLease lease) {
        return row(lease) != null;
    }

    private @Nullable Row row(HeldLease lease) {
        Row row = rows.get(lease.owner());
        return row != null && row.holder == lease ? row : null;
    }

    /** Passes the lock on to the next who still waits. Null if the store is to decide. */
    synchronized @Nullable Acquisition pass(HeldLease lease, long now, long wall) {
        Row row = row(lease);
        return row == null ? null : pass(row, now, wall);
    }

    private @Nullable Acquisition pass(Row row, long now, long wall) {
        while (row.tokensLeft > 0 && row.passesLeft > 0) {
            String id = next();
            Acquisition heir = heir(id, row, now, wall);
            if (id == null || heir == null) {
                return null;
            }
            HeldLease theirs = heir.inherit(row.holder, row.nextToken, now);
            if (theirs == null && heir.isUnserved()) {
                return null;
            }
            moveOn(id);
            if (theirs != null) {
                row.goesTo(theirs);
                row.passesLeft--;
                row.beginTurn(now);
                serves(row, id, heir);
                return heir;
            }
        }
        return null;
    }

    /** Who waits under that id, and may follow whoever has it. Null if the store is to decide. */
    private @Nullable Acquisition heir(@Nullable String id, Row row, long now, long wall) {
        // Who is not known here has left, or is of a copy of this process, and then it would be passed over.
        return id != null
                        && engine.waiter(id) instanceof Acquisition heir
                        && heir.mayFollow(row.holder, row.share, now, wall)
                ? heir
                : null;
    }

    /** As {@link Line#layReady}, for whoever is next here, or is about to be told that it is. */
    synchronized boolean layReady(HeldLease lease, long now, long wall) {
        Row row = row(lease);
        if (row == null || cameInVain || row.passesLeft == 0) {
            return false;
        }
        String id = next();
        row.waitsFor = asked;
        if (id == null) {
            row.ready = mayBeFollowed(row, ready());
            return row.ready;
        }
        Acquisition heir = row.isTurn(now) ? heir(id, row, now, wall) : null;
        if (heir == null || !heir.bearsTurns()) {
            return false;
        }
        row.ready = true;
        if (!isCalled(heir)) {
            row.ready = false;
        }
        return row.ready;
    }

    /** One asks to stand in the store's queue: if nobody is next, what is given up meanwhile waits for the answer. */
    synchronized Asking expects() {
        Asking one = new Asking(this, ++asked);
        asking.add(one);
        return one;
    }

    /**
     * It was answered.
     *
     * @return whether something lies ready, of which it is to be seen who has it now
     */
    synchronized boolean isTold(Asking one, @Nullable AcquireReply reply) {
        one.told = true;
        while (!asking.isEmpty() && asking.element().told) {
            asking.remove();
        }
        parted |= reply instanceof AcquireReply.Queued queued && !isOneOfUs(queued.behind());
        return ready() > 0;
    }

    private int ready() {
        int ready = 0;
        for (Row row : rows.values()) {
            ready += row.ready ? 1 : 0;
        }
        return ready;
    }

    /** Not one of this client who talks to the store for a whole line: that may be next, but stands in no row. */
    private boolean isOneOfUs(@Nullable String owner) {
        return owner != null
                && (owner.equals(AcquireReply.Queued.FIRST)
                        || isServed(owner)
                        || (engine.waiter(owner) instanceof Acquisition one && one.mayStandInARow()));
    }

    /**
     * Whether somebody may stand directly behind who was served last, and has not been told so yet. Only one that asked before
     * this was given up: whoever comes later would keep it from others for as long as somebody comes.
     *
     * @param others so many more are kept for those who ask
     */
    private boolean mayBeFollowed(Row row, int others) {
        if (parted || row.tokensLeft == 0 || row.passesLeft == 0) {
            return false;
        }
        int left = others;
        for (Asking one : asking) {
            if (one.number > row.waitsFor) {
                break;
            }
            if (!one.told && left-- == 0) {
                return true;
            }
        }
        return false;
    }

    /** Calls the next, unless somebody is on the way already. False if it has something else to do by now. */
    private boolean isCalled(Acquisition heir) {
        if (called != null) {
            return true;
        }
        called = heir;
        if (!heir.call()) {
            called = null;
            return false;
        }
        return true;
    }

    /** One that has just given it up takes it again, since the next has not come yet. False if that is not to be. */
    synchronized boolean takesAgain(Acquisition acquisition, long now, long wall) {
        // Not what is kept for one that asks: who that one is, and what it may wait behind, is not known.
        for (Row row : called == null ? List.<Row>of() : rows.values()) {
            if (row.ready
                    && acquisition.bearsTurns()
                    && acquisition.isOf(row.holder.takenBy())
                    && row.isTurn(now)
                    && acquisition.mayFollow(row.holder, row.share, now, wall)) {
                HeldLease theirs = acquisition.inherit(row.holder, row.nextToken, now);
                if (theirs != null) {
                    row.goesTo(theirs);
                    row.againLeft--;
                    row.ready = false;
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * One that was called is there, and what lies ready goes to the next: it is that one, unless the store has told of another
     * before it.
     *
     * @return who has it now; null if nobody has
     */
    synchronized @Nullable Acquisition comes(Acquisition acquisition, long now, long wall) {
        if (called != acquisition) {
            return null;
        }
        called = null;
        for (Row row : rows.values()) {
            if (row.ready) {
                row.ready = false;
                Acquisition heir = pass(row, now, wall);
                if (heir == null) {
                    left.add(row.holder);
                }
                return heir;
            }
        }
        cameInVain = true;
        return null;
    }

    /** One that was called, perhaps, will not come. */
    synchronized void forgoes(Acquisition acquisition) {
        if (called == acquisition) {
            called = null;
        }
    }

    /**
     * Calls the next, if something lies ready and nobody is on the way, or passes it on to one that will not come. To be asked
     * after each change of who is next.
     */
    synchronized Settled callsNext(long now, long wall) {
        List<Acquisition> heirs = List.of();
        int kept = 0;
        for (Row row : rows.values()) {
            if (row.ready && called == null) {
                String id = next();
                if (id == null && mayBeFollowed(row, kept)) {
                    kept++;
                    continue;
                }
                Acquisition next = heir(id, row, now, wall);
                if (next != null && next.bearsTurns() && isCalled(next)) {
                    continue;
                }
                row.ready = false;
                Acquisition heir = pass(row, now, wall);
                if (heir == null) {
                    left.add(row.holder);
                } else {
                    heirs = new ArrayList<>(heirs);
                    heirs.add(heir);
                }
            }
        }
        Settled settled = new Settled(heirs, List.copyOf(left));
        left.clear();
        return settled;
    }

    private void serves(Row row, String id, Acquisition heir) {
        if (called == heir) {
            called = null;
        }
        cameInVain = false;
        row.served.add(id);
        row.last = id;
        served.put(id, new Served(row, heir.idleId()));
    }

    /** Who stands directly behind the last who was served; null if it is of another client, or not known. */
    private @Nullable String next() {
        while (next < behind.size() && isServed(behind.get(next))) {
            moveOn(behind.get(next));
        }
        if (next < behind.size()) {
            return behind.get(next);
        }
        String follower = engine.lines().follower(last);
        return follower != null ? follower : engine.lines().follower(Lines.front(name));
    }

    private void moveOn(String id) {
        next++;
        last = id;
    }

    private boolean isServed(String id) {
        return rows.containsKey(id) || served.containsKey(id);
    }

    /**
     * The store has given a permit to one that was served here before: the next has it, if there is one.
     *
     * @return who has it; null if nobody here has any use for it, and it is to be given back
     */
    synchronized @Nullable Acquisition again(PushedGrant grant, Validity validity, long now) {
        Served ticket = served.get(grant.owner());
        return ticket == null || ticket.id() == null || ticket.row().share.isWhole()
                ? null
                : again(ticket.row(), ticket.id(), grant, validity, now);
    }

    private @Nullable Acquisition again(Row row, OwnerId free, PushedGrant grant, Validity validity, long now) {
        LockOptions terms = row.holder.options;
        while (true) {
            String id = next();
            if (id == null
                    || !(engine.waiter(id) instanceof Acquisition heir)
                    || !heir.mayFollow(name, row.share, terms)) {
                return null;
            }
            HeldLease theirs = heir.inherit(free, grant.token(), validity, now);
            if (theirs == null && heir.isUnserved()) {
                return null;
            }
            moveOn(id);
            if (theirs != null) {
                isTakenBack(grant.owner());
                Row its = new Row(row.share, theirs, id, grant.tokens(), heir.bearsTurns());
                serves(its, id, heir);
                rows.put(grant.owner(), its);
                return heir;
            }
        }
    }

    /** Nobody is to take this ticket back any more: somebody is about to, or has what it was given. */
    private void isTakenBack(String owner) {
        Served ticket = served.remove(owner);
        if (ticket != null) {
            ticket.row().served.remove(owner);
        }
    }

    /** It goes back to the store, or is lost: whose tickets are to be taken back with it. */
    synchronized List<String> ends(HeldLease lease) {
        Row row = row(lease);
        if (row == null) {
            return List.of();
        }
        rows.remove(lease.owner());
        List<String> all = List.copyOf(row.served);
        all.forEach(this::isTakenBack);
        return all;
    }

    /** What the store has given to one that was served is to be given back: with which tickets. None if it was not. */
    synchronized List<String> givesBack(String owner) {
        // A whole lock is nobody else's before it comes back, or is lost.
        Served ticket = served.get(owner);
        if (ticket == null || ticket.row().share.isWhole()) {
            return List.of();
        }
        isTakenBack(owner);
        return andOthers(List.of(owner));
    }

    /** Tickets that may as well be taken back now, beside these. */
    synchronized List<String> andOthers(List<String> some) {
        List<String> others = served.keySet().stream()
                .limit(Math.max(0, MOST_TAKEN_BACK - some.size()))
                .toList();
        others.forEach(this::isTakenBack);
        List<String> all = new ArrayList<>(some);
        all.addAll(others);
        return all;
    }

    /** There are fewer permits than there were: what the store has given to this owner goes back to it. */
    synchronized void stops(String owner) {
        Row row = rows.get(owner);
        if (row != null && !row.share.isWhole()) {
            row.tokensLeft = 0;
        }
    }

    /** It is not the store's any more: if it has not been passed on yet, it goes back. */
    synchronized void stops(HeldLease lease) {
        Row row = row(lease);
        if (row != null) {
            row.tokensLeft = 0;
        }
    }

    /** Whether the ticket of this one is to be taken back with the lock. */
    synchronized boolean hasServed(String owner) {
        return served.containsKey(owner);
    }

    /** Whose tickets are to be taken back with the lock. */
    synchronized List<String> served() {
        return List.copyOf(served.keySet());
    }

    /** The same, if they may have been given permits of which nobody here was told. */
    synchronized List<String> servedWithPermits() {
        return served.values().stream().anyMatch(ticket -> ticket.row().share.isWhole())
                ? List.of()
                : andOthers(List.of());
    }

    /** As who in the queue somebody has it here that the store has given to that owner; null if that is not known. */
    synchronized @Nullable String heldAs(String owner) {
        Row row = rows.get(owner);
        return row == null ? null : row.last;
    }

    synchronized boolean isOver() {
        return rows.isEmpty();
    }
}
