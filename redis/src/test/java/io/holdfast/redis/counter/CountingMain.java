package io.holdfast.redis.counter;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockException;
import io.holdfast.testkit.history.Operation.Action;
import io.holdfast.testkit.history.Operation.Outcome;
import io.holdfast.testkit.history.Recorder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A process whose threads count in a file: read, add one, write, under the lock. Says {@code id n} after every count that
 * was protected to its end, and ends when it reads a line.
 */
final class CountingMain {
    private static final String NAME = "counter";

    private CountingMain() {}

    /** The arguments: store URI, file, id of the process, number of threads, file for the history. */
    public static void main(String[] args) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        try (Holdfast locks = Holdfast.connect(args[0]);
                Recorder recorder = Recorder.toFile(Path.of(args[4]), System::nanoTime)) {
            Thread[] threads = new Thread[Integer.parseInt(args[3])];
            for (int i = 0; i < threads.length; i++) {
                String id = args[2] + "." + i;
                threads[i] = new Thread(() -> count(locks, Path.of(args[1]), id, over, recorder));
                threads[i].start();
            }
            System.in.read();
            over.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
        }
        System.out.println("done");
    }

    private static void count(Holdfast locks, Path file, String id, AtomicBoolean over, Recorder recorder) {
        DistributedLock lock = locks.lock(NAME, o -> o.lease(Duration.ofSeconds(2)));
        int counted = 0;
        while (!over.get()) {
            Recorder.Call acquire = recorder.call(id, NAME, Action.ACQUIRE);
            try {
                lock.lock();
                acquire.granted(0);
            } catch (LockException e) {
                System.out.println("failed " + e.getMessage());
                continue;
            }
            boolean safe;
            try {
                addOne(file, id);
                Recorder.Call check = recorder.call(id, NAME, Action.RENEW);
                check.ended(lock.isHeldByCurrentThread() ? Outcome.DONE : Outcome.LOST);
            } finally {
                Recorder.Call release = recorder.call(id, NAME, Action.RELEASE);
                safe = lock.unlock();
                release.ended(safe ? Outcome.DONE : Outcome.LOST);
            }
            System.out.println(safe ? id + " " + ++counted : "lost " + id);
        }
    }

    /** Nothing here protects two from reading the same; the rename only keeps a kill from tearing the file. */
    private static void addOne(Path file, String id) {
        try {
            Properties counts = read(file);
            counts.setProperty(id, String.valueOf(Integer.parseInt(counts.getProperty(id, "0")) + 1));
            Path next = file.resolveSibling("next." + id);
            StringBuilder text = new StringBuilder();
            counts.forEach(
                    (key, value) -> text.append(key).append('=').append(value).append('\n'));
            Files.writeString(next, text);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Properties read(Path file) throws IOException {
        Properties counts = new Properties();
        if (Files.exists(file)) {
            try (var in = Files.newBufferedReader(file)) {
                counts.load(in);
            }
        }
        return counts;
    }
}
