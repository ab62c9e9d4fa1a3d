package io.holdfast.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Another JVM with the class path of this one, to be talked to by lines, paused and killed. Thread safe.
 *
 * <pre>{@code
 * try (JvmProcess holder = JvmProcess.start(LockHolder.class, redis.uri(), "order:42")) {
 *     holder.awaitLine("locked .*", ofSeconds(10));
 *     holder.kill9();
 * }
 * }</pre>
 *
 * <p>What the child prints to either stream is kept line by line; each failure shows the end of it.
 */
public final class JvmProcess implements AutoCloseable {
    private static final Duration LAST_WORDS = Duration.ofSeconds(1);

    private final String name;
    private final OsProcess process;
    private final @Nullable MovableClock clock;
    private final ChildOutput output = new ChildOutput();

    JvmProcess(String name, OsProcess process, @Nullable MovableClock clock) {
        this.name = name;
        this.process = process;
        this.clock = clock;
        Thread reader = new Thread(
                () -> output.read(process.process().getInputStream()), "output-of-" + name + "-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    public static JvmProcess start(Class<?> main, String... arguments) {
        return of(main).arguments(arguments).start();
    }

    public static JvmProcessBuilder of(Class<?> main) {
        return new JvmProcessBuilder(main.getName(), JvmProcessBuilder.ownClassPath());
    }

    /** One with nothing of this JVM: another class path, and a class that this JVM need not know. */
    public static JvmProcessBuilder of(String main, List<Path> classPath) {
        return new JvmProcessBuilder(
                main, classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
    }

    public long pid() {
        return process.pid();
    }

    public boolean isRunning() {
        return process.isAlive();
    }

    /** All that was printed so far. */
    public List<String> lines() {
        return output.lines();
    }

    /** Waits for the next line that matches as a whole; lines up to the one returned last are not looked at again. */
    public String awaitLine(String regex, Duration atMost) {
        Predicate<String> matches = Pattern.compile(regex).asMatchPredicate();
        return awaitLine("a line like '" + regex + "'", matches, atMost);
    }

    /** Waits for the next line that fits. */
    public String awaitLine(Predicate<String> fits, Duration atMost) {
        return awaitLine("the awaited line", fits, atMost);
    }

    private String awaitLine(String what, Predicate<String> fits, Duration atMost) {
        try {
            Optional<String> line = output.awaitLine(fits, Deadline.after(atMost));
            if (line.isEmpty() && output.hasEnded()) {
                process.awaitExit(LAST_WORDS); // so that the message below can name the exit code
            }
            return line.orElseThrow(() -> new IllegalStateException(
                    describe("has not printed " + what + " (waited at most " + atMost + ")")));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(describe("was asked for " + what + ", then interrupted"), e);
        }
    }

    /** Writes a line to the child's standard input. */
    public synchronized void send(String line) {
        OutputStream in = process.process().getOutputStream();
        try {
            in.write((line + "\n").getBytes(UTF_8));
            in.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(describe("does not read its input: '" + line + "' was not sent"), e);
        }
    }

    /** SIGKILL. Returns once the child is gone. */
    public void kill9() {
        process.kill9();
        output.awaitEnd(Deadline.after(LAST_WORDS));
    }

    /** SIGTERM, without waiting: shutdown hooks run. */
    public void terminate() {
        process.terminate();
    }

    /** SIGSTOP: all threads stand still, as in a very long collection of garbage. */
    public void pause() {
        process.pause();
    }

    /** SIGCONT. */
    public void resume() {
        process.resume();
    }

    /** Why this machine cannot start processes whose clocks can be set; empty if it can. It takes Linux and a C compiler. */
    public static String whyNoMovableClock() {
        return MovableClock.whyNot();
    }

    /**
     * Sets the wall clock of a process with {@link JvmProcessBuilder#movableClock()}: so much ahead of the true time, or behind.
     * {@code System.nanoTime} goes on as before.
     */
    public void setClock(Duration ahead) {
        if (clock == null) {
            throw new IllegalStateException(describe("was started without movableClock()"));
        }
        clock.set(ahead);
    }

    /** Waits for the child's end and its last lines; 128 + n says that signal n ended it. */
    public int exitCode(Duration atMost) {
        if (!process.awaitExit(atMost)) {
            throw new IllegalStateException(describe("has not ended in " + atMost));
        }
        output.awaitEnd(Deadline.after(LAST_WORDS));
        return process.process().exitValue();
    }

    /** Kills the child if it still runs. */
    @Override
    public void close() {
        process.kill9();
        if (clock != null) {
            clock.delete();
        }
    }

    private String describe(String what) {
        String state = process.isAlive()
                ? "running"
                : "ended with exit code " + process.process().exitValue();
        return "JVM " + name + " (process " + pid() + ", " + state + ") " + what + "; the end of its output:\n"
                + output.tail();
    }
}
