package io.holdfast.benchmarks.report;

import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.measure.Metric;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** All measurements of a run, by workload, contender and metric. Not thread safe. */
public final class Results {
    private final Map<String, Map<String, Map<Metric, List<Double>>>> values = new LinkedHashMap<>();
    private final List<Trouble> troubles = new ArrayList<>();

    /** One metric of one contender over all rounds; the ratio is missing where ours is missing or zero. */
    public record Line(
            String workload,
            String contender,
            Metric metric,
            double median,
            double min,
            double max,
            @Nullable Double ratioToOurs) {}

    /** Makes room, so that the tables have the order of these calls and not that of the measurements. */
    public void expect(String workload, String contender) {
        of(workload, contender);
    }

    /** What a contender did that a lock must not do. */
    public record Trouble(String workload, String contender, String what, String detail) {
        @Override
        public String toString() {
            return workload + ", " + contender + ": " + what + ", " + detail;
        }
    }

    /** Keeps one measurement. */
    public void add(String workload, String contender, Map<Metric, Double> measured) {
        measured.forEach((metric, value) -> of(workload, contender)
                .computeIfAbsent(metric, any -> new ArrayList<>())
                .add(value));
    }

    /** Finds out whether the lock did exclude and its leases lasted. Not only for measurements that count: a lock must hold in a warm-up too. */
    public void judge(String workload, String contender, Map<Metric, Double> measured) {
        double lost = measured.getOrDefault(Metric.LOST_UPDATES, 0.0);
        if (lost != 0) {
            String detail = String.format("%.0f updates went missing", lost);
            troubles.add(new Trouble(workload, contender, "DID NOT EXCLUDE", detail));
        }
        double leases = measured.getOrDefault(Metric.LOST_LEASES, 0.0);
        if (leases != 0) {
            troubles.add(new Trouble(
                    workload, contender, "LOST LEASES", String.format("%.0f of those it should have renewed", leases)));
        }
    }

    /** Keeps that a measurement came to nothing. */
    public void fail(String workload, String contender, Throwable failure) {
        of(workload, contender).merge(Metric.FAILED_ROUNDS, List.of(1.0), (old, one) -> List.of(old.get(0) + 1));
        troubles.add(new Trouble(workload, contender, "FAILED", failure.toString()));
    }

    private Map<Metric, List<Double>> of(String workload, String contender) {
        return values.computeIfAbsent(workload, any -> new LinkedHashMap<>())
                .computeIfAbsent(contender, any -> new TreeMap<>());
    }

    /** What nobody may overlook. */
    public List<Trouble> troubles() {
        return List.copyOf(troubles);
    }

    /** The median of what was measured; null if nothing was. */
    public @Nullable Double median(String workload, String contender, Metric metric) {
        List<Double> measured = values.getOrDefault(workload, Map.of())
                .getOrDefault(contender, Map.of())
                .get(metric);
        return measured == null ? null : Stats.median(measured);
    }

    /** The same of the one that is ours in that workload. */
    public @Nullable Double ours(String workload, Metric metric) {
        return values.getOrDefault(workload, Map.of()).keySet().stream()
                .filter(Contenders::isOurs)
                .findFirst()
                .map(contender -> median(workload, contender, metric))
                .orElse(null);
    }

    /** Everything, workload by workload, and in each metric by metric, so that contenders stand next to each other. */
    public List<Line> lines() {
        List<Line> lines = new ArrayList<>();
        values.forEach((workload, contenders) -> {
            for (Metric metric : Metric.values()) {
                contenders.forEach((contender, metrics) -> {
                    List<Double> measured = metrics.get(metric);
                    if (measured != null) {
                        lines.add(line(workload, contender, metric, measured));
                    }
                });
            }
        });
        return lines;
    }

    private Line line(String workload, String contender, Metric metric, List<Double> measured) {
        double median = Stats.median(measured);
        Double ours = ours(workload, metric);
        Double ratio = ours == null ? null : Stats.ratio(median, ours);
        return new Line(workload, contender, metric, median, Stats.min(measured), Stats.max(measured), ratio);
    }
}
