package io.holdfast.testkit.history;

import java.util.List;

/**
 * What a checker says of a history.
 *
 * @param kind which it is
 * @param prefix if {@link Kind#FAILED}: the operations on one lock up to the first event after which no order fits; those
 *     that had not returned by then are open. Otherwise empty
 * @param report for people
 */
public record Verdict(Kind kind, List<Operation> prefix, String report) {

    /** The three answers. */
    public enum Kind {
        /** There is an order that the model allows. */
        OK,
        /** There is none. */
        FAILED,
        /** The search became too long: nothing is known. */
        GAVE_UP
    }

    /** Keeps its own list. */
    public Verdict {
        prefix = List.copyOf(prefix);
    }

    /** Whether the history is right; false also if the checker gave up. */
    public boolean isOk() {
        return kind == Kind.OK;
    }

    @Override
    public String toString() {
        return report;
    }
}
