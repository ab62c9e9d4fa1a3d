package io.holdfast.faults.report;

import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.judge.Evidence;
import io.holdfast.faults.judge.Figures;
import io.holdfast.faults.judge.Violation;
import io.holdfast.faults.nemesis.FaultKind;
import io.holdfast.faults.nemesis.Injection;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The table: a row for each fault and workload. */
public final class Cells {
    private Cells() {}

    public static String table(
            Evidence evidence, Figures figures, List<Violation> violations, Set<Workload> workloads) {
        StringBuilder text = new StringBuilder(
                "| fault | injected | workload | granted | violations | outside the model | recovery p50 | p99 |\n"
                        + "|---|---|---|---|---|---|---|---|\n");
        for (FaultKind kind : FaultKind.values()) {
            long injected = evidence.injections().stream()
                    .filter(each -> each.kind() == kind)
                    .count();
            if (injected == 0) {
                continue;
            }
            boolean first = true;
            for (Workload workload : workloads) {
                List<Long> recovery = figures.recovery(workload, kind);
                text.append(String.format(
                        Locale.ROOT,
                        "| %s | %s | %s | %,d | %d | %d | %s | %s |%n",
                        first ? kind.text() + (kind.isOutside() ? " (outside the model)" : "") : "",
                        first ? kind == FaultKind.NONE ? "-" : String.valueOf(injected) : "",
                        workload.id(),
                        figures.grants(workload, kind),
                        count(evidence, violations, kind, workload, true),
                        count(evidence, violations, kind, workload, false),
                        kind == FaultKind.NONE ? "-" : millis(Figures.percentile(recovery, 0.5)),
                        kind == FaultKind.NONE ? "-" : millis(Figures.percentile(recovery, 0.99))));
                first = false;
            }
        }
        return text.toString();
    }

    /** Faults that exist and were not injected, so that nobody takes silence for a pass. */
    public static List<FaultKind> missing(Evidence evidence) {
        Set<FaultKind> seen =
                evidence.injections().stream().map(Injection::kind).collect(Collectors.toSet());
        return Arrays.stream(FaultKind.values())
                .filter(kind -> !seen.contains(kind))
                .toList();
    }

    /** A violation belongs to the last fault that had begun. */
    private static long count(
            Evidence evidence, List<Violation> violations, FaultKind kind, Workload workload, boolean inside) {
        return violations.stream()
                .filter(each -> each.workload() == workload && each.inside() == inside)
                .filter(each -> evidence.injections().stream()
                        .filter(injection -> injection.start() <= each.time())
                        .reduce((earlier, later) -> later)
                        .map(Injection::kind)
                        .orElse(FaultKind.NONE)
                        .equals(kind))
                .count();
    }

    /** A time in nanoseconds for people. */
    public static String millis(long nanos) {
        return nanos < 0 ? "-" : String.format(Locale.ROOT, nanos < 10_000_000 ? "%.1f ms" : "%.0f ms", nanos / 1e6);
    }
}
