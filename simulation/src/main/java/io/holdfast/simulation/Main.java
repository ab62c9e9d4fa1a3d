package io.holdfast.simulation;

import io.holdfast.simulation.load.Mask;
import io.holdfast.simulation.load.Topology;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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
    private @org.jspecify.annotations.Nullable Long seed;

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

    @Override
    public Integer call() throws InterruptedException {
        Report report = new Report(System.out, System.getProperty("holdfast.commit", "unknown"));
        if (seed != null) {
            Run.Result result = Run.of(seed, topology, Mask.parse(without), trace);
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
}
