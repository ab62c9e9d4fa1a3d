package io.holdfast.simulation;

import io.holdfast.simulation.load.Mask;
import io.holdfast.simulation.load.Topology;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line: {@code ./simulation/run}. */
@Command(
        name = "./simulation/run",
        mixinStandardHelpOptions = true,
        description = "Runs the lock under virtual time, with faults drawn from seeds.",
        subcommands = io.holdfast.simulation.mutants.MutantsCommand.class)
public final class Main implements Callable<Integer> {
    @Option(names = "--seeds", defaultValue = "1000", description = "how many (default: ${DEFAULT-VALUE})")
    private long seeds;

    @Option(names = "--from", defaultValue = "1", description = "the first (default: ${DEFAULT-VALUE})")
    private long from;

    @Option(names = "--seed", description = "one seed only")
    private @Nullable Long seed;

    @Option(names = "--trace", description = "with --seed: print everything that happens")
    private boolean trace;

    @Option(
            names = "--without",
            defaultValue = "",
            description = "with --seed: what to leave out, as a failure tells it")
    private String without = "";

    @Option(
            names = "--topology",
            defaultValue = "SINGLE",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private Topology topology = Topology.SINGLE;

    @Option(names = "--threads", description = "runs at once (default: one for each core)")
    private int threads = Runtime.getRuntime().availableProcessors();

    public static void main(String[] args) {
        System.exit(new CommandLine(new Main())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(args));
    }

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        refuse(seeds < 1, "--seeds " + seeds + " is less than 1");
        refuse(threads < 1, "--threads " + threads + " is less than 1");
        refuse(seed == null && (trace || !without.isEmpty()), "--trace and --without need --seed");
        Report report = new Report(System.out, System.getProperty("holdfast.commit", "unknown"));
        if (seed != null) {
            Run.Result result = Run.of(seed, topology, mask(), trace);
            report.trace(result);
            return result.failed() ? 1 : 0;
        }
        System.out.printf("%,d seeds from %,d, topology %s, on %d threads%n", seeds, from, topology, threads);
        Campaign.Outcome outcome = Campaign.run(topology, from, seeds, threads, System.out);
        report.hits(outcome);
        Run.Result failed = outcome.failed();
        if (failed != null) {
            report.failure(failed);
        }
        report.summary(outcome);
        return outcome.passed() ? 0 : 1;
    }

    private Mask mask() {
        try {
            return Mask.parse(without);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--without: " + e.getMessage(), e);
        }
    }

    private void refuse(boolean wrong, String why) {
        if (wrong) {
            throw new ParameterException(spec.commandLine(), why);
        }
    }
}
