package io.holdfast.simulation.load;

import io.holdfast.simulation.audit.Violation;
import io.holdfast.testkit.history.FencedModel;
import io.holdfast.testkit.history.History;
import io.holdfast.testkit.history.LinearizabilityChecker;
import io.holdfast.testkit.history.Operation;
import io.holdfast.testkit.history.Operation.Action;
import io.holdfast.testkit.history.Operation.Outcome;
import io.holdfast.testkit.history.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the applications did and were told, for the history checker: a judge who knows nothing of servers, clocks or
 * leases, only of calls and returns.
 */
final class Journal {
    private final List<Operation> operations = new ArrayList<>();
    private final Map<Long, Operation> held = new LinkedHashMap<>();
    private long events;

    /** The moment of a call or a return: they have an order, also if they come at the same time. */
    long now() {
        return ++events;
    }

    void granted(String client, String lock, long token, long called) {
        Operation granted = operation(client, lock, Action.ACQUIRE, token, Outcome.GRANTED, called, now());
        operations.add(granted);
        held.put(token, granted);
    }

    /** A release and what was said of it. */
    void released(long token, boolean good, long called) {
        Operation granted = held.remove(token);
        if (granted != null) {
            operations.add(operation(
                    granted.client(),
                    granted.lock(),
                    Action.RELEASE,
                    token,
                    good ? Outcome.DONE : Outcome.LOST,
                    called,
                    now()));
        }
    }

    private static Operation operation(
            String client, String lock, Action action, long token, Outcome outcome, long called, long returned) {
        return new Operation(client, lock, action, Operation.Mode.EXCLUSIVE, 1, token, outcome, called, returned);
    }

    /** Judges it, for a run in which the timing model was kept. */
    void judge() {
        // Whoever died, or failed before the release, may have lost the lock at any time since.
        for (Operation granted : held.values()) {
            operations.add(operation(
                    granted.client(),
                    granted.lock(),
                    Action.LOSE,
                    granted.token(),
                    Outcome.UNKNOWN,
                    granted.returned(),
                    Operation.OPEN));
        }
        Verdict verdict = LinearizabilityChecker.check(History.of(operations), new FencedModel());
        if (!verdict.isOk()) {
            throw new Violation("LIN", verdict.report());
        }
    }
}
