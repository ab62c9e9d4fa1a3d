package io.holdfast.testkit.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Judges whether a history is linearizable: whether every operation can be given one moment between its call and its
 * return at which it took effect, such that the model allows them in that order.
 *
 * <pre>{@code
 * Verdict verdict = LinearizabilityChecker.check(recorder.history(), new MutexModel());
 * assertThat(verdict.isOk()).as(verdict.report()).isTrue();
 * }</pre>
 */
public final class LinearizabilityChecker {
    /** How many configurations are looked at for one lock by default: some hundred megabytes at the worst. */
    private static final long BUDGET = 500_000;

    private LinearizabilityChecker() {}

    /** Judges it, and gives up rather than take all the memory. */
    public static Verdict check(History history, Model<?> model) {
        return check(history, model, BUDGET);
    }

    /**
     * Judges it.
     *
     * @param budget how many configurations to look at, for one lock, before giving up
     */
    public static Verdict check(History history, Model<?> model, long budget) {
        return judge(history, model, budget);
    }

    private static <S> Verdict judge(History history, Model<S> model, long budget) {
        Map<String, List<Operation>> parts = new TreeMap<>();
        for (Operation operation : history.operations()) {
            parts.computeIfAbsent(model.partition(operation), any -> new ArrayList<>())
                    .add(operation);
        }
        Failure<S> first = null;
        List<String> undecided = new ArrayList<>();
        for (Map.Entry<String, List<Operation>> part : parts.entrySet()) {
            Timeline timeline = Timeline.of(part.getValue());
            Search<S> search = new Search<>(model, timeline, budget);
            switch (search.run()) {
                case FOUND -> {}
                case GAVE_UP -> undecided.add(part.getKey());
                case NONE -> {
                    Failure<S> failure = Failure.shortest(model, timeline, search, budget);
                    first = first == null || failure.time() < first.time() ? failure : first;
                }
            }
        }
        if (first != null) {
            return new Verdict(Verdict.Kind.FAILED, first.operations(), first.report());
        }
        if (!undecided.isEmpty()) {
            String report = "Gave up on " + undecided + " after " + budget + " configurations: nothing is known of it.";
            return new Verdict(Verdict.Kind.GAVE_UP, List.of(), report);
        }
        return new Verdict(Verdict.Kind.OK, List.of(), "Linearizable.");
    }
}
