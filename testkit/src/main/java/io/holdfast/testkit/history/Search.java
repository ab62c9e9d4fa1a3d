package io.holdfast.testkit.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * Looks for an order of the operations that the model allows, depth first: of those that were called before the first
 * return, one is put next, and when none fits the last choice is taken back. After Wing and Gong, with the remembered
 * configurations of Lowe.
 *
 * <p>An operation that only reports is put next as soon as it fits, with no choice: whatever can follow without it can
 * follow after it.
 */
final class Search<S> {
    enum Result {
        FOUND,
        NONE,
        GAVE_UP
    }

    /** One step of an order: the operation, and the state after it. */
    record Step(Operation operation, String state) {}

    private record Placed<S>(Entry entry, S after) {}

    /** What was put next when the order had a length, and which of the states after it was taken. */
    private record Choice<S>(Entry entry, int length, S before, List<S> after, int taken, boolean open) {}

    private static final int TRAIL = 10;

    private final Model<S> model;
    private final long budget;
    private final Entry head;
    private final boolean hasOpen;
    private final Visited<S> visited = new Visited<>();
    private final BitSet closed = new BitSet();
    private final BitSet open = new BitSet();
    private final Deque<Placed<S>> order = new ArrayDeque<>();
    private final Deque<Choice<S>> choices = new ArrayDeque<>();
    private int left;

    private int furthest = -1;
    private List<Step> trail = List.of();

    Search(Model<S> model, Timeline timeline, long budget) {
        this.model = model;
        this.budget = budget;
        head = Entry.list(timeline);
        hasOpen = timeline.operations().stream().anyMatch(Operation::isOpen);
        left = (int) timeline.operations().stream().filter(o -> !o.isOpen()).count();
    }

    Result run() {
        S state = model.initial();
        settle(state);
        Entry entry = head.next();
        // What may have happened is tried after all that did, since it is rarely needed.
        boolean tryOpen = false;
        while (left > 0) {
            List<S> after;
            int from = 0;
            if (entry.isCall && entry.operation.isOpen() != tryOpen) {
                entry = entry.next();
                continue;
            } else if (entry.isCall) {
                after = model.step(state, entry.operation);
            } else if (hasOpen && !tryOpen) {
                tryOpen = true;
                entry = head.next();
                continue;
            } else {
                stuckAt(entry);
                if (choices.isEmpty()) {
                    return Result.NONE;
                }
                Choice<S> last = choices.pop();
                takeBack(last.length);
                entry = last.entry;
                state = last.before;
                after = last.after;
                from = last.taken + 1;
                tryOpen = last.open;
            }
            int length = order.size();
            int taken = firstNew(entry, state, after, from);
            if (taken < 0) {
                entry = entry.next();
                continue;
            }
            if (visited.count() > budget) {
                return Result.GAVE_UP;
            }
            choices.push(new Choice<>(entry, length, state, after, taken, tryOpen));
            state = after.get(taken);
            entry = head.next();
            tryOpen = false;
        }
        return Result.FOUND;
    }

    /** Puts the entry next with the first of these states that leads to something new; -1 if none does. */
    private int firstNew(Entry entry, S before, List<S> after, int from) {
        int length = order.size();
        for (int i = from; i < after.size(); i++) {
            S next = after.get(i);
            if (entry.operation.isOpen() && next.equals(before)) {
                continue;
            }
            place(entry, next);
            settle(next);
            if (visited.add(closed, open, next)) {
                return i;
            }
            takeBack(length);
        }
        return -1;
    }

    /** Puts next all that only reports, and fits. */
    private void settle(S state) {
        for (Entry entry = head.next(); entry.isCall; entry = entry.next()) {
            if (entry.operation.outcome().onlyReports()) {
                List<S> after = model.step(state, entry.operation);
                if (after.size() == 1 && after.get(0).equals(state)) {
                    place(entry, state);
                }
            }
        }
    }

    private void place(Entry entry, S after) {
        entry.lift();
        order.push(new Placed<>(entry, after));
        mark(entry, true);
    }

    private void takeBack(int length) {
        while (order.size() > length) {
            Entry entry = order.pop().entry;
            entry.unlift();
            mark(entry, false);
        }
    }

    private void mark(Entry entry, boolean placed) {
        if (entry.operation.isOpen()) {
            open.set(entry.number, placed);
        } else {
            closed.set(entry.number, placed);
            left += placed ? -1 : 1;
        }
    }

    private void stuckAt(Entry end) {
        if (end.event <= furthest) {
            return;
        }
        furthest = end.event;
        trail = new ArrayList<>();
        Iterator<Placed<S>> latest = order.iterator();
        while (latest.hasNext() && trail.size() < TRAIL) {
            Placed<S> placed = latest.next();
            trail.add(0, new Step(placed.entry.operation, placed.after.toString()));
        }
    }

    /** The place of the furthest return that could not be reached. */
    int furthest() {
        return furthest;
    }

    /** The last steps of the order that got there. */
    List<Step> trail() {
        return trail;
    }
}
