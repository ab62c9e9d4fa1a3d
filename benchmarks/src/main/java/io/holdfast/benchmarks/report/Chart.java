package io.holdfast.benchmarks.report;

import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.measure.Metric;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/** Bars of the main metric of each workload, as SVG that is readable on light and on dark pages. */
public final class Chart {
    private static final int WIDTH = 820;
    private static final int LEFT = 125;
    private static final int BAR_SPACE = 545;
    private static final int ROW = 24;
    private static final int HEAD = 44;
    /** From this ratio of largest to smallest on, small bars could not be told apart on a linear scale. */
    private static final double LOG_FROM = 20;

    private static final String STYLE = "<style>\n"
            + "text { font: 13px system-ui, sans-serif; fill: #1f2328 }\n"
            + ".title { font-weight: 600 }\n"
            + ".small { font-size: 11px; fill: #59636e }\n"
            + ".page { fill: #ffffff } .bar { fill: #8c959f } .ours { fill: #0969da }\n"
            + "@media (prefers-color-scheme: dark) {\n"
            + "text { fill: #f0f6fc } .small { fill: #9198a1 }\n"
            + ".page { fill: #0d1117 } .bar { fill: #656c76 } .ours { fill: #4493f8 }\n"
            + "}\n</style>\n";

    private final StringBuilder body = new StringBuilder();
    private int y = 10;

    private Chart() {}

    /** The bars of one workload, and by contender what must be known beside the bar, or instead of one. */
    public record Group(String title, Metric metric, List<Results.Line> lines, Map<String, String> notes) {}

    /** The whole picture; the footer says where it was measured. */
    public static String of(List<Group> groups, List<String> footer) {
        Chart chart = new Chart();
        groups.forEach(chart::add);
        chart.y += 10;
        for (String line : footer) {
            chart.y += 16;
            chart.text(10, chart.y, "small", line);
        }
        int height = chart.y + 16;
        return String.format(
                        Locale.ROOT,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">%n",
                        WIDTH,
                        height,
                        WIDTH,
                        height)
                + STYLE
                + "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n"
                + chart.body
                + "</svg>\n";
    }

    private void add(Group group) {
        double max =
                group.lines().stream().mapToDouble(Results.Line::median).max().orElse(1);
        double min =
                group.lines().stream().mapToDouble(Results.Line::median).min().orElse(1);
        boolean log = min > 0 && max / min >= LOG_FROM;
        Function<Double, Double> length = log
                // Half a decade below the smallest, so that this one has a bar too.
                ? value -> Math.log10(value / min * 3) / Math.log10(max / min * 3)
                : value -> max > 0 ? value / max : 0;
        text(10, y + 20, "title", group.title());
        text(10, y + 36, "small", subtitle(group.metric(), log));
        y += HEAD;
        for (Results.Line line : group.lines()) {
            bar(line, length.apply(line.median()) * BAR_SPACE, group.notes().getOrDefault(line.contender(), ""));
        }
        Set<String> left = new TreeSet<>(group.notes().keySet());
        group.lines().forEach(line -> left.remove(line.contender()));
        for (String contender : left) {
            text(10, y + 15, "name", contender);
            text(LEFT, y + 15, "value", group.notes().getOrDefault(contender, ""));
            y += ROW;
        }
        y += 12;
    }

    private static String subtitle(Metric metric, boolean log) {
        String better = metric == Metric.THROUGHPUT ? "more is better" : "less is better";
        return metric.text() + ", " + better + (log ? ", logarithmic scale" : "");
    }

    private void bar(Results.Line line, double length, String note) {
        text(10, y + 15, "name", line.contender());
        body.append(String.format(
                Locale.ROOT,
                "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>%n",
                Contenders.isOurs(line.contender()) ? "ours" : "bar",
                LEFT,
                y + 2,
                Math.max(1, length),
                ROW - 6));
        text(LEFT + (int) length + 8, y + 15, "value", (Table.number(line.median()) + " " + note).strip());
        y += ROW;
    }

    private void text(int x, int atY, String style, String text) {
        body.append(String.format(
                Locale.ROOT, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>%n", style, x, atY, escape(text)));
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
