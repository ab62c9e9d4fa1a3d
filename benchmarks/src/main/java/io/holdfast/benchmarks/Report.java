package io.holdfast.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.benchmarks.report.Chart;
import io.holdfast.benchmarks.report.Goals;
import io.holdfast.benchmarks.report.Json;
import io.holdfast.benchmarks.report.Results;
import io.holdfast.benchmarks.report.Table;
import io.holdfast.benchmarks.workloads.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Everything that is left of a run. */
record Report(Plan plan, Results results, String machine) {

    String text() {
        StringBuilder text = new StringBuilder(header());
        for (Workload workload : plan.workloads()) {
            text.append('\n').append(Table.of(workload.name() + " - " + workload.title(), lines(workload)));
        }
        List<Goals.Outcome> goals = Goals.judge(results);
        if (!goals.isEmpty()) {
            text.append("\nGOALS\n");
            goals.forEach(goal -> text.append(goal).append('\n'));
        }
        if (!results.troubles().isEmpty()) {
            text.append("\nTROUBLES\n");
            results.troubles().forEach(trouble -> text.append(trouble).append('\n'));
        }
        return text.toString();
    }

    private String header() {
        StringBuilder text = new StringBuilder(machine + "\n" + settings() + "\n");
        plan.contenders().stream()
                .filter(contender -> plan.workloads().stream()
                        .anyMatch(workload -> plan.admitted(workload).contains(contender)))
                .forEach(contender ->
                        text.append(String.format("  %-15s %s%n", contender.name(), contender.description())));
        return text.toString();
    }

    private String settings() {
        return "median of " + plan.rounds() + " rounds of " + plan.time().toMillis() + " ms each, contenders in turn";
    }

    private List<Results.Line> lines(Workload workload) {
        return results.lines().stream()
                .filter(line -> line.workload().equals(workload.name()))
                .toList();
    }

    String chart() {
        return Chart.of(plan.workloads().stream().map(this::group).toList(), List.of(machine, settings()));
    }

    private Chart.Group group(Workload workload) {
        List<Results.Line> main = lines(workload).stream()
                .filter(line -> line.metric() == workload.main())
                .toList();
        Map<String, String> notes = new TreeMap<>();
        results.troubles().stream()
                .filter(trouble -> trouble.workload().equals(workload.name()))
                .forEach(trouble -> notes.put(trouble.contender(), trouble.what()));
        return new Chart.Group(workload.title(), workload.main(), main, notes);
    }

    void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("results.txt"), text(), UTF_8);
        Files.writeString(folder.resolve("results.json"), Json.of(results.lines(), Goals.judge(results)), UTF_8);
        Files.writeString(folder.resolve("results.svg"), chart(), UTF_8);
    }
}
