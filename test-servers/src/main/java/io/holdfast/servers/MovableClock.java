package io.holdfast.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;

/**
 * The clock of one process, which can be set while that runs, and stays as set over its restarts. It takes a small library that
 * is loaded into the process; that is made here, once, by the C compiler of the machine.
 */
final class MovableClock {
    /** Why a machine has none; empty if it has. */
    static String whyNot() {
        return Library.WHY_NOT;
    }

    private final Path folder = TempFolder.create("clock");
    private final Path file = folder.resolve("shift");

    MovableClock() {
        if (!whyNot().isEmpty()) {
            throw new IllegalStateException("no process's clock can be set here: " + whyNot());
        }
        set(Duration.ZERO);
    }

    Map<String, String> environment() {
        return Map.of("LD_PRELOAD", Library.PATH.toString(), "HOLDFAST_CLOCK", file.toString());
    }

    /** From now on the process's clock is ahead of the true one by so much, or behind it if that is negative. */
    void set(Duration ahead) {
        ByteBuffer micros = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        micros.putLong(ahead.toNanos() / 1_000).flip();
        // In one piece and in its place: the process has it mapped, and must not read half of it.
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ)) {
            channel.write(micros, 0);
        } catch (IOException e) {
            throw new UncheckedIOException("could not set the clock of a process", e);
        }
    }

    void delete() {
        TempFolder.delete(folder);
    }

    private static final class Library {
        private static final Path FOLDER = TempFolder.create("clock-library");
        private static final Path PATH = FOLDER.resolve("libholdfastclock.so");
        private static final String WHY_NOT = make();

        private static String make() {
            if (!System.getProperty("os.name", "").startsWith("Linux")) {
                return "it takes Linux";
            }
            Path source = FOLDER.resolve("clock.c");
            try (InputStream in = MovableClock.class.getResourceAsStream("clock.c")) {
                if (in == null) {
                    return "clock.c is not on the class path";
                }
                Files.copy(in, source, StandardCopyOption.REPLACE_EXISTING);
                Process compiler = new ProcessBuilder(
                                "cc", "-shared", "-fPIC", "-O2", "-o", PATH.toString(), source.toString())
                        .redirectErrorStream(true)
                        .start();
                String said =
                        new String(compiler.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
                return compiler.waitFor() == 0 ? "" : "cc failed: " + said;
            } catch (IOException e) {
                return "there is no C compiler named cc: " + e.getMessage();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return "interrupted while the C compiler ran";
            }
        }
    }
}
