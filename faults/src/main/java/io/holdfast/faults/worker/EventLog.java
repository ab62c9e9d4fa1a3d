package io.holdfast.faults.worker;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Lines of words, in a file. Each is handed to the system before the thread goes on, so that a process that is killed leaves
 * what it did. Times are {@code System.nanoTime}, which on Linux is one clock for all processes. Thread safe.
 *
 * <pre>
 * Q id time workload mode locks permits wait   asked for it, and would wait so many nanoseconds
 * G id time tokens                             got it; of a latch: it was set, counted down, or found open
 * T id time                                    did not get it in that time
 * E id time error                              failed to get it
 * V id time until                              knew at that time that it holds, until then
 * N id time                                    asked, and was told that it does not hold
 * X id time error                              asked, and got no answer
 * F id time                                    wrote, and was refused for its token
 * U id time                                    begins to give it back
 * R id time true|false|error                   that has ended
 * L id time cause                              was told of its loss
 * I id time true|false                         was interrupted when it was deposed, or was not
 * H 0 time since                               did not run, or hardly, since then
 * W 0 time millis                              saw that its wall clock was stepped by so much
 * S 0 time threads heap                        how much of each the process has
 * </pre>
 */
public final class EventLog implements AutoCloseable {
    /** Not a channel: an interrupt would close that, and leaders are interrupted. */
    private final FileOutputStream file;

    EventLog(Path path) throws IOException {
        this.file = new FileOutputStream(Files.createFile(path).toFile(), true);
    }

    void write(char what, long id, long time, Object... words) {
        StringBuilder line = new StringBuilder(48)
                .append(what)
                .append(' ')
                .append(id)
                .append(' ')
                .append(time);
        for (Object word : words) {
            line.append(' ').append(word);
        }
        byte[] bytes = line.append('\n').toString().getBytes(UTF_8);
        synchronized (file) {
            try {
                file.write(bytes);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot write down what happened: no verdict would be right", e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
