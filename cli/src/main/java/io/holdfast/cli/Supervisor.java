package io.holdfast.cli;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** The shell process that owns the server; see {@code supervisor.sh}. */
final class Supervisor {
    private static final String SCRIPT = "supervisor.sh";
    private static final String PID_FILE = "supervisor";
    private static final Duration LONGEST_START = Duration.ofSeconds(10);
    private static final long POLL_NANOS = 5_000_000L;

    private Supervisor() {}

    /** Starts a server and its supervisor; returns the supervisor's process id. */
    static long start(StateFolder folder, String id, Duration idle, Path program) throws IOException {
        return launch(folder, id, idle, "start", program.toString());
    }

    /** Starts a supervisor for a server that has lost its own. */
    static long adopt(StateFolder folder, ServerState state) throws IOException {
        return launch(folder, state.id(), state.idle(), "adopt", Long.toString(state.pid()));
    }

    static Optional<ProcessHandle> find(ServerState state) {
        return ProcessHandle.of(state.supervisor())
                .filter(process -> process.info().commandLine().orElse("").contains(state.id()));
    }

    private static long launch(StateFolder folder, String id, Duration idle, String verb, String what)
            throws IOException {
        folder.write(SCRIPT, script());
        Path pidFile = folder.own(PID_FILE);
        Files.deleteIfExists(pidFile);
        List<String> arguments = List.of(SCRIPT, id, Long.toString(idle.toSeconds()), verb, what);
        try {
            spawn(folder, List.of("setsid", "sh"), arguments);
        } catch (IOException withoutSetsid) {
            // The next best: a process group of its own, so that Ctrl-C does not reach it.
            spawn(folder, List.of("bash", "-c", "set -m; nohup sh \"$@\" &", "bash"), arguments);
        }
        return awaitPid(pidFile);
    }

    private static void spawn(StateFolder folder, List<String> prefix, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(arguments);
        File log = folder.own(ServerStart.LOG).toFile();
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.path().toFile())
                .redirectInput(Redirect.from(new File("/dev/null")))
                .redirectOutput(Redirect.appendTo(log))
                .redirectErrorStream(true);
        // It outlives whoever started it: it keeps no secrets, and no marks by which others would clean it up.
        builder.environment().keySet().retainAll(Set.of("PATH", "HOME", "TMPDIR"));
        builder.start();
    }

    private static long awaitPid(Path pidFile) throws IOException {
        long end = System.nanoTime() + LONGEST_START.toNanos();
        while (System.nanoTime() - end < 0) {
            if (Files.exists(pidFile)) {
                String text = Files.readString(pidFile);
                if (text.endsWith("\n")) {
                    return Long.parseLong(text.strip());
                }
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        throw new IOException("the shell that supervises the server did not start");
    }

    private static String script() throws IOException {
        try (InputStream in = Supervisor.class.getResourceAsStream(SCRIPT)) {
            if (in == null) {
                throw new IOException("resource " + SCRIPT + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
