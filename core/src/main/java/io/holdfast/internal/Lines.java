package io.holdfast.internal;

import io.holdfast.internal.HeldLease.Validity;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.Share;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The lines of one client: one for each lock that somebody here holds or waits for, and none for any other. Most locks are
 * wanted by one at a time; that one stands for its line itself, first as who asks, then as what it holds.
 */
final class Lines {
    private static final int TOKENS_FOR_EACH = 32;
    private static final int MOST_TOKENS = 512;

    private final Engine engine;

    /** By the name of the lock: an Acquisition or a HeldLease that is alone, or a Line. */
    private final ConcurrentMap<String, Object> lines = new ConcurrentHashMap<>();

    /** By the name of the lock: those who follow one another as they stood in the store's queue. */
    private final ConcurrentMap<String, Procession> processions = new ConcurrentHashMap<>();

    /** Leases of those who stand in no line, the last that each thread took of each lock. */
    private final ConcurrentMap<Taken, HeldLease> apart = new ConcurrentHashMap<>();

    private record Taken(String name, long thread) {
        static Taken of(HeldLease lease) {
            return new Taken(lease.name(), lease.takenBy());
        }
    }

    /** Owner ids: who stands directly behind whom in the store's queue. */
    private final ConcurrentMap<String, String> followers = new ConcurrentHashMap<>();

    Lines(Engine engine) {
        this.engine = engine;
    }

    Line.Place join(Acquisition acquisition) {
        while (true) {
            Object present = lines.putIfAbsent(acquisition.name(), acquisition);
            if (present == null) {
                return Line.Place.LEADS;
            }
            if (present instanceof Line line) {
                Line.Place place = line.join(acquisition, now(), wall());
                if (place != Line.Place.GONE) {
                    return place == Line.Place.BUSY && !isBusy(line.holder()) ? Line.Place.APART : place;
                }
                lines.remove(acquisition.name(), line);
            } else if (!acquisition.waits()) {
                return present instanceof HeldLease holder && isBusy(holder) ? Line.Place.BUSY : Line.Place.APART;
            } else {
                lines.replace(
                        acquisition.name(),
                        present,
                        present instanceof HeldLease holder ? Line.of(holder) : Line.of((Acquisition) present));
            }
        }
    }

    /** Whether somebody here really holds it; a lease that has just run out is declared lost. */
    private boolean isBusy(@Nullable HeldLease holder) {
        // One that is neither valid nor lost is just being passed on.
        return holder != null && (engine.isValid(holder) || holder.loss() == null);
    }

    /**
     * How many tokens to ask for: enough that those who wait here have several turns each.
     *
     * @param contended whether somebody has waited here already
     */
    int tokens(String name, boolean contended) {
        int waiting = lines.get(name) instanceof Line line ? line.waiting() : 0;
        return waiting == 0 && !contended ? 1 : Math.min(TOKENS_FOR_EACH * (waiting + 1), MOST_TOKENS);
    }

    void granted(Acquisition acquisition, HeldLease lease, long sentNanos, int tokens) {
        if (tokens > 1) {
            // They are kept by a line, for those who come while it is held.
            lines.replace(acquisition.name(), acquisition, Line.of(acquisition));
        }
        if (!lines.replace(acquisition.name(), acquisition, lease)
                && lines.get(acquisition.name()) instanceof Line line) {
            line.granted(acquisition, lease, sentNanos, tokens);
        }
    }

    /** One has the lock, or reads, that stood in no line. */
    void holdsApart(HeldLease lease) {
        apart.put(Taken.of(lease), lease);
    }

    /** It does not any more. */
    void leaves(HeldLease lease) {
        if (!apart.isEmpty()) {
            apart.remove(Taken.of(lease), lease);
        }
    }

    /** What a thread has of a lock that it did not stand in line for; null if it has nothing that is known of. */
    @Nullable
    HeldLease takenBy(String name, long thread) {
        return apart.get(new Taken(name, thread));
    }

    /** What stands for who comes before the first in the store's queue for permits; no owner has such an id. */
    static String front(String name) {
        return " " + name;
    }

    /** One waits directly behind another in the store's queue, or at its {@link #front}. */
    void follows(String before, String owner) {
        followers.put(before, owner);
    }

    /** It does not any more. */
    void leaves(String before, String owner) {
        followers.remove(before, owner);
    }

    /** Who waits directly behind another in the store's queue; null if nobody of this client is known to. */
    @Nullable
    String follower(String owner) {
        return followers.get(owner);
    }

