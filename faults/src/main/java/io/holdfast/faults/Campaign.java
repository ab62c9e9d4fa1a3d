package io.holdfast.faults;

import io.holdfast.faults.contender.Session;
import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.judge.Attempt;
import io.holdfast.faults.judge.Evidence;
import io.holdfast.faults.judge.LogReader.Footprint;
import io.holdfast.faults.judge.Violation;
import io.holdfast.faults.nemesis.FaultKind;
import io.holdfast.faults.nemesis.Injection;
import io.holdfast.faults.nemesis.Nemesis;
import io.holdfast.faults.nemesis.Stage;
import io.holdfast.faults.site.Site;
import io.holdfast.faults.worker.Gate;
import io.holdfast.servers.NetworkHost;
import io.holdfast.servers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** One contender, on one topology, through one fault after the other. */
final class Campaign implements Stage, AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(25);
    private static final Duration PROGRESS = Duration.ofSeconds(5);
    private static final Duration PASSING = Duration.ofMillis(500);
    /** In this time threads end that had something to do in the last fault. */
    private static final Duration SETTLING = Duration.ofSeconds(7);

    private static final Duration WARM_UP = Duration.ofSeconds(3);
    /** Beside five leases: far more than anything here takes to go on. */
    private static final Duration PATIENCE = Duration.ofSeconds(8);
    /** A ticket in a queue lives for six seconds. */
    private static final Duration TICKETS = Duration.ofSeconds(8);

    private final Settings settings;
    private final Consumer<String> out;
    private final Random random;
    private final Evidence evidence;
    private final RedisServer gate;
    private final Site site;
    private final Crew crew;
    private long begin = System.nanoTime();
    private final Map<Workload, Long> lastGrant = new EnumMap<>(Workload.class);
    private final Map<String, Long> asleep = new HashMap<>();
    private int looked;
    private long shown = begin;
    private String now = "starts";

    Campaign(Settings settings, Path folder, Consumer<String> out) {
        this.settings = settings;
        this.out = out;
        this.random = new Random(settings.seed());
        this.evidence = new Evidence(settings.lease(), settings.contender().signalsLoss());
        this.site = Site.start(settings.topology(), settings.workers(), settings.clocks());
        this.gate = RedisServer.builder()
                .host(site.hosts().map(hosts -> hosts.network().here()).orElse(NetworkHost.LOOPBACK))
                .start();
        this.crew = new Crew(settings, site, gate.address(), folder, evidence);
    }

    /**
     * What a run has brought to light.
     *
     * @param impossible which faults this machine cannot have, and why
     */
    record Result(
            Settings settings,
            String servers,
            Evidence evidence,
            List<Footprint> footprints,
            List<String> impossible,
            long passed) {}

    Result run() {
        crew.fill();
        evidence.injections().add(new Injection(FaultKind.NONE, "", System.nanoTime(), System.nanoTime()));
        now = "nothing yet";
        pass(WARM_UP);
        crew.measure();
        begin = System.nanoTime(); // a machine that is slow to start has its faults all the same
        List<FaultKind> kinds = Nemesis.kinds(this).stream()
                .filter(kind -> settings.only().isEmpty() || settings.only().contains(kind))
                .toList();
        List<String> impossible = Nemesis.impossible(this);
        impossible.forEach(out);
        if (kinds.isEmpty()) {
            out.accept("no fault will befall anybody: of " + settings.only() + " none can be dealt out here");
        }
        Nemesis nemesis = new Nemesis(this, kinds);
        String servers = site.describe();
        while (System.nanoTime() - begin < settings.time().toNanos()) {
            if (kinds.isEmpty()) {
                pass(settings.gap());
                continue;
            }
            FaultKind kind = nemesis.draw();
            now = kind.text();
            Injection injection = nemesis.inject(kind);
            evidence.injections().add(injection);
            if (!passUntilGranted(injection.end())) {
                stuck(injection);
            }
            if (kind == FaultKind.KILL) {
                // What it held passes on first: a JVM that starts takes the cores from those whose time is measured.
                pass(settings.lease().plus(PASSING));
            }
            crew.fill();
            pass(settings.gap());
        }
        now = "ends";
        site.heal();
        pass(SETTLING);
        crew.measure();
        pass(WARM_UP);
        List<Footprint> footprints = crew.footprints();
        end();
        return new Result(settings, servers, evidence, footprints, impossible, System.nanoTime() - begin);
    }

    private void stuck(Injection injection) {
        for (Workload workload : settings.workloads()) {
            if (lastGrant.getOrDefault(workload, 0L) <= injection.end()) {
                evidence.saw(new Violation(
                        Violation.Kind.STUCK,
                        workload,
                        true,
                        System.nanoTime(),
                        workload.id() + ": nobody got it for " + patience().toMillis() + " ms after "
                                + injection.kind().text()));
            }
        }
        // Whatever it is, it dies with the processes, and the campaign can go on.
        for (String worker : crew.workers()) {
            if (crew.placeOf(worker) > 0) {
                crew.kill(worker);
            }
        }
        pass(settings.lease().multipliedBy(2));
    }

    private void end() {
        for (String stuck : crew.stop()) {
            out.accept("did not stop: " + stuck);
        }
        evidence.endsAt(System.nanoTime());
        for (Workload workload : settings.workloads()) {
            workload.locks().forEach(lock -> evidence.writes(lock, Gate.order(gate, lock)));
        }
        if (crew.lossesAfterRelease() > 0) {
            evidence.saw(new Violation(
                    Violation.Kind.LOSS_LATE,
                    Workload.LOCK,
                    true,
                    System.nanoTime(),
                    crew.lossesAfterRelease() + " losses were told of what had been given back"));
        }
        crew.close();
        takeAll();
        awaitNoKeys();
    }

    /** When all have gone, one who comes gets everything. */
    private void takeAll() {
        try (Session session = settings.contender().open(settings.topology(), site.addresses(), settings.lease())) {
            for (Workload workload : settings.workloads()) {
                takeAll(session, workload);
            }
        }
    }

    private void takeAll(Session session, Workload workload) {
        String trouble = "";
        Violation.Kind kind = Violation.Kind.NOT_FREE;
        try {
            if (!Newcomer.gets(session, workload, settings.lease().plus(TICKETS))) {
                trouble = "could not be had";
                kind = workload == Workload.SEMAPHORE ? Violation.Kind.PERMITS_LOST : kind;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            trouble = "was not waited for";
        } catch (RuntimeException e) {
            trouble = "could not be had: " + e;
        }
        if (!trouble.isEmpty()) {
            evidence.saw(new Violation(
                    kind, workload, true, System.nanoTime(), workload.id() + " " + trouble + " when all had gone"));
        }
    }

    private void awaitNoKeys() {
        long end = System.nanoTime() + settings.lease().plus(TICKETS).toNanos();
        Set<String> left = left();
        while (!left.isEmpty() && System.nanoTime() - end < 0) {
            sleep(LOOK);
            left = left();
        }
        if (!left.isEmpty()) {
            evidence.saw(new Violation(
                    Violation.Kind.KEYS_LEFT, Workload.LOCK, true, System.nanoTime(), "keys left behind: " + left));
        }
    }

    private Set<String> left() {
        Set<String> keys = new TreeSet<>(site.keys());
        keys.removeIf(settings.contender()::mayStay);
        return keys;
    }

    @Override
    public Site site() {
        return site;
    }

    @Override
    public Duration lease() {
        return settings.lease();
    }

    @Override
    public Random random() {
        return random;
    }

    @Override
    public List<String> workers() {
        return crew.workers();
    }

    @Override
    public int placeOf(String worker) {
        return crew.placeOf(worker);
    }

    @Override
    public Optional<String> holderOf(Workload workload) {
        return crew.holderOf(workload);
    }

    @Override
    public void kill(String worker) {
        crew.kill(worker);
    }

    @Override
    public void pause(String worker) {
        asleep.put(worker, System.nanoTime());
        crew.pause(worker);
    }

    @Override
    public void resume(String worker) {
        crew.resume(worker);
        Long since = asleep.remove(worker);
        if (since != null) {
            evidence.paused(worker, since, System.nanoTime());
        }
    }

    @Override
    public String whyNoClocks() {
        return Crew.whyNoClocks();
    }

    @Override
    public void setClock(String worker, Duration ahead) {
        long seen = crew.clockSteps(worker);
        crew.setClock(worker, ahead);
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (crew.clockSteps(worker) == seen) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException(worker + " has not seen in " + PATIENCE + " that its clock was set");
            }
            pass(LOOK);
        }
    }

    @Override
    public void pass(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        do {
            sleep(Duration.ofNanos(Math.max(0, Math.min(LOOK.toNanos(), end - System.nanoTime()))));
            look();
        } while (System.nanoTime() - end < 0);
    }

    @Override
    public boolean passUntilGranted(long since) {
        long end = System.nanoTime() + patience().toNanos();
        while (System.nanoTime() - end < 0) {
            pass(LOOK);
            if (settings.workloads().stream().allMatch(each -> lastGrant.getOrDefault(each, 0L) > since)) {
                return true;
            }
        }
        return false;
    }

    private Duration patience() {
        return settings.lease().multipliedBy(5).plus(PATIENCE);
    }

    /** Reads what is new, and shows how far it is. */
    private void look() {
        crew.read();
        List<Attempt> attempts = evidence.attempts();
        // What was granted is not the newest that was asked for, but near to it.
        for (int i = Math.max(0, looked - 500); i < attempts.size(); i++) {
            Attempt attempt = attempts.get(i);
            if (attempt.isGranted()) {
                lastGrant.merge(attempt.wish().workload(), attempt.granted(), Math::max);
            }
        }
        looked = attempts.size();
        long time = System.nanoTime();
        if (time - shown > PROGRESS.toNanos()) {
            shown = time;
            out.accept(String.format(
                    Locale.ROOT,
                    "[%s %s %s of %s] %d faults, %,d asked, now: %s",
                    settings.topology().id(),
                    settings.contender().name(),
                    text(Duration.ofNanos(time - begin)),
                    text(settings.time()),
                    evidence.injections().size() - 1,
                    attempts.size(),
                    now));
        }
    }

    private static String text(Duration time) {
        return String.format(Locale.ROOT, "%d:%02d", time.toMinutes(), time.toSecondsPart());
    }

    private static void sleep(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted amid a campaign", e);
        }
    }

    @Override
    public void close() {
        List<AutoCloseable> all = new ArrayList<>(List.of(crew, site, gate));
        for (AutoCloseable each : all) {
            try {
                each.close();
            } catch (Exception e) {
                out.accept("could not be closed: " + e);
            }
        }
    }
}
