package io.holdfast.faults;

import io.holdfast.faults.contender.Mode;
import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.judge.Attempt;
import io.holdfast.faults.judge.Evidence;
import io.holdfast.faults.judge.LogReader;
import io.holdfast.faults.site.Site;
import io.holdfast.faults.worker.Worker;
import io.holdfast.servers.JvmProcess;
import io.holdfast.servers.JvmProcessBuilder;
import io.holdfast.servers.NetworkHost;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The processes, and what they write down. A place that became empty is filled by a new process of another name. */
final class Crew implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(60);
    /** The longest wait, and what it takes to notice that nobody answers; Redisson repeats for longer. */
    private static final Duration END = Duration.ofSeconds(40);

    private final Settings settings;
    private final Site site;
    private final String gate;
    private final Path folder;
    private final Evidence evidence;
    private final Map<String, JvmProcess> living = new TreeMap<>();
    private final List<LogReader> logs = new ArrayList<>();
    private final Map<String, LogReader> logOf = new TreeMap<>();
    private int started;

    Crew(Settings settings, Site site, String gate, Path folder, Evidence evidence) {
        this.settings = settings;
        this.site = site;
        this.gate = gate;
        this.folder = folder;
        this.evidence = evidence;
    }

    /** Fills every empty place. */
    void fill() {
        List<String> fresh = new ArrayList<>();
        for (int place = 0; place < settings.workers(); place++) {
            int here = place;
            if (living.keySet().stream().noneMatch(worker -> placeOf(worker) == here)) {
                fresh.add(start(place));
            }
        }
        for (String worker : fresh) {
            JvmProcess process = living.get(worker);
            if (process != null) {
                process.awaitLine(Worker.READY, START);
                open(worker);
            }
        }
    }

    private String start(int place) {
        String name = "p" + place + "." + started++;
        Worker.Order order = new Worker.Order(
                name,
                settings.contender().name(),
                settings.topology(),
                site.addresses(place),
                List.copyOf(settings.workloads()),
                settings.lease(),
                gate,
                log(name),
                settings.seed() + started);
        JvmProcessBuilder process = JvmProcess.of(Worker.class)
                .host(site.hosts().map(hosts -> hosts.of(place)).orElse(NetworkHost.LOOPBACK))
                .options("-XX:+UseSerialGC", "-Xshare:auto")
                .arguments(order.words());
        living.put(name, (whyNoClocks().isEmpty() ? process.movableClock() : process).start());
        return name;
    }

    private Path log(String worker) {
        return folder.resolve(worker + ".events");
    }

    private void open(String worker) {
        try {
            LogReader log = new LogReader(worker, log(worker));
            logs.add(log);
            logOf.put(worker, log);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read what " + worker + " writes down", e);
        }
    }

    /** Reads what is new. */
    void read() {
        logOf.forEach(this::read);
    }

    private void read(String worker, LogReader log) {
        log.read(evidence.attempts());
        log.takeStandstills().forEach(each -> evidence.paused(worker, each.from(), each.to()));
    }

    List<String> workers() {
        return List.copyOf(living.keySet());
    }

    int placeOf(String worker) {
        return Integer.parseInt(worker.substring(1, worker.indexOf('.')));
    }

    Optional<String> holderOf(Workload workload) {
        read();
        return living.keySet().stream()
                .filter(worker -> openOf(worker).stream()
                        .anyMatch(attempt -> attempt.wish().workload() == workload
                                && attempt.wish().mode() == Mode.ALONE
                                && attempt.heldUntil(Attempt.NEVER) > System.nanoTime()))
                .findFirst();
    }

    private List<Attempt> openOf(String worker) {
        LogReader log = logOf.get(worker);
        return log == null ? List.of() : log.open();
    }

    void kill(String worker) {
        JvmProcess process = living.remove(worker);
        if (process != null) {
            evidence.killed(worker, System.nanoTime());
            process.kill9();
            process.close();
            retire(worker);
        }
    }

    /** A process that has gone writes no more. */
    private void retire(String worker) {
        LogReader log = logOf.remove(worker);
        if (log != null) {
            read(worker, log);
            logs.remove(log);
            close(log);
        }
    }

    void pause(String worker) {
        process(worker).pause();
    }

    void resume(String worker) {
        process(worker).resume();
    }

    static String whyNoClocks() {
        return JvmProcess.whyNoMovableClock();
    }

    void setClock(String worker, Duration ahead) {
        process(worker).setClock(ahead);
    }

    /** How often the process saw that its wall clock was stepped. */
    long clockSteps(String worker) {
        read();
        LogReader log = logOf.get(worker);
        return log == null ? 0 : log.clockSteps();
    }

    private JvmProcess process(String worker) {
        JvmProcess process = living.get(worker);
        if (process == null) {
            throw new IllegalArgumentException(worker + " does not live");
        }
        return process;
    }

    /** Has the first process say how much of the machine it has. */
    void measure() {
        living.entrySet().stream()
                .filter(each -> placeOf(each.getKey()) == 0)
                .forEach(each -> each.getValue().send(Worker.STAT));
    }

    /** What the first process said, each time it was asked. */
    List<LogReader.Footprint> footprints() {
        read();
        return logOf.entrySet().stream()
                .filter(each -> placeOf(each.getKey()) == 0)
                .flatMap(each -> each.getValue().footprints().stream())
                .toList();
    }

    long lossesAfterRelease() {
        return logs.stream().mapToLong(log -> log.lossesAfterRelease().size()).sum();
    }

    /** Tells all to stop, and waits for it; returns those who did not. */
    List<String> stop() {
        living.values().forEach(process -> process.send(Worker.STOP));
        List<String> stuck = new ArrayList<>();
        living.forEach((worker, process) -> {
            try {
                process.awaitLine(Worker.DONE, END);
            } catch (IllegalStateException e) {
                stuck.add(worker + ": " + e.getMessage());
            }
        });
        read();
        return stuck;
    }

    private static void close(LogReader log) {
        try {
            log.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        living.values().forEach(JvmProcess::close);
        logs.forEach(Crew::close);
    }
}
