package io.holdfast.benchmarks;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.report.Results;
import io.holdfast.benchmarks.workloads.Workload;
import io.holdfast.benchmarks.workloads.Workloads;
import io.holdfast.servers.RedisServer;
import java.io.IOException;
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

    @Option(names = "--seconds", description = "time of one measurement (default: 5, quick 1.5)")
    private @Nullable Double seconds;

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
        Duration expected = plan.expected();
        System.out.printf(
                "%d measurements, about %d min %02d s%n",
                plan.steps().size(), expected.toMinutes(), expected.toSecondsPart());
        try (RedisServer server = RedisServer.start()) {
            Results results = new Runner(server, System.out).run(plan);
            Report report = new Report(plan, results, Machine.describe(server));
            System.out.println();
            System.out.print(report.text());
            report.write(output);
            System.out.println("\nwritten to " + output + ": results.txt, results.json, results.svg");
            return results.troubles().isEmpty() ? 0 : 1;
        }
    }

    private Plan plan() {
        List<Workload> workloads = quick ? Workloads.quick() : Workloads.all();
        List<Contender> chosen = quick ? Contenders.quick() : Contenders.all();
        double time = seconds != null ? seconds : quick ? 1.5 : 5;
        return new Plan(
                only == null ? workloads : Workloads.only(only),
                contenders == null
                        ? chosen
                        : contenders.stream().map(Contenders::named).toList(),
                rounds != null ? rounds : quick ? 3 : 5,
                Duration.ofMillis(Math.round(time * 1000)));
    }
}
