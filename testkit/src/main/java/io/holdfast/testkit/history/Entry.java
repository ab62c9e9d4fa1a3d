package io.holdfast.testkit.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call or a return in the list of those not yet put in order. To put an operation in order takes both its entries out
 * of the list; to take that back puts them in again, in constant time.
 */
final class Entry {
    final Operation operation;
    /** Its place among the events; the head of the list is before all. */
    final int event;
    /** Its number among those that must, or those that may be put in order. */
    final int number;

    final boolean isCall;
    private Entry previous = this;
    private Entry next = this;
    private @Nullable Entry end;

    private Entry(Operation operation, int event, int number, boolean isCall) {
        this.operation = operation;
        this.event = event;
        this.number = number;
        this.isCall = isCall;
    }

    /** The head of a ring of all entries. */
    static Entry list(Timeline timeline) {
        List<Operation> operations = timeline.operations();
        Entry head = new Entry(NONE, -1, -1, false);
        Entry[] calls = new Entry[operations.size()];
        int closed = 0;
        int open = 0;
        int place = 0;
        for (Timeline.Event event : timeline.events()) {
            Operation operation = operations.get(event.operation());
            Entry entry;
            if (event.isCall()) {
                entry = new Entry(operation, place, operation.isOpen() ? open++ : closed++, true);
                calls[event.operation()] = entry;
            } else {
                Entry call = calls[event.operation()];
                entry = new Entry(operation, place, call.number, false);
                call.end = entry;
            }
            entry.previous = head.previous;
            entry.next = head;
            entry.insert();
            place++;
        }
        return head;
    }

    private static final Operation NONE = new Operation(
            "",
            "",
            Operation.Action.LOSE,
            Operation.Mode.EXCLUSIVE,
            1,
            0,
            Operation.Outcome.UNKNOWN,
            0,
            Operation.OPEN);

    Entry next() {
        return next;
    }

    /** Out of the list, with its return. */
    void lift() {
        remove();
        if (end != null) {
            end.remove();
        }
    }

    /** Undoes the last {@link #lift} that was not undone. */
    void unlift() {
        if (end != null) {
            end.insert();
        }
        insert();
    }

    private void remove() {
        previous.next = next;
        next.previous = previous;
    }

    private void insert() {
        previous.next = this;
        next.previous = this;
    }
}
