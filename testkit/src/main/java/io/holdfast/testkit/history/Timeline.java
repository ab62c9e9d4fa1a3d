package io.holdfast.testkit.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The operations on one lock, and the order of their beginnings and ends. */
final class Timeline {
    /** A call or a return. */
    record Event(int operation, boolean isCall, long time) {}

    private final List<Operation> operations;
    private final List<Event> events = new ArrayList<>();

    private Timeline(List<Operation> operations) {
        this.operations = operations;
        for (int i = 0; i < operations.size(); i++) {
            Operation operation = operations.get(i);
            events.add(new Event(i, true, operation.called()));
            if (!operation.isOpen()) {
                events.add(new Event(i, false, operation.returned()));
            }
        }
        // What happened at the same time was not one after the other, so calls come first.
        events.sort(Comparator.comparingLong(Event::time).thenComparing(event -> !event.isCall()));
    }

    /** A loss begins when its client last knew that it had the lock; only the end of it was seen. */
    static Timeline of(List<Operation> recorded) {
        List<Operation> operations = new ArrayList<>();
        for (Operation operation : recorded) {
            operations.add(
                    operation.outcome() == Operation.Outcome.LOST
                            ? operation.calledAt(begin(operation, recorded))
                            : operation);
        }
        operations.sort(Comparator.comparingLong(Operation::called));
        return new Timeline(operations);
    }

    private static long begin(Operation loss, List<Operation> recorded) {
        long lastKnown = recorded.stream()
                .filter(o -> o.sameHold(loss) && o.confirms() && o.returned() <= loss.called())
                .mapToLong(Operation::returned)
                .max()
                .orElse(loss.called());
        // After that, not beside it: what has not been obtained yet cannot be lost.
        return lastKnown < loss.called() ? lastKnown + 1 : loss.called();
    }

    /** The first of its events; what has not returned by then is open. */
    Timeline prefix(int count) {
        boolean[] called = new boolean[operations.size()];
        boolean[] returned = new boolean[operations.size()];
        for (Event event : events.subList(0, count)) {
            (event.isCall ? called : returned)[event.operation] = true;
        }
        List<Operation> first = new ArrayList<>();
        for (int i = 0; i < operations.size(); i++) {
            if (called[i]) {
                first.add(returned[i] ? operations.get(i) : operations.get(i).opened());
            }
        }
        return new Timeline(first);
    }

    List<Operation> operations() {
        return operations;
    }

    List<Event> events() {
        return events;
    }
}
