package io.holdfast.faults;

import io.holdfast.faults.contender.Contender;
import io.holdfast.faults.contender.Contenders;
import io.holdfast.faults.contender.Topology;
import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.judge.Figures;
import io.holdfast.faults.judge.HistoryJudge;
import io.holdfast.faults.judge.Judge;
import io.holdfast.faults.judge.Violation;
import io.holdfast.faults.nemesis.FaultKind;
import io.holdfast.faults.report.Cells;
import io.holdfast.faults.report.Summary;
import io.holdfast.faults.report.Timeline;
import io.holdfast.faults.scenario.Scenarios;
import io.holdfast.servers.RespError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line: {@code ./faults/run}. */
@Command(
        name = "./faults/run",
        mixinStandardHelpOptions = true,
        description =
                "Processes that take locks on real servers, and faults that befall both. Exit code 1 if a promise of"
                        + " Holdfast was broken inside the timing model, or of the only contender that took part.")
public final class Main implements Callable<Integer> {
    private static final int WORKERS = 4;

    @Option(names = "--quick", description = "all topologies and both contenders, in less than ten minutes")
    private boolean quick;

    @Option(names = "--soak", description = "Holdfast on one server, a fault every few seconds")
    private boolean soak;

    @Option(
            names = "--scenarios",
            description = "known weak places, each played exactly, with Holdfast and with Redisson; a few minutes")
    private boolean scenarios;

    @Option(names = "--minutes", description = "for each contender and topology (default: 60)")
    private double minutes = 60;

    @Option(names = "--topology", description = "single, sentinel, cluster, quorum (default: all, one after the other)")
    private @Nullable String topology;

    @Option(names = "--contender", description = "holdfast, redisson, both, or naive, which is to be caught")
    private String contender = "both";

    @Option(names = "--seed", description = "of the faults and their order (default: ${DEFAULT-VALUE})")
    private long seed = 1;

    @Option(names = "--lease", description = "in milliseconds (default: ${DEFAULT-VALUE})")
    private long lease = 1000;

    @Option(names = "--only", split = ",", description = "these faults, such as KILL,PAUSE")
    private List<FaultKind> only = new ArrayList<>();

    @Option(
            names = "--clocks",
            description = "all faults, those of servers' clocks too: single and quorum then run on Redis 6.2")
    private boolean clocks;

    @Option(names = "--output", description = "folder of the results (default: ${DEFAULT-VALUE})")
    private Path output = Path.of("faults/target/campaign");

