package io.holdfast.benchmarks.report;

import io.holdfast.benchmarks.measure.Metric;
import java.util.List;
import java.util.Locale;

/** The results of one workload, as text. */
public final class Table {
    private static final String ROW = "%-32s %-15s %12s %12s %12s %10s%n";

    private Table() {}

    /** One row for each metric and contender; metrics are parted by an empty line. */
    public static String of(String title, List<Results.Line> lines) {
        StringBuilder text = new StringBuilder(title).append(System.lineSeparator());
        text.append(String.format(ROW, "", "", "median", "min", "max", "to ours"));
        Metric last = null;
        for (Results.Line line : lines) {
            boolean first = line.metric() != last;
            if (first && last != null) {
                text.append(System.lineSeparator());
            }
            last = line.metric();
            Double ratio = line.ratioToOurs();
            text.append(String.format(
                    ROW,
                    first ? line.metric().text() : "",
                    line.contender(),
                    number(line.median()),
                    number(line.min()),
                    number(line.max()),
                    ratio == null ? "-" : number(ratio) + "x"));
        }
        return text.toString();
    }

    /** About three digits, without exponents. */
    public static String number(double value) {
        double size = Math.abs(value);
        if (size >= 100 || value == 0) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, size >= 10 ? "%.1f" : size >= 0.1 ? "%.2f" : "%.4f", value);
    }
}
