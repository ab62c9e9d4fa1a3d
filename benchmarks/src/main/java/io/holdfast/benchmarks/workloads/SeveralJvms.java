package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.measure.Latencies;
import io.holdfast.benchmarks.measure.Metric;
import io.holdfast.benchmarks.measure.Reading;
import io.holdfast.benchmarks.measure.SharedCounter;
import io.holdfast.servers.JvmProcess;
import io.holdfast.servers.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Several JVMs, of some threads each, want the same name. */
public final class SeveralJvms implements Workload {
    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration END = Duration.ofSeconds(60);

    private final int jvms;
    private final int threads;
    private final int sectionMillis;

    public SeveralJvms(int jvms, int threads, int sectionMillis) {
        this.jvms = jvms;
        this.threads = threads;
        this.sectionMillis = sectionMillis;
    }

    @Override
    public String name() {
        return "d" + jvms + "-" + sectionMillis + "ms";
    }

    @Override
    public String title() {
        return "contended: " + jvms + " JVMs x " + threads + " threads, 1 name, section of " + sectionMillis + " ms";
    }

    @Override
    public Metric main() {
        return Metric.THROUGHPUT;
    }

    @Override
    public boolean admits(Contender contender) {
        return contender.reach() == Contender.Reach.JVMS;
    }

    @Override
    public boolean startsCold() {
        return true;
    }

    @Override
    public Duration overhead(Duration time) {
        return warmUp(time).plusMillis(1200).plusMillis(400L * jvms);
    }

    /** New JVMs have all their compiling to do. */
    private static Duration warmUp(Duration time) {
        Duration half = time.dividedBy(2);
        return half.compareTo(Duration.ofSeconds(1)) > 0 ? half : Duration.ofSeconds(1);
    }

    @Override
    public Map<Metric, Double> measure(Contender contender, RedisServer server, Duration time) {
        Path file = counterFile();
        List<JvmProcess> children = new ArrayList<>();
        try {
            SharedCounter counter = SharedCounter.inFile(file);
            for (int i = 0; i < jvms; i++) {
                children.add(start(contender, server, file));
            }
            children.forEach(child -> child.awaitLine(Child.READY, START));
            children.forEach(child -> child.send(Child.GO));
            Pause.of(warmUp(time));
            Reading before = Reading.take(server);
            children.forEach(child -> child.send(Child.COUNT));
            Pause.of(time);
            children.forEach(child -> child.send(Child.STOP));
            Reading cost = Reading.take(server).since(before);
            List<ChildResult> results = children.stream()
                    .map(child -> ChildResult.parse(child.awaitLine(ChildResult.PREFIX + ".*", END)))
                    .toList();
            return metrics(results, cost, counter.get());
        } finally {
            children.forEach(JvmProcess::close);
            delete(file);
        }
    }

    /** With the compilers and the heap of any server: the builder's own defaults are for tests. */
    private JvmProcess start(Contender contender, RedisServer server, Path file) {
        return JvmProcess.of(Child.class)
                .options("-XX:TieredStopAtLevel=4", "-Xmx512m")
                .arguments(contender.name(), InJvm.HOST, String.valueOf(server.port()))
                .arguments(String.valueOf(threads), String.valueOf(sectionMillis), file.toString())
                .start();
    }

    private static Map<Metric, Double> metrics(List<ChildResult> results, Reading cost, long raised) {
        Latencies waits = new Latencies();
        results.forEach(result -> waits.add(result.waitTimes()));
        double cycles = results.stream().mapToLong(ChildResult::cycles).sum();
        long all = results.stream().mapToLong(ChildResult::allCycles).sum();
        double cpu = results.stream().mapToLong(ChildResult::cpuNanos).sum() / 1e3;
        double largest = results.stream().mapToLong(ChildResult::cycles).max().orElse(0);
        double smallest = results.stream().mapToLong(ChildResult::cycles).min().orElse(0);
        Map<Metric, Double> metrics = new TreeMap<>();
        InJvm.costs(metrics, cost, cycles, cpu);
        metrics.put(
                Metric.THROUGHPUT,
                results.stream().mapToDouble(ChildResult::throughput).sum());
        metrics.put(Metric.LARGEST_SHARE, 100 * largest / cycles);
        metrics.put(Metric.SMALLEST_SHARE, 100 * smallest / cycles);
        metrics.put(Metric.WAIT_P50, waits.percentile(0.5) / 1e3);
        metrics.put(Metric.WAIT_P99, waits.percentile(0.99) / 1e3);
        metrics.put(Metric.LOST_UPDATES, (double) (all - raised));
        return metrics;
    }

    private static Path counterFile() {
        try {
            return Files.createTempFile("holdfast-counter", null);
        } catch (IOException e) {
            throw new UncheckedIOException("could not make the file of the counter", e);
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException("could not delete the file of the counter", e);
        }
    }
}
