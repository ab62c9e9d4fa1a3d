package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process of the command, started by its launcher. Its output goes to files, which descendants may hold for long. */
final class Cli implements AutoCloseable {
    /** The repository: the tests run in the module's folder. */
    static final Path REPOSITORY = Path.of("..").toAbsolutePath().normalize();

    /** For a machine on which ten of them start at once beside a build. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Process process;
    private final List<String> command;
    private final Path stdout;
    private final Path stderr;

    private Cli(Process process, List<String> command, Path stdout, Path stderr) {
        this.process = process;
        this.command = command;
        this.stdout = stdout;
        this.stderr = stderr;
    }

    /** {@code ./holdfast} with these arguments. */
    static Launch holdfast(String... arguments) {
        LauncherCopy.make();
        List<String> command = new ArrayList<>();
        command.add(REPOSITORY.resolve("holdfast").toString());
        command.addAll(List.of(arguments));
        return new Launch(command);
    }

    /** All tests use one copy of the command, and whoever needs it while another JVM makes it says that it waits. */
    private static final class LauncherCopy {
        static {
            new Launch(List.of(REPOSITORY.resolve("holdfast").toString(), "--version")).run();
        }

        private LauncherCopy() {}

        static void make() {
            // Made when the class was loaded.
        }
    }

    /** What it is started with. By default, no variable of ours. */
    static final class Launch {
        private final List<String> command;
        private final Map<String, String> environment = new TreeMap<>();

        Launch(List<String> command) {
            this.command = command;
        }

        Launch with(String variable, Object value) {
            environment.put(variable, value.toString());
            return this;
        }

        Cli start() {
            try {
                Path stdout = Files.createTempFile("holdfast-out-", "");
                Path stderr = Files.createTempFile("holdfast-err-", "");
                List<String> whole = new ArrayList<>(Signals.defaults());
                whole.addAll(command);
                ProcessBuilder builder = new ProcessBuilder(whole)
                        .redirectOutput(stdout.toFile())
                        .redirectError(stderr.toFile());
                builder.environment().keySet().removeIf(name -> name.startsWith("HOLDFAST_"));
                builder.environment().putAll(environment);
                return new Cli(builder.start(), command, stdout, stderr);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Starts it and waits for its end. */
        Result run() {
            try (Cli cli = start()) {
                return cli.result();
            }
        }
    }

    record Result(int code, String out, String err) {}

    /** Its end. */
    Result result() {
        try {
            assertThat(process.waitFor(PATIENCE.toNanos(), TimeUnit.NANOSECONDS))
                    .as(this::toString)
                    .isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
        return new Result(process.exitValue(), out(), err());
    }

    String out() {
        return text(stdout);
    }

    String err() {
        return text(stderr);
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until this stands in its output, and returns the first group, if there is one. */
    String awaitOut(String regex) {
        return awaitText(regex, stdout);
    }

    String awaitErr(String regex) {
        return awaitText(regex, stderr);
    }

    private String awaitText(String regex, Path file) {
        Pattern pattern = Pattern.compile(regex, Pattern.MULTILINE);
        String[] found = {""};
        await().alias(this + " prints " + regex)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> {
                    Matcher matcher = pattern.matcher(text(file));
                    boolean there = matcher.find();
                    if (there) {
                        found[0] = matcher.groupCount() == 0 ? matcher.group() : matcher.group(1);
                    }
                    return there;
                });
        return found[0];
    }

    /** To the standard input, which the program has from the command. */
    void send(String line) {
        try {
            OutputStream in = process.getOutputStream();
            in.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            in.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void signal(String name) {
        Signals.send(name, process.pid());
    }

    boolean isRunning() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        try {
            Files.deleteIfExists(stdout);
            Files.deleteIfExists(stderr);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        // An assertion may ask for this after it is closed.
        return String.join(" ", command)
                + (Files.exists(stdout) ? "\nstdout: " + out() + "\nstderr: " + err() + "\n" : " (closed)");
    }
}
