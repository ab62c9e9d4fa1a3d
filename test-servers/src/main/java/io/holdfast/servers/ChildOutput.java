package io.holdfast.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The lines a child process has printed so far. Thread safe. */
final class ChildOutput {
    private static final int TAIL_LINES = 30;

    private final List<String> lines = new ArrayList<>();
    private int awaited;
    private boolean ended;

    void read(InputStream in) {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(in, UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                add(line);
            }
        } catch (IOException e) {
            // the pipe of a killed process: what came is all there is
        } finally {
            end();
        }
    }

    private synchronized void add(String line) {
        lines.add(line);
        notifyAll();
    }

    private synchronized void end() {
        ended = true;
        notifyAll();
    }

    synchronized boolean hasEnded() {
        return ended;
    }

    /** Waits for the last line, but no longer than that: a grandchild may keep the stream open for long. */
    synchronized void awaitEnd(Deadline deadline) {
        try {
            while (!ended && !deadline.isOver()) {
                TimeUnit.NANOSECONDS.timedWait(this, deadline.remainingNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    synchronized String tail() {
        return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
    }

    /** The next line that fits, after the one returned before; empty when none comes in time or ever. */
    synchronized Optional<String> awaitLine(Predicate<String> fits, Deadline deadline) throws InterruptedException {
        for (int next = awaited; ; next++) {
            while (next == lines.size()) {
                long nanos = deadline.remainingNanos();
                if (ended || nanos <= 0) {
                    return Optional.empty();
                }
                TimeUnit.NANOSECONDS.timedWait(this, nanos);
            }
            if (fits.test(lines.get(next))) {
                awaited = next + 1;
                return Optional.of(lines.get(next));
            }
        }
    }
}
