package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.spi.Names;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code holdfast run}: takes the lock, runs the program, releases. */
@Command(
        name = "run",
        customSynopsis = "holdfast run [OPTIONS] NAME -- command [args...]",
        description = "Takes the lock NAME, runs the command while it holds it, and releases it.",
        sortOptions = false,
        footer = {
            "",
            "The command finds HOLDFAST_LOCK (the name) and HOLDFAST_TOKEN (a number that rises with every",
            "holder; hand it to what you write to) in its environment. Durations: 500ms, 10s, 2m, 1h.",
            "",
            "Without a store, a Redis server of your own is started on this machine. It excludes only your own",
            "processes on this machine, and ends after ten idle minutes (see holdfast server --help).",
            "",
            "On SIGINT, SIGTERM and SIGHUP the command and its descendants are stopped and the lock is released.",
            "If holdfast itself is killed with SIGKILL, the command goes on without protection, and the lock is",
            "free when the lease is over.",
            "",
            "Exit codes: the command's own (128+n if signal n ended it), or",
            "   64  wrong usage              69  the store cannot be reached, or refuses",
            "   75  not obtained in time     76  the lease was lost",
            "  126  cannot be executed      127  command not found",
            "",
            "Examples:",
            "  holdfast run --wait 0 nightly-report -- ./report.sh        # or exit with 75 at once",
            "  holdfast run --store redis://db1:6379 deploy:shop -- make deploy",
            "  HOLDFAST_STORE=redis://:secret@db1 holdfast run backup -- sh -c 'dump | upload'"
        })
final class RunCommand implements Callable<Integer> {
    private static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);
    private static final Duration DEFAULT_GRACE = Duration.ofSeconds(5);

    /** What happens to the program when the lease is lost. */
    enum OnLoss {
        TERMINATE,
        WARN
    }

    /** How it is written. */
    private static final class OnLossText implements ITypeConverter<OnLoss> {
        @Override
        public OnLoss convert(String text) {
            return switch (text) {
                case "terminate" -> OnLoss.TERMINATE;
                case "warn" -> OnLoss.WARN;
                default -> throw new TypeConversionException("'" + text + "' is neither terminate nor warn");
            };
        }
    }

    private final List<String> program;

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(arity = "1", paramLabel = "NAME", description = "The lock's name.")
    private String name = "";

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            converter = DurationText.class,
            description = "How long to wait for the lock; 0: try once. Without it, as long as it takes.")
    private @Nullable Duration wait;

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            converter = DurationText.class,
            description = "How long the lock outlives a crash of this machine; renewed meanwhile. Default: 30s.")
    private Duration lease = DEFAULT_LEASE;

    @Mixin
    private final StoreOptions where = new StoreOptions();

    @Option(
            names = "--on-loss",
            paramLabel = "ACTION",
            converter = OnLossText.class,
            description = "When the lease is lost: terminate the command and exit with 76 (default), or only warn and"
                    + " exit with the command's own code.")
    private OnLoss onLoss = OnLoss.TERMINATE;

    @Option(
            names = "--grace",
            paramLabel = "TIME",
            converter = DurationText.class,
            description = "How long a command that is being stopped has between SIGTERM and SIGKILL. Default: 5s.")
    private Duration grace = DEFAULT_GRACE;

    RunCommand(List<String> program) {
        this.program = List.copyOf(program);
    }

    @Override
    public Integer call() throws InterruptedException {
        if (program.isEmpty() && spec != null) {
            throw new ParameterException(
                    spec.commandLine(), "no command: write it behind the name and --, as in run NAME -- command");
        }
        LockOptions options = checkedOptions();
        try (StoreChoice chosen = StoreChoice.of(where.store, System.getenv())) {
            Holdfast client = where.connect(chosen.uri(), options);
            return new GuardedRun(client, client.lock(name), wait, onLoss, grace).run(program);
        }
    }

    /** Before a server is started for it. */
    private LockOptions checkedOptions() {
        try {
            Names.check(name);
            Names.checkPrefix(where.prefix);
            return LockOptions.builder().lease(lease).build();
        } catch (IllegalArgumentException e) {
            throw new Failure(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }
}
