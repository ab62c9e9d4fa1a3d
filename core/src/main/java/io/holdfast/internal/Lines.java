package io.holdfast.internal;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The lines of one client: one for each lock that somebody here holds or waits for, and none for any other. */
final class Lines {
    private static final int TOKENS_FOR_EACH = 32;
    private static final int MOST_TOKENS = 512;

    private final Engine engine;
    private final ConcurrentMap<String, Line> lines = new ConcurrentHashMap<>();

    Lines(Engine engine) {
        this.engine = engine;
    }

    Line.Place join(Acquisition acquisition) {
        while (true) {
            Line line = lines.computeIfAbsent(acquisition.name(), name -> new Line());
            Line.Place place = line.join(acquisition);
            if (place != Line.Place.GONE) {
                return place == Line.Place.BUSY && !isBusy(line) ? Line.Place.APART : place;
            }
            lines.remove(acquisition.name(), line);
        }
    }

    /** Whether somebody here really holds it; a lease that has just run out is declared lost. */
    private boolean isBusy(Line line) {
        HeldLease holder = line.holder();
        // One that is neither valid nor lost is just being passed on.
        return holder != null && (engine.isValid(holder) || holder.loss() == null);
    }

    /**
     * How many tokens to ask for: enough that those who wait here have several turns each.
     *
     * @param contended whether somebody has waited here already
     */
    int tokens(String name, boolean contended) {
        Line line = lines.get(name);
        int waiting = line == null ? 0 : line.waiting();
        return waiting == 0 && !contended ? 1 : Math.min(TOKENS_FOR_EACH * (waiting + 1), MOST_TOKENS);
    }

    void granted(Acquisition acquisition, HeldLease lease, long sentNanos, int tokens) {
        Line line = lines.get(acquisition.name());
        if (line != null) {
            line.granted(acquisition, lease, sentNanos, tokens);
        }
    }

    /** Passes a lease whose release has begun to the next here. Null if the store is to decide who is next. */
    @Nullable
    Acquisition passOn(HeldLease lease) {
        Line line = lines.get(lease.name());
        return line == null || engine.isClosed()
                ? null
                : line.pass(lease, engine.platform().nanoTime());
    }

    /** A hold has ended, and was not passed on: who talks to the store next, if anybody is left. */
    @Nullable
    Acquisition ended(HeldLease lease) {
        return next(lease.name(), line -> line.ended(lease));
    }

    /** One does not want the lock any more: who talks to the store next, if it did and anybody is left. */
    @Nullable
    Acquisition left(Acquisition acquisition) {
        return next(acquisition.name(), line -> line.left(acquisition));
    }

    private @Nullable Acquisition next(String name, Function<Line, @Nullable Acquisition> change) {
        Line line = lines.get(name);
        if (line == null) {
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
        Line line = lines.get(name);
        return line == null ? null : line.leader();
    }

    /** Ends every wait. */
    void close() {
        lines.values().forEach(line -> line.all().forEach(Acquisition::closed));
    }

    boolean has(String name) {
        return lines.containsKey(name);
    }

    boolean isEmpty() {
        return lines.isEmpty();
    }
}
