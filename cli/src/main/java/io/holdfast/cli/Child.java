package io.holdfast.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The program that runs under the lock, with the terminal, the files and the signals of the command itself. */
final class Child {
    /** Set by the launcher where it had to choose another locale for the JVM: what LC_ALL was before. */
    private static final String CALLER_LOCALE = "HOLDFAST_CALLER_LC_ALL";

    private static final Duration AFTER_KILL = Duration.ofSeconds(2);
    private static final long POLL_NANOS = 5_000_000L;
    /** "error=2, No such file" up to some JDK, "error: 2 (No such file)" from then on. */
    private static final Pattern ERROR_NUMBER = Pattern.compile("\\berror[=:] ?(\\d{1,4})\\b");

    private static final int NO_SUCH_FILE = 2;
    private static final int PERMISSION_DENIED = 13;

    private final Process process;
    private final Set<ProcessHandle> family = new LinkedHashSet<>();

    private Child(Process process) {
        this.process = process;
        family.add(process.toHandle());
    }

    static Child start(List<String> program, String lockName, long token) {
        ProcessBuilder builder = new ProcessBuilder(program).inheritIO();
        Map<String, String> environment = builder.environment();
        environment.put("HOLDFAST_LOCK", lockName);
        environment.put("HOLDFAST_TOKEN", Long.toString(token));
        restoreLocale(environment);
        try {
            return new Child(builder.start());
        } catch (IOException e) {
            throw notStarted(program.get(0), e);
        }
    }

    private static void restoreLocale(Map<String, String> environment) {
        String before = environment.remove(CALLER_LOCALE);
        if (before == null) {
            return;
        }
        if (before.isEmpty()) {
            environment.remove("LC_ALL");
        } else {
            environment.put("LC_ALL", before);
        }
    }

    /** As shells do: 127 for what is not there, 126 for what cannot be executed. */
    private static Failure notStarted(String program, IOException error) {
        // The cause does not name the program, whose name may hold anything.
        Throwable cause = error.getCause() == null ? error : error.getCause();
        Matcher number = ERROR_NUMBER.matcher(String.valueOf(cause.getMessage()));
        int code = number.find() ? Integer.parseInt(number.group(1)) : -1;
        if (code == NO_SUCH_FILE) {
            return new Failure(ExitCode.NOT_FOUND, program + ": command not found", error);
        }
        String reason = code == PERMISSION_DENIED ? "permission denied" : String.valueOf(error.getMessage());
        return new Failure(ExitCode.NOT_EXECUTABLE, program + " cannot be executed: " + reason, error);
    }

    /** Waits for the program's end and returns its exit code: 128 + n if signal n ended it. */
    int await() throws InterruptedException {
        return process.waitFor();
    }

    /**
     * Ends the program and its descendants: SIGTERM to all of them, as a terminal does, and SIGKILL to those that are
     * left after the grace time. Returns when they are gone.
     */
    synchronized void stop(Duration grace) {
        includeDescendants();
        family.forEach(ProcessHandle::destroy);
        if (awaitEnd(grace)) {
            return;
        }
        includeDescendants();
        family.forEach(ProcessHandle::destroyForcibly);
        if (!awaitEnd(AFTER_KILL)) {
            family.stream()
                    .filter(member -> !isGone(member))
                    .forEach(left -> Stderr.say(
                            "process " + left.pid() + " could not be stopped, and runs on without the lock"));
        }
    }

    private void includeDescendants() {
        for (ProcessHandle member : List.copyOf(family)) {
            member.descendants().forEach(family::add);
        }
    }

    private boolean awaitEnd(Duration atMost) {
        long end = System.nanoTime() + atMost.toNanos();
        while (!family.stream().allMatch(Child::isGone)) {
            if (System.nanoTime() - end >= 0) {
                return false;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return true;
    }

    /** Whether it has ended, although its parent, often the first process of a container, may not have noticed yet. */
    static boolean isGone(ProcessHandle process) {
        if (!process.isAlive()) {
            return true;
        }
        try {
            // "pid (name) state ...", where the name may hold anything
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"), ISO_8859_1);
            return stat.startsWith("Z", stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return !process.isAlive(); // ended just now, or a system without /proc
        }
    }
}
