package io.holdfast.testkit.contract;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link ContractProcess} as the test sees it. */
final class OtherProcess implements AutoCloseable {
    private final Process process;
    private final List<String> lines = new ArrayList<>();

    OtherProcess(String... args) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                ContractProcess.class.getName()));
        command.addAll(List.of(args));
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread reader = new Thread(this::read, "output-of-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                synchronized (lines) {
                    lines.add(line);
                }
            }
        } catch (IOException killed) {
            // What it has said before is all there is.
        }
    }

    List<String> lines() {
        synchronized (lines) {
            return List.copyOf(lines);
        }
    }

    boolean hasSaid(String beginning) {
        return lines().stream().anyMatch(line -> line.startsWith(beginning));
    }

    /** How often it says that it has counted. */
    int count() {
        return (int) lines().stream().filter(line -> line.startsWith("did ")).count();
    }

    void tell(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException("it no longer listens: " + lines(), e);
        }
    }

    /** SIGKILL: nothing in it runs any more. */
    void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** SIGSTOP or SIGCONT. */
    void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start();
        if (kill.waitFor() != 0) {
            throw new IOException("cannot send SIG" + name);
        }
    }

    /** Waits for its end; true if it ended well. */
    boolean awaitEnd() {
        try {
            return process.waitFor(Bench.PATIENCE.toSeconds(), TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
