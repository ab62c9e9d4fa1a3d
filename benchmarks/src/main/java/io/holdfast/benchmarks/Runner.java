package io.holdfast.benchmarks;

import io.holdfast.benchmarks.measure.Metric;
import io.holdfast.benchmarks.report.Results;
import io.holdfast.benchmarks.report.Table;
import io.holdfast.benchmarks.workloads.Servers;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;

/** Takes the steps of a plan, one after the other. */
final class Runner {
    private final Servers servers;
    private final PrintStream progress;

    Runner(Servers servers, PrintStream progress) {
        this.servers = servers;
        this.progress = progress;
    }

    Results run(Plan plan) {
        Results results = new Results();
        plan.workloads()
                .forEach(workload -> plan.admitted(workload)
                        .forEach(contender -> results.expect(workload.name(), contender.name())));
        List<Plan.Step> steps = plan.steps();
        for (int i = 0; i < steps.size(); i++) {
            Plan.Step step = steps.get(i);
            String what = step.counts() ? "round " + step.round() : "warm-up";
            progress.printf(
                    "[%d/%d] %s, %s, %s: ",
                    i + 1,
                    steps.size(),
                    step.workload().name(),
                    what,
                    step.contender().name());
            progress.flush();
            progress.println(take(step, plan, results));
        }
        return results;
    }

    /** A contender that fails, in whatever way, is told of and does not end the run; also in the warm-up. */
    private String take(Plan.Step step, Plan plan, Results results) {
        String workload = step.workload().name();
        String contender = step.contender().name();
        try {
            servers.redis().flushAll();
            Map<Metric, Double> measured = step.workload().measure(step.contender(), servers, plan.time());
            results.judge(workload, contender, measured);
            if (step.counts()) {
                results.add(workload, contender, measured);
            }
            Metric main = step.workload().main();
            return Table.number(measured.getOrDefault(main, Double.NaN)) + " (" + main.text() + ")";
        } catch (RuntimeException e) {
            results.fail(workload, contender, e);
            return "failed: " + e;
        }
    }
}
