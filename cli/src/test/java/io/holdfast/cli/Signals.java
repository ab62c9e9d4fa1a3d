package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Signals to processes. */
final class Signals {
    private static final int HANG_UP_BIT = 1;
    private static final int INTERRUPT_BIT = 1 << 1;

    private Signals() {}

    static void send(String name, long pid) {
        try {
            Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid).start();
            assertThat(kill.waitFor()).as("kill -%s %d", name, pid).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A build in the background of a shell ignores SIGINT, one under nohup SIGHUP, and so would all it starts. */
    static List<String> defaults() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.exists(status)) {
            return List.of();
        }
        String ignored = Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .map(line -> line.substring("SigIgn:".length()).strip())
                .findFirst()
                .orElse("0");
        boolean ignores = (Long.parseUnsignedLong(ignored, 16) & (HANG_UP_BIT | INTERRUPT_BIT)) != 0;
        return ignores ? List.of("env", "--default-signal=HUP,INT") : List.of();
    }

    static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).filter(process -> !Child.isGone(process)).isPresent();
    }
}
