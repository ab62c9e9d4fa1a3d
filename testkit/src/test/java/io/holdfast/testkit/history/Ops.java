package io.holdfast.testkit.history;

import static io.holdfast.testkit.history.Operation.Action.ACQUIRE;
import static io.holdfast.testkit.history.Operation.Action.LOSE;
import static io.holdfast.testkit.history.Operation.Action.RELEASE;
import static io.holdfast.testkit.history.Operation.Action.RENEW;
import static io.holdfast.testkit.history.Operation.Action.TRY_ACQUIRE;
import static io.holdfast.testkit.history.Operation.Mode.EXCLUSIVE;
import static io.holdfast.testkit.history.Operation.Mode.SHARED;

import io.holdfast.testkit.history.Operation.Action;
import io.holdfast.testkit.history.Operation.Mode;
import io.holdfast.testkit.history.Operation.Outcome;
import java.util.ArrayList;
import java.util.List;

/** A history in words, its operations one after the other unless a time is given. */
final class Ops {
    private final List<Operation> operations = new ArrayList<>();
    private long time;

    /** What follows is called and returns at these times. */
    private long called = -1;

    private long returned = -1;

    Ops between(long from, long to) {
        called = from;
        returned = to;
        return this;
    }

    Ops add(String client, Action action, Mode mode, int permits, long token, Outcome outcome) {
        long from = called < 0 ? time + 1 : called;
        long to = called < 0 ? time + 2 : returned;
        operations.add(new Operation(client, "lock", action, mode, permits, token, outcome, from, to));
        time = Math.max(time, outcome == Outcome.UNKNOWN ? from : to);
        called = -1;
        return this;
    }

    Ops granted(String client) {
        return granted(client, 0);
    }

    Ops granted(String client, long token) {
        return add(client, ACQUIRE, EXCLUSIVE, 1, token, Outcome.GRANTED);
    }

    Ops acquireUnknown(String client) {
        return add(client, ACQUIRE, EXCLUSIVE, 1, 0, Outcome.UNKNOWN);
    }

    Ops refused(String client) {
        return add(client, TRY_ACQUIRE, EXCLUSIVE, 1, 0, Outcome.REFUSED);
    }

    Ops timedOut(String client) {
        return add(client, ACQUIRE, EXCLUSIVE, 1, 0, Outcome.TIMED_OUT);
    }

    Ops release(String client, Outcome outcome) {
        return release(client, 0, outcome);
    }

    Ops release(String client, long token, Outcome outcome) {
        return add(client, RELEASE, EXCLUSIVE, 1, token, outcome);
    }

    Ops renew(String client, Outcome outcome) {
        return add(client, RENEW, EXCLUSIVE, 1, 0, outcome);
    }

    Ops lost(String client) {
        return lost(client, 0);
    }

    Ops lost(String client, long token) {
        return add(client, LOSE, EXCLUSIVE, 1, token, Outcome.LOST);
    }

    Ops reads(String client) {
        return add(client, ACQUIRE, SHARED, 1, 0, Outcome.GRANTED);
    }

    Ops readRefused(String client) {
        return add(client, TRY_ACQUIRE, SHARED, 1, 0, Outcome.REFUSED);
    }

    Ops readReleased(String client) {
        return add(client, RELEASE, SHARED, 1, 0, Outcome.DONE);
    }

    Ops takes(String client, int permits) {
        return add(client, ACQUIRE, EXCLUSIVE, permits, 0, Outcome.GRANTED);
    }

    Ops gives(String client, int permits) {
        return add(client, RELEASE, EXCLUSIVE, permits, 0, Outcome.DONE);
    }

    History history() {
        return History.of(operations);
    }

    Verdict judge(Model<?> model) {
        return LinearizabilityChecker.check(history(), model);
    }
}
