package io.holdfast.faults.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Lines of words, in a file. Each is handed to the system before the thread goes on, so that a process that is killed leaves
 * what it did. Times are {@code System.nanoTime}, which on Linux is one clock for all processes. Thread safe.
 *
 * <pre>
 * Q id time workload mode locks permits wait   asked for it, and would wait so many nanoseconds
 * G id time tokens                             got it
 * T id time                                    did not get it in that time
 * E id time error                              failed to get it
 * V id time until                              knew at that time that it holds, until then
 * N id time                                    asked, and was told that it does not hold
 * X id time error                              asked, and got no answer
 * F id time                                    wrote, and was refused for its token
 * U id time                                    begins to give it back
 * R id time true|false|error                   that has ended
 * L id time cause                              was told of its loss
 * H 0 time since                               did not run, or hardly, since then
 * S 0 time threads heap                        how much of each the process has
 * </pre>
 */
public final class EventLog implements AutoCloseable {
    private final FileChannel file;

    EventLog(Path path) throws IOException {
        this.file = FileChannel.open(path, CREATE_NEW, WRITE, APPEND);
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
        ByteBuffer bytes = ByteBuffer.wrap(line.append('\n').toString().getBytes(UTF_8));
        synchronized (file) {
            try {
                while (bytes.hasRemaining()) {
                    file.write(bytes);
                }
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
