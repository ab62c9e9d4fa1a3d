package io.holdfast.simulation.load;

import io.holdfast.simulation.audit.Violation;
import io.holdfast.spi.Share;
import io.holdfast.testkit.history.FencedModel;
import io.holdfast.testkit.history.History;
import io.holdfast.testkit.history.LinearizabilityChecker;
import io.holdfast.testkit.history.Model;
import io.holdfast.testkit.history.Operation;
import io.holdfast.testkit.history.Operation.Action;
import io.holdfast.testkit.history.Operation.Outcome;
import io.holdfast.testkit.history.ReadWriteModel;
import io.holdfast.testkit.history.SemaphoreModel;
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
    /** By lock and token: two locks may have the same. */
    private final Map<String, Operation> held = new LinkedHashMap<>();

    private final Setup setup;
    private long events;

    Journal(Setup setup) {
        this.setup = setup;
    }

    /** The moment of a call or a return: they have an order, also if they come at the same time. */
    long now() {
        return ++events;
    }

    void granted(String client, String lock, Share share, long token, long called) {
        Operation granted = new Operation(
                client,
                lock,
                Action.ACQUIRE,
                share.isRead() ? Operation.Mode.SHARED : Operation.Mode.EXCLUSIVE,
                share.weight(),
                token,
                Outcome.GRANTED,
                called,
                now());
        operations.add(granted);
        held.put(lock + " " + token, granted);
    }

    /** A release and what was said of it. */
    void released(String lock, long token, boolean good, long called) {
        Operation granted = held.remove(lock + " " + token);
        if (granted != null) {
            operations.add(ends(granted, Action.RELEASE, good ? Outcome.DONE : Outcome.LOST, called, now()));
        }
    }

    private static Operation ends(Operation granted, Action action, Outcome outcome, long called, long returned) {
        return new Operation(
                granted.client(),
                granted.lock(),
                action,
                granted.mode(),
                granted.permits(),
                granted.token(),
                outcome,
                called,
                returned);
    }

    private Model<?> model() {
        if (setup.permits() > 0) {
            return new SemaphoreModel(setup.permits());
        }
        return setup.readWrite() ? new ReadWriteModel() : new FencedModel();
    }

    /** Judges it, for a run in which the timing model was kept. */
    void judge() {
        // Whoever died, or failed before the release, may have lost the lock at any time since.
        for (Operation granted : held.values()) {
            operations.add(ends(granted, Action.LOSE, Outcome.UNKNOWN, granted.returned(), Operation.OPEN));
        }
        Verdict verdict = LinearizabilityChecker.check(History.of(operations), model());
        if (!verdict.isOk()) {
            throw new Violation("LIN", verdict.report());
        }
    }
}