    /** One has the lock, or a share of it, behind whom these stand in the store's queue. */
    void precedes(HeldLease lease, Share share, int tokens, boolean turns, List<String> behind) {
        if (tokens <= 1) {
            return;
        }
        List<String> forgotten = new ArrayList<>();
        processions.compute(lease.name(), (name, present) -> {
            Procession procession = present == null ? new Procession(engine, name) : present;
            forgotten.addAll(procession.begins(lease, share, tokens, turns, behind));
            return procession;
        });
        takeBack(lease, forgotten);
        Procession procession = processions.get(lease.name());
        if (procession != null) {
            settle(procession);
        }
    }

    /** The store has given a permit to one that was passed one here before: it goes to the next, or back. */
    void grantedAgain(PushedGrant grant) {
        Procession procession = processions.get(grant.name());
        if (procession == null || !procession.hasServed(grant.owner())) {
            return;
        }
        Validity validity = Validity.after(grant.sinceNanos(), grant.sinceWallMillis(), grant.length());
        long now = engine.platform().nanoTime();
        boolean lasts = 2 * validity.remainingNanos(now, engine.platform().wallMillis())
                >= grant.length().toNanos();
        // Announced until the heir has it: closing finds it then, or waits for it.
        if (lasts && engine.requests().announce()) {
            Acquisition heir = procession.again(grant, validity, now);
            settle(procession);
            if (heir != null) {
                heir.isGivenIt();
                return;
            }
            engine.requests().end();
        }
        calledAgain(grant.name(), grant.owner());
    }

    /**
     * There are news for one that nobody waits under. If it was passed a permit here before, what the store may have given to
     * it is given back. If it is one under which a permit is held, there are fewer of them now, and it is not passed on.
     */
    void calledAgain(String name, String owner) {
        Procession procession = processions.get(name);
        if (procession != null) {
            procession.stops(owner);
            engine.endings().giveBack(name, procession.givesBack(owner));
        }
    }

    /** There may have been news for anybody: what the store may have given to those who were served is given back. */
    void allCalledAgain() {
        processions.forEach((name, procession) -> engine.endings().giveBack(name, procession.servedWithPermits()));
    }

    /** Lays a lock whose release has begun ready for the next here. False if it is to be passed on, or given back. */
    boolean layReady(HeldLease lease) {
        if (engine.isClosed()) {
            return false;
        }
        Procession procession = procession(lease);
        if (procession != null) {
            return procession.layReady(lease, now(), wall());
        }
        return lines.get(lease.name()) instanceof Line line && line.layReady(lease, now(), wall());
    }

    /** As {@link #join}, for one that is to stand in the store's queue: unless it has what it has just given up. */
    Line.Place joinRow(Acquisition acquisition) {
        Procession procession = processions.get(acquisition.name());
        return procession != null && procession.takesAgain(acquisition, now(), wall())
                ? Line.Place.TAKES
                : Line.Place.APART;
    }

    /** One asks to stand in the store's queue. Null if nobody here has what it asks for, and waits for its answer. */
    Procession.@Nullable Asking expects(String name) {
        Procession procession = processions.get(name);
        return procession == null ? null : procession.expects();
    }

    /** It was answered; or not asked, after all. */
    void isTold(Procession.@Nullable Asking asking, @Nullable AcquireReply reply) {
        if (asking != null && asking.procession().isTold(asking, reply)) {
            settle(asking.procession());
        }
    }

    /** One that stands in the store's queue was called, and is there. */
    void comesInRow(Acquisition acquisition) {
        Procession procession = processions.get(acquisition.name());
        if (procession != null) {
            Acquisition heir = procession.comes(acquisition, now(), wall());
            try {
                if (heir != null) {
                    heir.takesOver();
                }
            } finally {
                settle(procession);
            }
        }
    }

    /** Who is next has changed: that one is called now, or given what lies ready. What nobody here wants goes back. */
    private void settle(Procession procession) {
        Procession.Settled settled = procession.callsNext(now(), wall());
        settled.heirs().forEach(Acquisition::takesOver);
        settled.left().forEach(lease -> engine.endings().giveBack(lease, null));
    }

    /** One that was called is there: what lay ready for it, and is its own now or to be given back. Null if nothing does. */
    @Nullable
    HeldLease comes(Acquisition acquisition) {
        return lines.get(acquisition.name()) instanceof Line line ? line.comes(acquisition, now(), wall()) : null;
    }

    /** One that was called, perhaps, will not come: what lies ready for it goes to another, or back. */
    void forgoes(Acquisition acquisition) {
        if (lines.get(acquisition.name()) instanceof Line line) {
            HeldLease lay = line.forgoes(acquisition);
            if (lay != null) {
                engine.endings().giveBack(lay, null);
            }
        }
        Procession procession = processions.get(acquisition.name());
        if (procession != null) {
            procession.forgoes(acquisition);
            settle(procession);
        }
    }

