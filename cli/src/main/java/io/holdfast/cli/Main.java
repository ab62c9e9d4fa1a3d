package io.holdfast.cli;

import io.holdfast.LockException;
import io.holdfast.spi.StoreUri;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The {@code holdfast} command. See {@code holdfast --help}. */
@Command(
        name = "holdfast",
        description = "Locks for programs on many machines.",
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Example: holdfast run nightly-report -- ./report.sh", "More:    holdfast run --help"})
public final class Main implements Runnable {
    private static final int HELP_WIDTH = 110;
    private static final Pattern URI = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*://.*", Pattern.DOTALL);
    private static final String COMMAND_FOLLOWS = "--";

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help and end.")
    @SuppressWarnings("UnusedVariable") // picocli asks for it
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version and end.")
    @SuppressWarnings("UnusedVariable")
    private boolean version;

    @Option(
            names = "--verbose",
            scope = ScopeType.INHERIT,
            description = "Show the library's log, and stack traces of errors.")
    private boolean verbose;

    private Main() {}

    /** Runs the command and ends the JVM with its exit code. */
    public static void main(String[] args) {
        System.exit(execute(args));
    }

    private static int execute(String[] args) {
        // Cut off here, so that nothing of the program's own command line is ever taken for ours.
        int end = args.length > 0 && args[0].equals("run") ? List.of(args).indexOf(COMMAND_FOLLOWS) : -1;
        List<String> program = end < 0 ? List.of() : List.of(args).subList(end + 1, args.length);
        String[] own = end < 0 ? args : Arrays.copyOf(args, end);
        Main main = new Main();
        CommandLine line = new CommandLine(main)
                .addSubcommand(new RunCommand(program))
                .addSubcommand(new LocksCommand())
                .addSubcommand(new ReleaseCommand())
                .addSubcommand(new DoctorCommand())
                .addSubcommand(new ServerCommand())
                .setExpandAtFiles(false)
                .setUsageHelpWidth(HELP_WIDTH)
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
                .setParameterExceptionHandler((error, arguments) -> refuse(error, arguments))
                .setExecutionExceptionHandler((error, command, parsed) -> fail(error, main.verbose));
        line.setExecutionStrategy(parsed -> {
            setUpLog(main.verbose);
            return new CommandLine.RunLast().execute(parsed);
        });
        return line.execute(own);
    }

    /** Before the first class that logs is loaded. */
    private static void setUpLog(boolean verbose) {
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", verbose ? "info" : "off");
        if (verbose) {
            System.setProperty("org.slf4j.simpleLogger.log.io.holdfast", "debug");
        }
    }

    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(spec.commandLine(), "say what to do: run, locks, release, doctor or server");
        }
    }

    private static int refuse(ParameterException error, String... arguments) {
        String name = error.getCommandLine().getCommandSpec().qualifiedName();
        Stderr.say(withoutSecrets(String.valueOf(error.getMessage()), arguments) + " (see " + name + " --help)");
        return ExitCode.USAGE;
    }

    /** What was not understood is repeated, and may be a store's address that stands in the wrong place. */
    private static String withoutSecrets(String message, String... arguments) {
        String shown = message;
        for (String argument : arguments) {
            Matcher uri = URI.matcher(argument);
            if (uri.find()) {
                String hidden = argument.substring(0, uri.start()) + new StoreUri(uri.group());
                shown = shown.replace(argument, hidden);
            }
        }
        return shown;
    }

    private static int fail(Exception error, boolean verbose) {
        if (verbose) {
            error.printStackTrace();
        }
        if (error instanceof Failure failure) {
            Stderr.say(failure.getMessage());
            return failure.exitCode();
        }
        if (error instanceof LockException) {
            Stderr.say(error.getMessage());
            return ExitCode.UNAVAILABLE;
        }
        Stderr.say("unexpected error: " + error + " (--verbose shows more)");
        return ExitCode.SOFTWARE;
    }

    /** From the jar's manifest. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"holdfast " + (version == null ? "(not built)" : version)};
        }
    }
}
