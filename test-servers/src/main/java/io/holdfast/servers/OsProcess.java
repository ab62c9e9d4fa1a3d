package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A child process that can be paused and killed, and that does not outlive this JVM, however this JVM ends. */
final class OsProcess {
    private static final Duration SIGNAL_TIMEOUT = Duration.ofSeconds(5);
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    // The kernel sends the parent-death signal when the *thread* that started the child ends. A thread of a test's pool
    // would take its servers with it, so all children are started by one thread that lives as long as the JVM.
    private static final ExecutorService SPAWNER = Executors.newSingleThreadExecutor(OsProcess::daemon);
    private static final List<String> DIE_WITH_PARENT = dieWithParent();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(OsProcess::endAll, "holdfast-servers-end"));
    }

    private final Process process;

    private OsProcess(Process process) {
        this.process = process;
    }

    private static void endAll() {
        List<Process> running = List.copyOf(RUNNING);
        running.forEach(Process::destroyForcibly);
        running.forEach(process -> new OsProcess(process).awaitExit(SIGNAL_TIMEOUT));
        TempFolder.deleteAll();
    }

    static OsProcess start(ProcessBuilder builder) {
        List<String> command = new ArrayList<>(DIE_WITH_PARENT);
        command.addAll(builder.command());
        builder.command(command);
        return new OsProcess(spawn(builder));
    }

    private static Process spawn(ProcessBuilder builder) {
        try {
            return SPAWNER.submit(() -> {
                        RUNNING.removeIf(process -> !process.isAlive());
                        Process process = builder.start();
                        RUNNING.add(process);
                        return process;
                    })
                    .get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("could not start " + builder.command() + ": " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while starting " + builder.command(), e);
        }
    }

    Process process() {
        return process;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGSTOP. Returns once every thread of the process stands still. */
    void pause() {
        signal("STOP");
        Deadline.await(SIGNAL_TIMEOUT, () -> !isAlive() || standsStill(), () -> "process " + pid() + " did not stop");
    }

    /** SIGCONT. */
    void resume() {
        signal("CONT");
    }

    /** SIGTERM, without waiting. */
    void terminate() {
        // Process.destroy would close the streams too, and what a shutdown hook prints would be lost.
        process.toHandle().destroy();
    }

    /** SIGKILL. Returns once the process is gone. */
    void kill9() {
        process.toHandle().destroyForcibly();
        if (!awaitExit(SIGNAL_TIMEOUT)) {
            throw new IllegalStateException("process " + pid() + " survived SIGKILL for " + SIGNAL_TIMEOUT);
        }
    }

    boolean awaitExit(Duration atMost) {
        try {
            return process.waitFor(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for the end of process " + pid(), e);
        }
    }

    private void signal(String name) {
        if (!isAlive()) {
            throw new IllegalStateException("cannot send SIG" + name + ": process " + pid() + " has ended");
        }
        // The shell's own kill, since not every system has one as a program.
        Process kill = spawn(new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid()));
        if (!new OsProcess(kill).awaitExit(SIGNAL_TIMEOUT) || kill.exitValue() != 0) {
            throw new IllegalStateException("could not send SIG" + name + " to process " + pid());
        }
    }

    private boolean standsStill() {
        Path tasks = Path.of("/proc", Long.toString(pid()), "task");
        if (!Files.isDirectory(tasks)) {
            return true; // no /proc here (macOS): the signal was sent, more cannot be known
        }
        try (Stream<Path> threads = Files.list(tasks)) {
            return threads.allMatch(OsProcess::isStopped);
        } catch (IOException | UncheckedIOException e) {
            return false; // a thread or the process ended meanwhile: look again
        }
    }

    private static boolean isStopped(Path task) {
        try {
            String stat = Files.readString(task.resolve("stat"));
            // "pid (name) state ...", where the name may itself hold spaces and brackets
            return stat.startsWith("T", stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> dieWithParent() {
        List<String> prefix = List.of("setpriv", "--pdeathsig", "KILL");
        List<String> probe = new ArrayList<>(prefix);
        probe.add("true");
        try {
            Process process = new ProcessBuilder(probe)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor() == 0 ? prefix : List.of();
        } catch (IOException e) {
            return List.of(); // not util-linux: only the shutdown hook ends the children
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "holdfast-servers-spawner");
        thread.setDaemon(true);
        return thread;
    }
}
