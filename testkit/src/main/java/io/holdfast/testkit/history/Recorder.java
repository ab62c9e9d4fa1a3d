package io.holdfast.testkit.history;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes down what clients do, while they do it. Thread safe.
 *
 * <pre>{@code
 * Recorder.Call call = recorder.call("p1", "order:42", ACQUIRE);   // before the lock is asked
 * Lease lease = lock.acquire(ofSeconds(5));
 * call.granted(lease.token());
 * }</pre>
 *
 * <p>A call of which nothing more is said stays open: say nothing when an operation fails and may have taken effect.
 */
public final class Recorder implements AutoCloseable {
    private final LongSupplier clock;
    private final @Nullable FileChannel file;
    private final Queue<String> kept = new ConcurrentLinkedQueue<>();
    private final AtomicLong ids = new AtomicLong();

    private Recorder(LongSupplier clock, @Nullable FileChannel file) {
        this.clock = clock;
        this.file = file;
    }

    /** One that keeps what it records, for {@link #history}. */
    public static Recorder inMemory(LongSupplier clock) {
        return new Recorder(clock, null);
    }

    /**
     * One that writes a new file, for {@link History#read}. Every event is handed to the system before the client goes on,
     * so that a process that is killed leaves what it did.
     */
    public static Recorder toFile(Path file, LongSupplier clock) throws IOException {
        return new Recorder(clock, FileChannel.open(file, CREATE_NEW, WRITE, APPEND));
    }

    private void record(String line) {
        if (file == null) {
            kept.add(line);
        } else {
            append(file, line);
        }
    }

    private static void append(FileChannel channel, String line) {
        ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
        // So that the lines of several threads do not mix, even if it takes several writes.
        synchronized (channel) {
            try {
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Begins an operation that has no token yet, or where there are none. */
    public Call call(String client, String lock, Operation.Action action) {
        return call(client, lock, action, 0);
    }

    /** Begins an operation on a hold. */
    public Call call(String client, String lock, Operation.Action action, long token) {
        return call(client, lock, action, Operation.Mode.EXCLUSIVE, 1, token);
    }

    /** Begins an operation. */
    public Call call(
            String client, String lock, Operation.Action action, Operation.Mode mode, int permits, long token) {
        long id = ids.getAndIncrement();
        Operation.Outcome open = Operation.Outcome.UNKNOWN;
        long now = clock.getAsLong();
        Operation called = new Operation(client, lock, action, mode, permits, token, open, now, Operation.OPEN);
        record(Lines.call(id, called));
        return new Call(id, token);
    }

    /** All so far, of a recorder in memory. */
    public History history() {
        if (file != null) {
            throw new IllegalStateException("what goes to a file is to be read from there");
        }
        return History.of(Lines.parse(String.join("", kept)));
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }

    /** An operation that has begun; to be ended once, or never. */
    public final class Call {
        private final long id;
        private final long token;

        private Call(long id, long token) {
            this.id = id;
            this.token = token;
        }

        /** The lock was obtained, with this token; 0 if there are none. */
        public void granted(long newToken) {
            end(Operation.Outcome.GRANTED, newToken);
        }

        /** It came to this. */
        public void ended(Operation.Outcome outcome) {
            end(outcome, token);
        }

        private void end(Operation.Outcome outcome, long endToken) {
            long now = clock.getAsLong();
            record(Lines.outcome(id, now, outcome, endToken));
        }
    }
}