    /** Passes a lease whose release has begun to the next here. Null if the store is to decide who is next. */
    @Nullable
    Acquisition passOn(HeldLease lease) {
        if (engine.isClosed()) {
            return null;
        }
        Procession procession = procession(lease);
        if (procession != null) {
            Acquisition heir = procession.pass(lease, now(), wall());
            settle(procession);
            return heir;
        }
        return lines.get(lease.name()) instanceof Line line ? line.pass(lease, now(), wall()) : null;
    }

    /**
     * Those to whom this lease was passed on since the store gave it, and whose tickets are to be taken back with it. Others
     * who were served would be given what comes free now, so their tickets go as well.
     */
    List<String> served(HeldLease lease) {
        Procession procession = procession(lease);
        return procession == null ? List.of() : procession.andOthers(ended(procession, lease));
    }

    private List<String> ended(Procession procession, HeldLease lease) {
        List<String> served = procession.ends(lease);
        processions.computeIfPresent(
                lease.name(), (name, present) -> present == procession && procession.isOver() ? null : present);
        return served;
    }

    /** Whether a ticket will be taken back along with the lock, which is still held. */
    boolean takesBack(String name, String owner) {
        Procession procession = processions.get(name);
        return procession != null && procession.hasServed(owner);
    }

    /** Whether the store gave it to one behind whom others of this client stood. */
    boolean hasProcession(HeldLease lease) {
        return procession(lease) != null;
    }

    private @Nullable Procession procession(HeldLease lease) {
        Procession procession = processions.get(lease.name());
        return procession != null && procession.isHeldBy(lease) ? procession : null;
    }

    /** As {@link #served}, of one that does not go back to the store: it is lost. */
    void lost(HeldLease lease) {
        Procession procession = procession(lease);
        if (procession != null) {
            takeBack(lease, ended(procession, lease));
        }
    }

    /** Nobody waits under these ids any more. */
    void takeBack(HeldLease lease, List<String> served) {
        for (String owner : served) {
            engine.releases().undo(lease.name(), owner, lease.options.lease());
        }
    }

    /** A hold has ended, and was not passed on: who talks to the store next, if anybody is left. */
    @Nullable
    Acquisition ended(HeldLease lease) {
        leaves(lease);
        return next(lease.name(), lease, line -> line.ended(lease, now()));
    }

    /** One does not want the lock any more: who talks to the store next, if it did and anybody is left. */
    @Nullable
    Acquisition left(Acquisition acquisition) {
        return next(acquisition.name(), acquisition, line -> line.left(acquisition, now()));
    }

    /** Somebody goes, who may have been alone. */
    private @Nullable Acquisition next(String name, Object alone, Function<Line, @Nullable Acquisition> change) {
        if (lines.remove(name, alone) || !(lines.get(name) instanceof Line line)) {
            return null;
        }
        Acquisition next = change.apply(line);
        if (line.isGone()) {
            lines.remove(name, line);
        }
        return next;
    }

    /** Who talks to the store for all who wait; null if one of them holds the lock. */
    @Nullable
    Acquisition leader(String name) {
        Object present = lines.get(name);
        return present instanceof Acquisition alone ? alone : present instanceof Line line ? line.leader() : null;
    }

    /** Who of this client holds it; null if nobody does, or it stands apart from the line. */
    @Nullable
    HeldLease holder(String name) {
        Object present = lines.get(name);
        return present instanceof HeldLease alone ? alone : present instanceof Line line ? line.holder() : null;
    }

    /** Ends every wait. */
    void close() {
        for (Object present : lines.values()) {
            if (present instanceof Line line) {
                line.all().forEach(Acquisition::closed);
            } else if (present instanceof Acquisition alone) {
                alone.closed();
            }
        }
    }

    /** A lease whose release has begun is not the store's any more: nobody here is to have it. */
    void stops(HeldLease lease) {
        Procession procession = processions.get(lease.name());
        if (procession != null) {
            procession.stops(lease);
        }
        if (lines.get(lease.name()) instanceof Line line) {
            line.stops(lease);
        }
    }

    private long now() {
        return engine.platform().nanoTime();
    }

    private long wall() {
        return engine.platform().wallMillis();
    }

    boolean has(String name) {
        return lines.containsKey(name);
    }

    boolean isEmpty() {
        return lines.isEmpty() && processions.isEmpty() && followers.isEmpty() && apart.isEmpty();
    }
}
