package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.BenchLock;
import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.contenders.Session;
import io.holdfast.benchmarks.measure.Heap;
import io.holdfast.benchmarks.measure.InParallel;
import io.holdfast.benchmarks.measure.Metric;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Each name once, then the next one: whether anything is left of them, in the client or in the server. */
public final class PassedNames implements Workload {
    private static final List<String> ADMITTED = List.of(Contenders.OURS, "redisson");
    private static final int THREADS = 8;
    private static final int WARM_UPS = 2000;
    /** Guessed low, so that the estimate is not. */
    private static final int PER_MILLI = 10;

    private final int names;

    public PassedNames(int names) {
        this.names = names;
    }

    @Override
    public String name() {
        return "h-names-" + names;
    }

    @Override
    public String title() {
        return String.format("names: %,d, each locked and unlocked once by one of %d threads", names, THREADS);
    }

    @Override
    public Metric main() {
        return Metric.THROUGHPUT;
    }

    @Override
    public boolean admits(Contender contender) {
        return ADMITTED.contains(contender.name());
    }

    @Override
    public int rounds(int asked) {
        return names > 100_000 ? 1 : asked;
    }

    @Override
    public boolean startsCold() {
        return true;
    }

    @Override
    public Duration overhead(Duration time) {
        return Duration.ofMillis(1500 + names / PER_MILLI).minus(time);
    }

    @Override
    public Map<Metric, Double> measure(Contender contender, Servers servers, Duration time) {
        try (Session session = contender.open(Servers.HOST, servers.port(contender))) {
            pass(session, "warm:", WARM_UPS);
            long heapBefore = Heap.used();
            long redisBefore = servers.redis().usedMemory();
            long begin = System.nanoTime();
            pass(session, "bench:", names);
            double seconds = (System.nanoTime() - begin) / 1e9;
            Map<Metric, Double> metrics = new TreeMap<>();
            metrics.put(Metric.THROUGHPUT, names / seconds);
            metrics.put(Metric.HEAP_GROWTH, (double) (Heap.used() - heapBefore) / names);
            metrics.put(Metric.REDIS_GROWTH, (double) (servers.redis().usedMemory() - redisBefore) / names);
            return metrics;
        }
    }

    private static void pass(Session session, String prefix, int count) {
        InParallel.forEach(THREADS, count, i -> {
            BenchLock lock = session.lock(prefix + i);
            lock.lock();
            lock.unlock();
        });
    }
}
