package io.holdfast.faults.report;

import static java.util.stream.Collectors.joining;

import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.judge.Evidence;
import io.holdfast.faults.judge.Figures;
import io.holdfast.faults.judge.Judge;
import io.holdfast.faults.judge.LogReader.Footprint;
import io.holdfast.faults.judge.Violation;
import io.holdfast.faults.nemesis.FaultKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** The figures under the table, and the one line at the end. */
public final class Summary {
    private static final int SHOWN = 3;
    private static final long LOSS_GOAL_NANOS = 5_000_000L;
    private static final int MORE_THREADS = 2;
    private static final long MORE_HEAP = 5_000_000L;

    private Summary() {}

    public static List<String> figures(
            Evidence evidence, Figures figures, List<Violation> violations, List<Footprint> footprints) {
        List<String> lines = new ArrayList<>();
        List<Long> handOvers = figures.handOvers();
        List<Long> lossSignals = figures.lossSignals();
        lines.add("hand-over after kill -9 of a holder, to processes that ran: " + spread(handOvers) + "; lease "
                + evidence.lease().toMillis() + " ms, goal p99 <= lease + 250 ms with 200 or more: "
                + goal(handOvers, evidence.lease().toNanos() + 250_000_000L, 200)
                + Arrays.stream(Workload.values())
                        .filter(workload -> !figures.handOvers(workload).isEmpty())
                        .map(workload -> "; " + workload.id()
                                + (workload == Workload.SEVERAL
                                        ? ", not among these since one waits for the other too: "
                                        : ": ")
                                + spread(figures.handOvers(workload)))
                        .collect(joining()));
        lines.add(
                evidence.signalsLoss()
                        ? "loss told after the deadline, of processes that ran: " + spread(lossSignals)
                                + "; goal p99 <= 5 ms with idle cores and 20 or more: "
                                + goal(lossSignals, LOSS_GOAL_NANOS, 20) + ", the latest <= 5 ms: "
                                + goal(lossSignals, LOSS_GOAL_NANOS, 1, 1) + "; told of a loss in all: "
                                + figures.losses()
                        : "loss told: no such signal; the holder asked before each write, at the price of a round trip");
        lines.add("recovery after failover: "
                + spread(Arrays.stream(FaultKind.values())
                        .filter(FaultKind::isFailover)
                        .flatMap(kind -> Arrays.stream(Workload.values())
                                .flatMap(workload -> figures.recovery(workload, kind).stream()))
                        .toList()));
        lines.add("those who waited for a latch knew that it was open after: " + spread(figures.wakeUps()));
        lines.add("waits longer than meant: " + spread(figures.overtimes()) + "; asked in vain since the store did not"
                + " answer or refused: " + figures.errors());
        for (Violation.Kind kind : List.of(
                Violation.Kind.WAITER_LOST,
                Violation.Kind.WOKEN_EARLY,
                Violation.Kind.WAKE_UP_LOST,
                Violation.Kind.LEADER_LATE,
                Violation.Kind.NOT_FREE,
                Violation.Kind.PERMITS_LOST,
                Violation.Kind.KEYS_LEFT,
                Violation.Kind.STUCK)) {
            lines.add(kind.text() + ": "
                    + violations.stream().filter(each -> each.kind() == kind).count());
        }
        lines.add("writes refused for their tokens: " + figures.refusedWrites());
        lines.add("a client that lived all the time: "
                + (footprints.size() < 2
                        ? "not measured"
                        : text(footprints.get(0)) + " at the beginning, " + text(footprints.get(footprints.size() - 1))
                                + " at the end; goal as many, but for " + MORE_THREADS + " threads and "
                                + MORE_HEAP / 1_000_000 + " MB: "
                                + (isAsBefore(footprints.get(0), footprints.get(footprints.size() - 1))
                                        ? "reached"
                                        : "missed")));
        return lines;
    }

    /** Threads for listeners come and go, and the heap has what is about to be collected; a leak of an hour is more. */
    private static boolean isAsBefore(Footprint first, Footprint last) {
        return last.threads() <= first.threads() + MORE_THREADS && last.heap() <= first.heap() + MORE_HEAP;
    }

    private static String text(Footprint footprint) {
        return String.format(
                Locale.ROOT, "%d threads and %.1f MB of heap", footprint.threads(), footprint.heap() / 1e6);
    }

    private static String spread(List<Long> nanos) {
        return nanos.isEmpty()
                ? "none"
                : nanos.size() + " times, p50 " + Cells.millis(Figures.percentile(nanos, 0.5)) + ", p99 "
                        + Cells.millis(Figures.percentile(nanos, 0.99)) + ", at most "
                        + Cells.millis(Figures.percentile(nanos, 1));
    }

    private static String goal(List<Long> nanos, long limit, int number) {
        return goal(nanos, limit, number, 0.99);
    }

    private static String goal(List<Long> nanos, long limit, int number, double part) {
        return nanos.size() < number
                ? "too few to tell"
                : Figures.percentile(nanos, part) <= limit ? "reached" : "missed";
    }

    /** What was broken, by kind, with the first of each. */
    public static List<String> broken(List<Violation> violations) {
        List<String> lines = new ArrayList<>();
        Judge.byKind(violations).forEach((kind, all) -> {
            long inside = all.stream().filter(Violation::inside).count();
            lines.add(kind.text() + ": " + inside + " inside the model, " + (all.size() - inside) + " outside");
            all.stream()
                    .sorted(Comparator.comparing(each -> !each.inside()))
                    .limit(SHOWN)
                    .forEach(each -> lines.add("  " + (each.inside() ? "inside: " : "outside: ") + each.text()));
        });
        return lines;
    }

    /** The line of one run. */
    public static String line(String what, Evidence evidence, List<Violation> violations, long nanos) {
        long inside = violations.stream().filter(Violation::inside).count();
        String kinds = Judge.byKind(
                        violations.stream().filter(Violation::inside).toList())
                .entrySet()
                .stream()
                .map(each -> each.getValue().size() + " " + each.getKey().text())
                .collect(joining(", ", " (", ")"));
        return String.format(
                Locale.ROOT,
                "%s: %d faults, %,d requests, %d violations%s, %d overlaps outside the model; %.0f s",
                what,
                evidence.injections().size() - 1,
                evidence.attempts().size(),
                inside,
                inside == 0 ? "" : kinds,
                violations.stream()
                        .filter(each -> each.kind() == Violation.Kind.OVERLAP && !each.inside())
                        .count(),
                nanos / 1e9);
    }
}
