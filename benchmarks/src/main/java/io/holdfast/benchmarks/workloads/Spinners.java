package io.holdfast.benchmarks.workloads;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Processes that keep each core awake and give way to everything else. They end with {@link #close}, or by themselves
 * once this JVM is gone.
 */
final class Spinners implements AutoCloseable {
    private static final String LOOP =
            "while kill -0 \"$0\" 2>/dev/null; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done";

    private final List<Process> processes = new ArrayList<>();

    private Spinners() {}

    static Spinners none() {
        return new Spinners();
    }

    static Spinners onePerCore() {
        Spinners spinners = new Spinners();
        try {
            for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
                spinners.start();
            }
        } catch (IOException e) {
            spinners.close();
            throw new UncheckedIOException("could not start a spinner", e);
        }
        return spinners;
    }

    private void start() throws IOException {
        List<String> command = new ArrayList<>();
        if (onPath("chrt")) {
            command.addAll(List.of("chrt", "-i", "0"));
        }
        command.addAll(List.of("nice", "-n", "19", "sh", "-c", LOOP));
        command.add(String.valueOf(ProcessHandle.current().pid()));
        processes.add(new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start());
    }

    private static boolean onPath(String program) throws IOException {
        try {
            Process probe = new ProcessBuilder("sh", "-c", "command -v " + program)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return probe.waitFor() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while looking for " + program, e);
        }
    }

    List<ProcessHandle> handles() {
        return processes.stream().map(Process::toHandle).toList();
    }

    /** Fails if one is gone: the cores would not be hot. */
    void check() {
        for (Process process : processes) {
            if (!process.isAlive()) {
                throw new IllegalStateException("a spinner has ended with exit code " + process.exitValue());
            }
        }
    }

    @Override
    public void close() {
        processes.forEach(Process::destroyForcibly);
    }
}
