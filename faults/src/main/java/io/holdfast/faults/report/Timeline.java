package io.holdfast.faults.report;

import io.holdfast.faults.contender.Mode;
import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.judge.Attempt;
import io.holdfast.faults.judge.Evidence;
import io.holdfast.faults.nemesis.FaultKind;
import io.holdfast.faults.nemesis.Injection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Who held the plain lock around each kind of fault: a panel for each kind, a row for each process, time from left to right.
 * An SVG that is readable on light and on dark pages.
 */
public final class Timeline {
    private static final int WIDTH = 900;
    private static final int LEFT = 70;
    private static final int SPACE = 810;
    private static final int ROW = 16;
    private static final long BEFORE = 1_000_000_000L;
    private static final long AFTER = 3_000_000_000L;

    private static final String STYLE = "<style>\n"
            + "text { font: 12px system-ui, sans-serif; fill: #1f2328 } .title { font-weight: 600 }\n"
            + ".small { font-size: 10px; fill: #59636e } .page { fill: #ffffff } .fault { fill: #ff818266 }\n"
            + ".wait { fill: #d1d9e0 } .lease { fill: #80ccff } .held { fill: #0969da } .lost { fill: #cf222e }\n"
            + ".fenced { fill: #9a6700 }\n"
            + "@media (prefers-color-scheme: dark) {\n"
            + "text { fill: #f0f6fc } .small { fill: #9198a1 } .page { fill: #0d1117 } .wait { fill: #3d444d }\n"
            + ".lease { fill: #1f4f8f } .held { fill: #4493f8 } .lost { fill: #f85149 } .fenced { fill: #d29922 }\n"
            + "}\n</style>\n";

    private final Evidence evidence;
    private final StringBuilder body = new StringBuilder();
    private int y = 24;

    private Timeline(Evidence evidence) {
        this.evidence = evidence;
    }

    public static String of(Evidence evidence, String title) {
        Timeline timeline = new Timeline(evidence);
        timeline.text(10, timeline.y, "title", title + ": who held the plain lock around each kind of fault");
        timeline.y += 16;
        timeline.text(
                10,
                timeline.y,
                "small",
                "grey: waits; blue: holds; light blue: the lease it still had when it let go, or was killed; red mark: told"
                        + " of its loss; brown mark: write refused; red area: the fault");
        timeline.y += 14;
        for (FaultKind kind : FaultKind.values()) {
            timeline.sample(kind).ifPresent(timeline::panel);
        }
        return String.format(
                        Locale.ROOT,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">%n",
                        WIDTH,
                        timeline.y + 10,
                        WIDTH,
                        timeline.y + 10)
                + STYLE
                + "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n"
                + timeline.body
                + "</svg>\n";
    }

    /** Of each kind the one in which most was lost or refused, or else the longest. */
    private Optional<Injection> sample(FaultKind kind) {
        return evidence.injections().stream()
                .filter(each -> each.kind() == kind && kind != FaultKind.NONE)
                .max(Comparator.<Injection>comparingLong(each -> eventful(each))
                        .thenComparingLong(each -> each.end() - each.start()));
    }

    private long eventful(Injection injection) {
        return around(injection)
                .filter(each -> each.lost() != Attempt.NEVER
                        || each.fenced() != Attempt.NEVER
                        || (each.worker().equals(injection.target())
                                && heldUntil(each) >= injection.start()
                                && each.granted() <= injection.start()))
                .count();
    }

    private Stream<Attempt> around(Injection injection) {
        return evidence.attempts().stream()
                .filter(each ->
                        each.wish().workload() == Workload.LOCK && each.wish().mode() == Mode.ALONE)
                .filter(each -> each.asked() < injection.end() + AFTER && endOf(each) > injection.start() - BEFORE);
    }

    private long heldUntil(Attempt attempt) {
        return attempt.heldUntil(evidence.killed(attempt.worker()));
    }

    /** When all of it was over: the wait, the hold, or the lease that nobody gave back. */
    private long endOf(Attempt attempt) {
        if (!attempt.isGranted()) {
            return Math.min(attempt.gaveUp(), evidence.killed(attempt.worker()));
        }
        return Math.max(heldUntil(attempt), attempt.until() == Attempt.NEVER ? 0 : attempt.until());
    }

    private void panel(Injection injection) {
        long from = injection.start() - BEFORE;
        long to = injection.end() + AFTER;
        List<Attempt> shown = around(injection).toList();
        List<String> workers =
                shown.stream().map(Attempt::worker).distinct().sorted().toList();
        y += 20;
        text(
                10,
                y,
                "title",
                injection.kind().text() + (injection.target().isEmpty() ? "" : " (" + injection.target() + ")"));
        y += 6;
        box(
                "fault",
                from,
                to,
                injection.start(),
                Math.max(injection.end(), injection.start() + (to - from) / 400),
                y,
                workers.size() * ROW,
                "");
        for (String worker : workers) {
            text(10, y + 12, "small", worker);
            for (Attempt attempt : shown) {
                if (attempt.worker().equals(worker)) {
                    row(attempt, from, to);
                }
            }
            y += ROW;
        }
        text(LEFT, y + 10, "small", "-1 s");
        text(LEFT + SPACE - 30, y + 10, "small", String.format(Locale.ROOT, "+%.1f s", (to - injection.start()) / 1e9));
        y += 14;
    }

    private void row(Attempt attempt, long from, long to) {
        long killed = evidence.killed(attempt.worker());
        long waited = Math.min(killed, attempt.isGranted() ? attempt.granted() : attempt.gaveUp());
        box("wait", from, to, attempt.asked(), waited, y + 6, 4, "waits");
        if (!attempt.isGranted()) {
            return;
        }
        if (attempt.until() != Attempt.NEVER) {
            box("lease", from, to, attempt.granted(), attempt.until(), y + 4, 8, "lease");
        }
        box("held", from, to, attempt.granted(), heldUntil(attempt), y + 2, 12, attempt.toString());
        mark("lost", from, to, attempt.lost(), "told of its loss");
        mark("fenced", from, to, attempt.fenced(), "write refused");
    }

    private void mark(String style, long from, long to, long at, String title) {
        if (at != Attempt.NEVER) {
            box(style, from, to, at, at + (to - from) / 300, y, 14, title);
        }
    }

    private void box(String style, long from, long to, long start, long end, int top, int height, String title) {
        long left = Math.max(from, start);
        long right = Math.min(to, end);
        if (right <= left) {
            return;
        }
        body.append(String.format(
                Locale.ROOT,
                "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\">%s</rect>%n",
                style,
                x(from, to, left),
                top,
                Math.max(0.6, x(from, to, right) - x(from, to, left)),
                height,
                title.isEmpty() ? "" : "<title>" + escape(title) + "</title>"));
    }

    private static double x(long from, long to, long time) {
        return LEFT + (double) SPACE * (time - from) / (to - from);
    }

    private void text(int x, int atY, String style, String text) {
        body.append(String.format(
                Locale.ROOT, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>%n", style, x, atY, escape(text)));
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
