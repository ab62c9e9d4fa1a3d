package io.holdfast.cli;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** A user's state folder of a test's own, with the server that the command keeps in it. */
final class StateHome implements AutoCloseable {
    private final Path path;
    private final String idleSeconds;

    /** @param idleSeconds after which a server ends; it is a safety net too, should a test be killed */
    StateHome(Path path, int idleSeconds) {
        this.path = path;
        this.idleSeconds = Integer.toString(idleSeconds);
    }

    Cli.Launch holdfast(String... arguments) {
        return Cli.holdfast(arguments).with("XDG_STATE_HOME", path).with("HOLDFAST_EMBEDDED_IDLE", idleSeconds);
    }

    Path folder() {
        return path.resolve("holdfast");
    }

    /** The folder of this machine. */
    Path own() {
        try (Stream<Path> inside = Files.list(folder())) {
            return inside.filter(Files::isDirectory).findFirst().orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ServerState state() {
        try {
            return ServerState.read(own().resolve("server")).orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The servers that run from this folder; there should never be two. */
    List<ProcessHandle> servers() {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info().command().orElse("").startsWith(folder().toString()))
                .filter(ProcessHandle::isAlive)
                .toList();
    }

    List<ProcessHandle> supervisors() {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info().commandLine().orElse("").matches(".* supervisor\\.sh .*"))
                .filter(process -> isInFolder(process))
                .toList();
    }

    private boolean isInFolder(ProcessHandle process) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/" + process.pid() + "/cwd"))
                    .startsWith(folder());
        } catch (IOException e) {
            return false; // gone meanwhile
        }
    }

    void awaitNoServer() {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> servers().isEmpty() && supervisors().isEmpty());
    }

    List<String> permissions() {
        try (Stream<Path> all = Files.walk(folder())) {
            return all.map(StateHome::permissions).distinct().sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String permissions(Path file) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** No process is left behind. */
    @Override
    public void close() {
        for (ProcessHandle supervisor : supervisors()) {
            supervisor.destroy(); // it ends its server
            Signals.send("CONT", supervisor.pid());
        }
        await().atMost(Duration.ofSeconds(30)).until(() -> supervisors().isEmpty());
        servers().forEach(ProcessHandle::destroyForcibly);
        awaitNoServer();
    }
}
