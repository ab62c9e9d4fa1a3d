package io.holdfast.redis.counter;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockException;
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
    private CountingMain() {}

    /** The arguments: store URI, file, id of the process, number of threads. */
    public static void main(String[] args) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        try (Holdfast locks = Holdfast.connect(args[0])) {
            Thread[] threads = new Thread[Integer.parseInt(args[3])];
            for (int i = 0; i < threads.length; i++) {
                String id = args[2] + "." + i;
                threads[i] = new Thread(() -> count(locks, Path.of(args[1]), id, over));
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

    private static void count(Holdfast locks, Path file, String id, AtomicBoolean over) {
        DistributedLock lock = locks.lock("counter", o -> o.lease(Duration.ofSeconds(2)));
        int counted = 0;
        while (!over.get()) {
            try {
                lock.lock();
            } catch (LockException e) {
                System.out.println("failed " + e.getMessage());
                continue;
            }
            boolean safe;
            try {
                addOne(file, id);
            } finally {
                safe = lock.unlock();
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
