package io.holdfast.faults.scenario;

import io.holdfast.faults.contender.Contender;
import io.holdfast.faults.contender.Held;
import io.holdfast.faults.contender.Mode;
import io.holdfast.faults.contender.Session;
import io.holdfast.faults.contender.Wish;
import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.report.Cells;
import io.holdfast.servers.RedisServer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** What several scenarios need. */
final class Bench {
    /** For what must come, however slow the machine is. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** For a whole scenario. */
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private static final long LOOK_MILLIS = 2;

    private Bench() {}

    static Wish lock(String name) {
        return new Wish(Workload.LOCK, Mode.ALONE, List.of(name), 1);
    }

    static Wish fair(String name) {
        return new Wish(Workload.FAIR, Mode.ALONE, List.of(name), 1);
    }

    static Held take(Session session, Wish wish) throws InterruptedException {
        Held held = session.take(wish, PATIENCE);
        if (held == null) {
            throw new IllegalStateException(wish.locks() + " was not to be had in " + PATIENCE);
        }
        return held;
    }

    /** Keys that belong to that lock, and do not stay for good. */
    static Set<String> keysOf(String lock, Contender contender, Collection<RedisServer> servers) {
        Set<String> keys = new TreeSet<>();
        servers.forEach(server -> keys.addAll(server.keys()));
        keys.removeIf(key -> !key.contains(lock) || contender.mayStay(key));
        return keys;
    }

    static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("not in " + PATIENCE + ": " + what);
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    static void sleep(Duration time) throws InterruptedException {
        Thread.sleep(time.toMillis());
    }

    /** Times in nanoseconds, for people. */
    static String spread(List<Long> nanos) {
        List<Long> sorted = nanos.stream().sorted().toList();
        String least = Cells.millis(sorted.get(0));
        String most = Cells.millis(sorted.get(sorted.size() - 1));
        return least.equals(most) ? least : least + " to " + most;
    }

    /** A thread of its own: some locks belong to the thread that took them. */
    static final class Hand implements AutoCloseable {
        private final ExecutorService thread;

        Hand(String name) {
            this.thread = Executors.newSingleThreadExecutor(work -> {
                Thread made = new Thread(work, name);
                made.setDaemon(true);
                return made;
            });
        }

        <T> Future<T> begin(Callable<T> work) {
            return thread.submit(work);
        }

        <T> T run(Callable<T> work) throws InterruptedException {
            return result(begin(work));
        }

        /** What came of it; what it failed with is thrown again if it is unchecked. */
        static <T> T result(Future<T> work) throws InterruptedException {
            try {
                return work.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof RuntimeException cause) {
                    throw cause;
                }
                throw new IllegalStateException(e.getCause());
            } catch (TimeoutException e) {
                throw new IllegalStateException("not done in " + LIMIT, e);
            }
        }

        @Override
        public void close() {
            thread.shutdownNow();
        }
    }
}
