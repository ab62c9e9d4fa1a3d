package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.contenders.Primitive;
import io.holdfast.benchmarks.measure.Crew;
import io.holdfast.benchmarks.measure.Latencies;
import io.holdfast.benchmarks.measure.Metric;
import io.holdfast.benchmarks.measure.Reading;
import io.holdfast.benchmarks.measure.SharedCounter;
import io.holdfast.benchmarks.measure.Times;
import io.holdfast.servers.JvmProcess;
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
    private static final Duration IDEAL = Duration.ofMillis(300);

    private final Primitive primitive;
    private final int jvms;
    private final int threads;
    private final int sectionMillis;

    public SeveralJvms(int jvms, int threads, int sectionMillis) {
        this(Primitive.LOCK, jvms, threads, sectionMillis);
    }

    public SeveralJvms(Primitive primitive, int jvms, int threads, int sectionMillis) {
        this.primitive = primitive;
        this.jvms = jvms;
        this.threads = threads;
        this.sectionMillis = sectionMillis;
    }

    @Override
    public Primitive primitive() {
        return primitive;
    }

    @Override
    public String name() {
        return (primitive == Primitive.LOCK ? "d" : primitive.id() + "-") + jvms + "-" + sectionMillis + "ms";
    }

    @Override
    public String title() {
        return primitive.prefix() + "contended: " + jvms + " JVMs x "
                + threads + " threads, 1 name, "
                + (sectionMillis == 0 ? "empty section" : "section of Thread.sleep(" + sectionMillis + ")");
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
        return warmUp(time).plusMillis(1500).plusMillis(400L * jvms);
    }

    /** New JVMs have all their compiling to do. */
    private static Duration warmUp(Duration time) {
        Duration half = time.dividedBy(2);
        return half.compareTo(Duration.ofSeconds(1)) > 0 ? half : Duration.ofSeconds(1);
    }

    @Override
    public Map<Metric, Double> measure(Contender contender, Servers servers, Duration time) {
        Path file = counterFile();
        List<JvmProcess> children = new ArrayList<>();
        double ideal = ideal();
        try {
            SharedCounter counter = SharedCounter.inFile(file);
            for (int i = 0; i < jvms; i++) {
                children.add(start(contender, servers, file));
            }
            children.forEach(child -> child.awaitLine(Child.READY, START));
            children.forEach(child -> child.send(Child.GO));
            Pause.of(warmUp(time));
            Reading before = Reading.take(servers.redis());
            children.forEach(child -> child.send(Child.COUNT));
            Pause.of(time);
            children.forEach(child -> child.send(Child.STOP));
            Reading cost = Reading.take(servers.redis()).since(before);
            List<ChildResult> results = children.stream()
                    .map(child -> ChildResult.parse(child.awaitLine(ChildResult.PREFIX + ".*", END)))
                    .toList();
            Map<Metric, Double> metrics = metrics(contender, results, cost, counter.get());
            if (sectionMillis > 0) {
                metrics.put(Metric.IDEAL, ideal);
            }
            return metrics;
        } finally {
            children.forEach(JvmProcess::close);
            delete(file);
        }
    }

    /** What one thread gets through that asks for no lock. A sleep takes longer than asked, so it is not a round number. */
    private double ideal() {
        long begin = System.nanoTime();
        int sections = 0;
        try {
            for (; System.nanoTime() - begin < IDEAL.toNanos() && sectionMillis > 0; sections++) {
                Crew.section(sectionMillis);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted during a measurement", e);
        }
        return sections * 1e9 / (System.nanoTime() - begin);
    }

    /** With the compilers and the heap of any server: the builder's own defaults are for tests. */
    private JvmProcess start(Contender contender, Servers servers, Path file) {
        return JvmProcess.of(Child.class)
                .options("-XX:TieredStopAtLevel=4", "-Xmx512m")
                .arguments(contender.name(), Servers.HOST, String.valueOf(servers.port(contender)))
                .arguments(String.valueOf(threads), String.valueOf(sectionMillis), file.toString())
                .start();
    }

    private static Map<Metric, Double> metrics(
            Contender contender, List<ChildResult> results, Reading cost, long raised) {
        Latencies waits = new Latencies();
        Latencies handOvers = new Latencies();
        results.forEach(result -> waits.add(result.waitTimes()));
        results.forEach(result -> handOvers.add(result.handOvers()));
        double cycles = results.stream().mapToLong(ChildResult::cycles).sum();
        long all = results.stream().mapToLong(ChildResult::allCycles).sum();
        double cpu = results.stream().mapToLong(ChildResult::cpuNanos).sum() / 1e3;
        double largest = results.stream().mapToLong(ChildResult::cycles).max().orElse(0);
        double smallest = results.stream().mapToLong(ChildResult::cycles).min().orElse(0);
        Map<Metric, Double> metrics = new TreeMap<>();
        InJvm.costs(metrics, contender, cost, cycles);
        double allocated = results.stream().mapToLong(ChildResult::allocated).sum();
        InJvm.clientCosts(metrics, cycles, cpu, allocated);
        metrics.put(
                Metric.JVM_FAIRNESS,
                InJvm.fairness(results.stream().map(ChildResult::cycles).toList()));
        metrics.put(
                Metric.THROUGHPUT,
                results.stream().mapToDouble(ChildResult::throughput).sum());
        metrics.put(Metric.LARGEST_SHARE, 100 * largest / cycles);
        metrics.put(Metric.SMALLEST_SHARE, 100 * smallest / cycles);
        Times.WAIT.put(metrics, waits);
        Times.HAND_OVER.put(metrics, handOvers);
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
