package io.holdfast.simulation;

import io.holdfast.simulation.load.Setup;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** What the reader of a campaign sees. */
final class Report {
    private final PrintStream out;
    private final String commit;

    Report(PrintStream out, String commit) {
        this.out = out;
        this.commit = commit;
    }

    void hits(Campaign.Outcome outcome) {
        out.println("How often each fault of docs/faults.md came true:");
        StringBuilder line = new StringBuilder();
        for (int fault : Catalogue.of(outcome.topology())) {
            line.append(String.format("%4d:%-8d", fault, outcome.hits().count(fault)));
            if (line.length() > 90) {
                out.println(line);
                line.setLength(0);
            }
        }
        out.println(line);
        if (!outcome.missed().isEmpty()) {
            out.println("Faults that never came true: " + outcome.missed());
        }
    }

    /** The failed run, made as small as it can be. */
    void failure(Run.Result failed) {
        out.println("FAILED at seed " + failed.seed() + " of commit " + commit + ": " + message(failed));
        out.println("Looking for the smallest run that fails like this...");
        Run.Result small = Shrinker.shrink(failed);
        Setup setup = Setup.of(small.seed(), small.topology());
        List<Setup.Planned> faults = setup.faults().stream()
                .filter(planned -> small.mask().keepsFault(planned.index()))
                .toList();
        out.println();
        out.println(setup.clients() + " clients with " + setup.actors() + " threads each, lease "
                + setup.leaseMillis() + " ms, command time-out " + setup.timeoutMillis() + " ms, "
                + small.calls() + " calls; faults: "
                + faults.stream().map(planned -> planned.fault().name()).toList());
        small.timeline().forEach(line -> out.println("  " + line));
        out.println();
        out.println(message(small));
        out.println("Whole: ./simulation/run --topology " + topology(small) + " --seed " + small.seed() + " --trace");
        if (!small.mask().toString().isEmpty()) {
            out.println("Small: ./simulation/run --topology " + topology(small) + " --seed " + small.seed()
                    + " --trace --without " + small.mask());
        }
    }

    private static String topology(Run.Result result) {
        return result.topology().name().toLowerCase(Locale.ROOT);
    }

    private static String message(Run.Result failed) {
        return String.valueOf(failed.problem());
    }

    void trace(Run.Result result) {
        result.timeline().forEach(out::println);
        out.printf(
                "seed %d: %s, %d calls, %d events, trace hash %016x%n",
                result.seed(), result.failed() ? message(result) : "ok", result.calls(), result.steps(), result.hash());
    }

    void summary(Campaign.Outcome outcome) {
        out.printf(
                "%s: %,d seeds, %,d calls, %,d events, %d violations, %,d overlaps outside the timing model,"
                        + " %,d locks passed on within a client and %,d taken again, %,d taken by force, %.1f s%n",
                outcome.passed() ? "PASSED" : "FAILED",
                outcome.seeds(),
                outcome.calls(),
                outcome.steps(),
                outcome.failed() == null ? 0 : 1,
                outcome.overlaps(),
                outcome.hits().timesPassedOn(),
                outcome.hits().timesTakenAgain(),
                outcome.hits().timesTakenByForce(),
                outcome.took().toMillis() / 1e3);
    }
}
