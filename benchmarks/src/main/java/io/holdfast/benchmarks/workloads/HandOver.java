package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.BenchLock;
import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.contenders.Session;
import io.holdfast.benchmarks.measure.Latencies;
import io.holdfast.benchmarks.measure.Metric;
import io.holdfast.benchmarks.measure.Times;
import io.holdfast.servers.JvmProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How long until one who has waited for a while in another JVM goes on: from just before unlock() here to the return of
 * lock() there. Both read the same clock: on Linux, System.nanoTime is CLOCK_MONOTONIC of the machine.
 */
public final class HandOver implements Workload {
    private static final List<String> ADMITTED =
            List.of(Contenders.OURS, "redisson", "redisson-fenced", "spring-pubsub", "jedis", "lettuce");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int WARM_UPS = 100;
    private static final Duration WARM_UP_WAIT = Duration.ofMillis(5);
    /** Each takes its wait, so it takes longer than others to get many. */
    private static final int TIMES = 3;

    private final Duration wait;

    public HandOver(Duration wait) {
        this.wait = wait;
    }

    @Override
    public String name() {
        return "f";
    }

    @Override
    public String title() {
        return "hand-over: to a waiter in another JVM that has waited for " + wait.toMillis() + " ms";
    }

    @Override
    public Metric main() {
        return Metric.HAND_OVER_P50;
    }

    @Override
    public boolean admits(Contender contender) {
        return ADMITTED.contains(contender.name());
    }

    @Override
    public boolean startsCold() {
        return true;
    }

    @Override
    public Duration overhead(Duration time) {
        return time.multipliedBy(TIMES - 1).plusMillis(3500);
    }

    @Override
    public Map<Metric, Double> measure(Contender contender, Servers servers, Duration time) {
        int port = servers.port(contender);
        try (Session session = contender.open(Servers.HOST, port);
                JvmProcess waiter = JvmProcess.of(Waiter.class)
                        .options("-XX:TieredStopAtLevel=4", "-Xmx512m")
                        .arguments(contender.name(), Servers.HOST, String.valueOf(port))
                        .start()) {
            BenchLock lock = session.lock(Waiter.NAME);
            waiter.awaitLine(Waiter.READY, PATIENCE);
            for (int i = 0; i < WARM_UPS; i++) {
                once(lock, waiter, WARM_UP_WAIT);
            }
            Latencies times = new Latencies();
            long end = System.nanoTime() + TIMES * time.toNanos();
            do {
                times.add(once(lock, waiter, wait));
            } while (System.nanoTime() < end);
            Map<Metric, Double> metrics = new TreeMap<>();
            Times.HAND_OVER.put(metrics, times);
            return metrics;
        }
    }

    private static long once(BenchLock lock, JvmProcess waiter, Duration wait) {
        lock.lock();
        waiter.send(Waiter.WAIT);
        Pause.of(wait);
        long freed = System.nanoTime();
        lock.unlock();
        String held = waiter.awaitLine(Waiter.HELD + "\\d+", PATIENCE);
        return Long.parseLong(held.substring(Waiter.HELD.length())) - freed;
    }
}
