package io.holdfast.benchmarks.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.LongPredicate;

/** The same work many times over, by a few threads that are gone at the end. */
public final class InParallel {
    private InParallel() {}

    /** Once for each number below that count. */
    public static void forEach(int threads, int count, IntConsumer work) {
        run(threads, thread -> {
            for (int i = thread; i < count; i += threads) {
                work.accept(i);
            }
        });
    }

    /** The same, but what has not begun within that time is left, and a failure tells how much was done. */
    public static void forEach(int threads, int count, Duration limit, IntConsumer work) {
        long begin = System.nanoTime();
        AtomicInteger done = new AtomicInteger();
        run(threads, thread -> {
            for (int i = thread; i < count && System.nanoTime() - begin < limit.toNanos(); i += threads) {
                work.accept(i);
                done.incrementAndGet();
            }
        });
        if (done.get() < count) {
            throw new IllegalStateException(
                    String.format("only %,d of %,d within %d s", done.get(), count, limit.toSeconds()));
        }
    }

    /** Again and again while asked to, with a number that no other call gets. */
    public static void during(int threads, LongPredicate goesOn, IntConsumer work) {
        long begin = System.nanoTime();
        run(threads, thread -> {
            for (int i = thread; goesOn.test(System.nanoTime() - begin); i += threads) {
                work.accept(i);
            }
        });
    }

    private static void run(int threads, IntConsumer work) {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                running.add(executor.submit(() -> work.accept(thread)));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted during a measurement", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a thread failed: " + e.getCause(), e.getCause());
        } finally {
            executor.shutdownNow();
        }
    }
}
