package io.holdfast.redis.api;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Threads that do the same thing at the same moment. */
final class Crowd {
    private static final long PATIENCE_SECONDS = 60;

    private Crowd() {}

    /** What each of them returned; fails with what one of them threw. */
    static <T> List<T> all(int threads, Callable<T> task) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        CyclicBarrier start = new CyclicBarrier(threads);
        try {
            List<Future<T>> futures = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                futures.add(pool.submit(() -> {
                    start.await();
                    return task.call();
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(get(future));
            }
            return results;
        } finally {
            pool.shutdownNow();
        }
    }

    /** What a thread of its own returned; fails with what it threw. */
    static <T> T elsewhere(Callable<T> task) throws Exception {
        return all(1, task).get(0);
    }

    /** Starts a thread of its own. */
    static <T> Future<T> start(Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        Thread thread = new Thread(future, "crowd");
        thread.setDaemon(true);
        thread.start();
        return future;
    }

    static <T> T get(Future<T> future) throws Exception {
        try {
            return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw new AssertionError(e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("a thread of the test has not ended within " + PATIENCE_SECONDS + " s", e);
        }
    }
}
