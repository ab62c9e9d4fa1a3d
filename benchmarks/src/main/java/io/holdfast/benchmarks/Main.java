package io.holdfast.benchmarks;

import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.report.Results;
import io.holdfast.benchmarks.workloads.Servers;
import io.holdfast.benchmarks.workloads.Workloads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command line: {@code ./benchmarks/run}. */
@Command(
        name = "./benchmarks/run",
        mixinStandardHelpOptions = true,
        description = "Measures Holdfast and other locks in turn, on a Redis server of its own.")
public final class Main implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--quick", description = "the main workloads and contenders, in less than five minutes")
    private boolean quick;

    @Option(names = "--only", split = ",", description = "workloads by the start of their names, such as a,c16")
    private @Nullable List<String> only;

    @Option(names = "--contenders", split = ",", description = "contenders by name")
    private @Nullable List<String> contenders;

    @Option(names = "--rounds", description = "rounds that count (default: 5, quick 3)")
    private @Nullable Integer rounds;

    @Option(names = "--seconds", description = "time of one measurement (default: 3, quick 1.5)")
    private @Nullable Double seconds;

    @Option(
            names = "--redis",
            description = "the redis-server to run (default: one of version 7.0 that comes along, built with musl)")
    private @Nullable Path redis;

    @Option(
            names = "--output",
            defaultValue = "benchmarks/target",
            description = "folder of the results (default: ${DEFAULT-VALUE})")
    private Path output = Path.of("benchmarks/target");

    public static void main(String[] args) {
        System.exit(new CommandLine(new Main()).execute(args));
    }

    @Override
    public Integer call() throws IOException {
        Plan plan;
        try {
            plan = plan();
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        if (redis != null && !Files.isExecutable(redis)) {
            throw new CommandLine.ParameterException(spec.commandLine(), "--redis " + redis + " is no program");
        }
        Duration expected = plan.expected();
        System.out.printf(
                "%d measurements, about %d min %02d s%n",
                plan.steps().size(), expected.toMinutes(), expected.toSecondsPart());
        try (Servers servers = Servers.start(redis)) {
            Results results = new Runner(servers, System.out).run(plan);
            Report report = new Report(plan, results, Machine.describe(servers.redis()));
            System.out.println();
            System.out.print(report.text());
            report.write(output);
            System.out.println("\nwritten to " + output + ": results.txt, results.json, results.svg");
            return results.troubles().isEmpty() ? 0 : 1;
        }
    }

    private Plan plan() {
        Plan usual = quick ? Plan.quick() : Plan.full();
        return new Plan(
                only == null ? usual.workloads() : Workloads.only(only),
                contenders == null
                        ? usual.contenders()
                        : contenders.stream().map(Contenders::named).toList(),
                rounds == null ? usual.rounds() : rounds,
                seconds == null ? usual.time() : Duration.ofMillis(Math.round(seconds * 1000)));
    }
}
