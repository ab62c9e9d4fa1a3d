package io.holdfast.benchmarks.workloads;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.measure.Metric;
import io.holdfast.benchmarks.report.Stats;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** A new JVM with the jars of one contender alone: how long until it holds its first lock. */
public final class FirstLock implements Workload {
    private static final int AT_LEAST = 3;

    private final int runs;

    public FirstLock() {
        this(AT_LEAST);
    }

    /** So often at least. */
    public FirstLock(int runs) {
        this.runs = runs;
    }

    @Override
    public String name() {
        return "g";
    }

    @Override
    public String title() {
        return "start: from the start of a JVM to its first lock";
    }

    @Override
    public Metric main() {
        return Metric.FIRST_LOCK;
    }

    @Override
    public boolean admits(Contender contender) {
        return !contender.artifacts().isEmpty();
    }

    @Override
    public boolean startsCold() {
        return true;
    }

    @Override
    public Duration overhead(Duration time) {
        return Duration.ofSeconds(1);
    }

    @Override
    public Map<Metric, Double> measure(Contender contender, Servers servers, Duration time) {
        Jars jars = Jars.of(contender.artifacts());
        List<Double> millis = new ArrayList<>();
        long end = System.nanoTime() + time.toNanos();
        do {
            millis.add(once(contender, servers.port(contender), jars));
        } while (System.nanoTime() < end || millis.size() < runs);
        Map<Metric, Double> metrics = new TreeMap<>();
        metrics.put(Metric.FIRST_LOCK, Stats.median(millis));
        metrics.put(Metric.JARS, (double) jars.files().size());
        metrics.put(Metric.JAR_SIZE, jars.megabytes());
        return metrics;
    }

    /** Of another name each time, since nobody unlocks. */
    private static double once(Contender contender, int port, Jars jars) {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                Jars.ownClasses() + File.pathSeparator + jars.classPath(),
                FirstLockChild.class.getName(),
                contender.name(),
                Servers.HOST,
                String.valueOf(port),
                "first:" + UUID.randomUUID());
        List<String> said = new ArrayList<>();
        try {
            long begin = System.nanoTime();
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.equals(FirstLockChild.HELD)) {
                        return (System.nanoTime() - begin) / 1e6;
                    }
                    said.add(line);
                }
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("could not run a JVM for " + contender.name(), e);
        }
        throw new IllegalStateException("no lock with " + jars.files() + ": " + String.join("\n", said));
    }
}