    public static void main(String[] args) {
        System.exit(new CommandLine(new Main())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(args));
    }

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(output);
        return scenarios ? playScenarios() : campaigns();
    }

    /** Says what was seen, and judges nothing: that is for tests. */
    private int playScenarios() throws Exception {
        String machine = machine();
        String table = Scenarios.table(System.out::println);
        String text = "# Scenarios\n\n" + machine + ". "
                + Contenders.named("redisson").description() + ".\n\n" + table;
        Files.writeString(output.resolve("scenarios.md"), text);
        System.out.println("\n" + text + "\nwritten to " + output.resolve("scenarios.md"));
        return 0;
    }

    private int campaigns() throws IOException {
        List<String> text = new ArrayList<>();
        text.add("# Fault campaign\n\n" + machine());
        List<String> lines = new ArrayList<>();
        boolean broken = false;
        for (Settings settings : plan()) {
            Outcome outcome = attempt(settings);
            text.add(outcome.report());
            lines.add(outcome.line());
            boolean counts = settings.contender().name().equals("holdfast") || !contender.equals("both");
            broken |= counts && outcome.broken();
            // After each: what a long campaign has found is not lost if it is broken off.
            Files.writeString(output.resolve("report.md"), String.join("\n\n", text) + "\n");
            System.out.println("\n" + outcome.report() + "\n");
        }
        System.out.printf("%s: %s; written to %s%n", broken ? "FAILED" : "passed", String.join("; ", lines), output);
        return broken ? 1 : 0;
    }

    /** A run that breaks off is a failure like any other, and does not keep the rest from running. */
    private Outcome attempt(Settings settings) throws IOException {
        try {
            return run(settings, System.out::println);
        } catch (IllegalStateException | UncheckedIOException | RespError e) {
            String what = settings.topology().id() + "-" + settings.contender().name();
            String line = what + ": BROKE OFF, "
                    + String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            System.out.println(what + " broke off: " + e);
            return new Outcome("## " + what + "\n\n" + line, line, true, List.of());
        }
    }

    private List<Settings> plan() {
        List<Topology> topologies = soak && topology == null
                ? List.of(Topology.SINGLE)
                : topology == null
                        ? List.of(Topology.values())
                        : List.of(Topology.valueOf(topology.toUpperCase(Locale.ROOT)));
        List<String> names = soak && contender.equals("both")
                ? List.of("holdfast")
                : contender.equals("both") ? List.of("holdfast", "redisson") : List.of(contender);
        List<Settings> plan = new ArrayList<>();
        for (Topology each : topologies) {
            for (String name : names) {
                Contender it = Contenders.named(name);
                Duration time = quick ? quickTime(each) : Duration.ofMillis(Math.round(minutes * 60_000));
                Set<Workload> workloads = it.workloads(each);
                if (workloads.isEmpty()) {
                    throw new IllegalArgumentException(name + " offers nothing on " + each.id());
                }
                plan.add(new Settings(
                        each,
                        it,
                        EnumSet.copyOf(workloads),
                        time,
                        Duration.ofMillis(lease),
                        Duration.ofMillis(soak ? 2000 : 500),
                        WORKERS,
                        seed,
                        clocks && only.isEmpty() ? List.of(FaultKind.values()) : only));
            }
        }
        return plan;
    }

    private static Duration quickTime(Topology topology) {
        return Duration.ofSeconds(topology == Topology.SINGLE ? 75 : 30);
    }

    /** What came of one run. */
    record Outcome(String report, String line, boolean broken, List<Violation> violations) {}

    /** Runs one contender on one topology, judges it, and writes what is to be looked at. */
    Outcome run(Settings settings, Consumer<String> out) throws IOException {
        String what = settings.topology().id() + "-" + settings.contender().name();
        Path folder = Files.createTempDirectory("holdfast-campaign");
        Campaign.Result result;
        try (Campaign campaign = new Campaign(settings, folder, out)) {
            result = campaign.run();
        } finally {
            delete(folder);
        }
        HistoryJudge.Opinion opinion = HistoryJudge.judge(result.evidence());
        List<Violation> violations = new ArrayList<>(Judge.judge(result.evidence()));
        violations.addAll(opinion.violations());
        Figures figures = new Figures(result.evidence());
        Files.createDirectories(output);
        Files.writeString(output.resolve(what + ".svg"), Timeline.of(result.evidence(), what));
        String line = Summary.line(what, result.evidence(), violations, result.passed());
        List<String> report = new ArrayList<>();
        report.add("## " + what + "\n");
        report.add(settings.contender().description() + "; " + result.servers() + "; lease "
                + settings.lease().toMillis() + " ms, " + settings.workers() + " processes, seed " + settings.seed()
                + "\n");
        report.add(Cells.table(result.evidence(), figures, violations, settings.workloads()));
        Summary.figures(result.evidence(), figures, violations, result.footprints())
                .forEach(each -> report.add("- " + each));
        report.add("- the history checker was given " + opinion.holds() + " holds in " + opinion.pieces()
                + " histories, found an order for all but "
                + opinion.violations().size() + ", and gave up on "
                + opinion.undecided());
        report.add("- not injected here: "
                + String.join(
                        "; ",
                        Cells.missing(result.evidence()).stream()
                                .map(FaultKind::text)
                                .toList()));
        Set<Workload> missing = EnumSet.complementOf(EnumSet.copyOf(settings.workloads()));
        if (!missing.isEmpty()) {
            report.add("- not offered here: "
                    + String.join("; ", missing.stream().map(Workload::id).toList()));
        }
        result.impossible().forEach(each -> report.add("- " + each));
        Summary.broken(violations).forEach(each -> report.add("- " + each));
        return new Outcome(
                String.join("\n", report), line, violations.stream().anyMatch(Violation::inside), violations);
    }

    private static void delete(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }

    private static String machine() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS) + ", commit "
                + System.getProperty("holdfast.commit", "unknown") + ", "
                + Runtime.getRuntime().availableProcessors() + " cores with a load of "
                + String.format(
                        Locale.ROOT,
                        "%.1f",
                        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage())
                + " at the beginning, JDK " + System.getProperty("java.version");
    }
}
