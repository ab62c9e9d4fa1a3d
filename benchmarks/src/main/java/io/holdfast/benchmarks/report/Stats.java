package io.holdfast.benchmarks.report;

import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The little arithmetic there is. */
public final class Stats {
    private Stats() {}

    /** The middle one, or the mean of the middle two. */
    public static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    /** The one that a tenth of all are smaller than. */
    public static double lowerTenth(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 10);
    }

    public static double min(List<Double> values) {
        return Collections.min(values);
    }

    public static double max(List<Double> values) {
        return Collections.max(values);
    }

    /** Theirs over ours; null where that is no number. */
    public static @Nullable Double ratio(double theirs, double ours) {
        double ratio = theirs / ours;
        return Double.isFinite(ratio) ? ratio : null;
    }
}
