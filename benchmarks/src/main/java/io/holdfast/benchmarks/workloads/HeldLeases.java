package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.contenders.LeaseKeeper;
import io.holdfast.benchmarks.measure.Heap;
import io.holdfast.benchmarks.measure.InParallel;
import io.holdfast.benchmarks.measure.Metric;
import io.holdfast.benchmarks.measure.Reading;
import io.holdfast.benchmarks.measure.ServerWork;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Many leases held and renewed by one client: what it costs to do nothing. With churn, many other locks were taken and
 * given back before, and whatever those left behind would be renewed along with the rest.
 */
public final class HeldLeases implements Workload {
    private static final List<String> ADMITTED = List.of(Contenders.OURS, "redisson");
    private static final int THREADS = 8;
    private static final int LEASES_IN_WINDOW = 3;

    /** For taking all of them, and for giving them back: ten times what the slowest takes for the most of them without churn. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final int leases;
    private final Duration lease;
    private final Duration churn;

    public HeldLeases(int leases, Duration lease, Duration churn) {
        this.leases = leases;
        this.lease = lease;
        this.churn = churn;
    }

    @Override
    public String name() {
        return "e" + leases / 1000 + "k" + (churn.isZero() ? "" : "-churn");
    }

    @Override
    public String title() {
        return String.format("held: %,d leases of %d s, renewed", leases, lease.toSeconds())
                + (churn.isZero() ? "" : ", after " + churn.toSeconds() + " s of lock and unlock");
    }

    @Override
    public Metric main() {
        return Metric.CLIENT_CPU_PER_SECOND;
    }

    @Override
    public boolean admits(Contender contender) {
        return ADMITTED.contains(contender.name());
    }

    /** Twice at most: the window is long already. */
    @Override
    public int rounds(int asked) {
        return Math.min(asked, leases > 10_000 ? 1 : 2);
    }

    @Override
    public boolean startsCold() {
        return true;
    }

    /** The window does not depend on the time of other measurements. */
    @Override
    public Duration overhead(Duration time) {
        Duration both = Duration.ofMillis(leases / 4).plus(lease);
        return both.plus(window()).plus(churn).minus(time);
    }

    private Duration window() {
        return lease.multipliedBy(LEASES_IN_WINDOW);
    }

    @Override
    public Map<Metric, Double> measure(Contender contender, Servers servers, Duration time) {
        if (!(contender instanceof LeaseKeeper keeper)) {
            throw new IllegalArgumentException(contender.name() + " keeps no leases");
        }
        try (LeaseKeeper.Keeping client = keeper.keep(Servers.HOST, servers.port(contender), lease)) {
            churn(client);
            Object[] held = new Object[leases];
            long heapBefore = Heap.used();
            InParallel.forEach(THREADS, leases, PATIENCE, i -> held[i] = client.take("bench:" + i));
            Pause.of(lease); // renewals find their rhythm
            Map<Metric, Double> metrics = window(servers);
            metrics.put(Metric.HEAP_PER_LEASE, (double) (Heap.used() - heapBefore) / leases);
            AtomicLong lost = new AtomicLong();
            InParallel.forEach(THREADS, leases, PATIENCE, i -> lost.addAndGet(client.release(held[i]) ? 0 : 1));
            metrics.put(Metric.LOST_LEASES, lost.doubleValue());
            return metrics;
        }
    }

    /** Does some of it in any case: classes are loaded, connections opened, code compiled. */
    private void churn(LeaseKeeper.Keeping client) {
        InParallel.forEach(THREADS, Math.min(leases, 1000), i -> client.release(client.take("warm:" + i)));
        InParallel.during(THREADS, nanos -> nanos < churn.toNanos(), i -> client.release(client.take("churn:" + i)));
    }

    private Map<Metric, Double> window(Servers servers) {
        ServerWork workBefore = ServerWork.take(servers.redis());
        Reading before = Reading.take(servers.redis());
        long begin = System.nanoTime();
        Pause.of(window());
        double seconds = (System.nanoTime() - begin) / 1e9;
        Reading cost = Reading.take(servers.redis()).since(before);
        ServerWork work = ServerWork.take(servers.redis()).minus(workBefore);
        Map<Metric, Double> metrics = new TreeMap<>();
        metrics.put(Metric.SENT_PER_SECOND, work.sent() / seconds);
        metrics.put(Metric.CLIENT_CPU_PER_SECOND, cost.clientCpuMicros() / 1e3 / seconds);
        metrics.put(Metric.SERVER_CPU_PER_SECOND, cost.serverCpuMicros() / 1e3 / seconds);
        metrics.put(Metric.RENEWALS, work.renewals() / leases / seconds);
        return metrics;
    }
}
