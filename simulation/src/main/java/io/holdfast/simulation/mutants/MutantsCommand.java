package io.holdfast.simulation.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Hunts every planted bug and writes the table. */
@Command(
        name = "mutants",
        mixinStandardHelpOptions = true,
        description = "Plants every known bug, one at a time, and looks for the first seed that finds it.")
public final class MutantsCommand implements Callable<Integer> {
    static final String TABLE = "docs/mutants.md";

    @Option(
            names = "--seeds",
            defaultValue = "10000",
            description = "at most so many for each (default: ${DEFAULT-VALUE})")
    private long seeds;

    @Option(
            names = "--from",
            defaultValue = "1",
            description = "the first; with another than ${DEFAULT-VALUE} the table is not written")
    private long from;

    @Option(
            names = "--only",
            defaultValue = "",
            description = "those whose name contains this; the table is not written")
    private String only = "";

    @Option(names = "--on", defaultValue = "", description = "those for this topology; the table is not written")
    private String on = "";

    @Option(names = "--threads", description = "runs at once (default: one for each core)")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        Path root = Path.of("");
        StringBuilder table = new StringBuilder(HEAD);
        int escaped = 0;
        List<Mutant> mutants = Mutants.ALL.stream()
                .filter(mutant -> mutant.name().contains(only))
                .filter(mutant -> on.isEmpty() || mutant.on().equals(on))
                .toList();
        if (mutants.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "--only '" + only + "' --on '" + on + "': there is no such planted bug");
        }
        for (Mutant mutant : mutants) {
            Hunt.Trophy trophy = Hunt.hunt(root, mutant, from, seeds, threads);
            boolean found = trophy.seed() > 0;
            escaped += found ? 0 : 1;
            if (found && failsAnyway(mutant, trophy.seed())) {
                System.out.printf("seed %d fails without any planted bug%n", trophy.seed());
                return 1;
            }
            System.out.printf(
                    "%-75s %s%n", mutant.name(), found ? "seed " + trophy.seed() + "  " + trophy.message() : "ESCAPED");
            table.append("| ")
                    .append(mutant.name())
                    .append(" | ")
                    .append(mutant.on())
                    .append(" | ")
                    .append(found ? trophy.seed() : "none")
                    .append(" | ")
                    .append(trophy.invariant())
                    .append(" |\n");
        }
        if (only.isEmpty() && on.isEmpty() && from == 1) {
            Files.writeString(root.resolve(TABLE), table);
            System.out.println("written to " + TABLE);
        }
        System.out.printf(
                "%s: %d planted bugs, %d escaped%n", escaped == 0 ? "PASSED" : "FAILED", mutants.size(), escaped);
        return escaped == 0 ? 0 : 1;
    }

    private static boolean failsAnyway(Mutant mutant, long seed) {
        try {
            return Hunt.first(mutant.on(), seed, 1, 1) != null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static final String HEAD = """
            # Planted bugs

            Bugs that other lock libraries have had, that earlier drafts of the protocol had, or that are easy to make. Each is
            planted in the sources, one at a time, and the simulation looks for it. Written by `./simulation/run mutants`; the
            build plants a third of them again (all with `-Dmutants.every=1`) and looks whether their seeds still find them.

            | planted bug | on | first seed that finds it | promise that is broken |
            |---|---|---|---|
            """;
}
