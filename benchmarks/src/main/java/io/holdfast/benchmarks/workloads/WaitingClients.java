package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.measure.Latencies;
import io.holdfast.benchmarks.measure.Metric;
import io.holdfast.benchmarks.measure.ServerWork;
import io.holdfast.benchmarks.measure.Times;
import io.holdfast.benchmarks.report.Stats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Many clients wait for one name, one waiter each, so that all of them wait in the server and none in front of it: what
 * one release costs, up to the point where everybody is quiet again. Who had the lock joins the waiters afterwards,
 * which is not measured.
 */
public final class WaitingClients implements Workload {
    private static final List<String> ADMITTED = List.of(Contenders.OURS, "redisson");
    private static final int RELEASES = 60;
    private static final int LOOKS = 30;

    private static final Duration STEP = Duration.ofMillis(2);
    /** In one step; more than this means that not all have asked who were told. */
    private static final double QUIET = 5;

    private final int waiters;
    private final int releases;

    public WaitingClients(int waiters) {
        this(waiters, RELEASES);
    }

    /** With so many releases. */
    public WaitingClients(int waiters, int releases) {
        this.waiters = waiters;
        this.releases = releases;
    }

    @Override
    public String name() {
        return "h-waiters-" + waiters;
    }

    @Override
    public String title() {
        return String.format("waiters: one release, with so many clients that wait: %,d", waiters);
    }

    @Override
    public Metric main() {
        return Metric.SERVER_TIME_PER_RELEASE;
    }

    @Override
    public boolean admits(Contender contender) {
        return ADMITTED.contains(contender.name());
    }

    /** To open a thousand clients takes most of the time. */
    @Override
    public int rounds(int asked) {
        return waiters > 100 ? 1 : Math.min(asked, 3);
    }

    @Override
    public boolean startsCold() {
        return true;
    }

    @Override
    public Duration overhead(Duration time) {
        return settle().multipliedBy(releases)
                .plusMillis(15_000 + 25L * waiters)
                .minus(time);
    }

    /** Until everybody who was told has asked, and sleeps again. */
    private Duration settle() {
        return Duration.ofMillis(30 + waiters / 8);
    }

    /** Until those who ask now and then do so as rarely as they ever will; short if little is measured. */
    private Duration rhythm() {
        return settle().plus(Duration.ofMillis(100L * releases));
    }

    @Override
    public Map<Metric, Double> measure(Contender contender, Servers servers, Duration time) {
        try (WaitingLine line = new WaitingLine(contender, servers, waiters + 1)) {
            Pause.of(rhythm());
            double sentPerSecond = sentPerSecond(servers);
            ServerWork reading = reading(servers);
            List<ServerWork> works = new ArrayList<>();
            Latencies handOvers = new Latencies();
            for (int i = 0; i < releases; i++) {
                ServerWork before = ServerWork.take(servers.redis());
                WaitingLine.Turn turn = line.release();
                handOvers.add(turn.nanos());
                works.add(untilQuiet(servers, before, reading));
                line.join(turn.from());
                Pause.of(settle());
            }
            Map<Metric, Double> metrics = new TreeMap<>();
            metrics.put(Metric.SENT_PER_SECOND, sentPerSecond);
            metrics.put(Metric.SENT_PER_RELEASE, least(works, ServerWork::sent));
            metrics.put(Metric.BYTES_PER_RELEASE, least(works, ServerWork::bytes));
            metrics.put(Metric.SERVER_TIME_PER_RELEASE, least(works, ServerWork::micros));
            Times.HAND_OVER.put(metrics, handOvers);
            return metrics;
        }
    }

    /** What clients send while nothing happens. */
    private double sentPerSecond(Servers servers) {
        ServerWork before = ServerWork.take(servers.redis());
        long begin = System.nanoTime();
        Pause.of(rhythm());
        return ServerWork.take(servers.redis()).minus(before).sent() * 1e9 / (System.nanoTime() - begin);
    }

    /** What comes from looking, and from nobody who asks in the same moment. */
    private static ServerWork reading(Servers servers) {
        List<ServerWork> looks = new ArrayList<>();
        ServerWork before = ServerWork.take(servers.redis());
        for (int i = 0; i < LOOKS; i++) {
            ServerWork now = ServerWork.take(servers.redis());
            looks.add(now.minus(before));
            before = now;
        }
        return looks.stream().min(Comparator.comparingDouble(ServerWork::bytes)).orElseThrow();
    }

    private static ServerWork untilQuiet(Servers servers, ServerWork before, ServerWork reading) {
        ServerWork last = ServerWork.take(servers.redis());
        ServerWork sum = last.minus(before).minus(reading);
        for (ServerWork step = sum; step.sent() > QUIET; sum = sum.plus(step)) {
            Pause.of(STEP);
            ServerWork now = ServerWork.take(servers.redis());
            step = now.minus(last).minus(reading);
            last = now;
        }
        return sum;
    }

    /** The smallest but some: whatever else goes on can only add to it. */
    private static double least(List<ServerWork> works, Function<ServerWork, Double> part) {
        return Stats.lowerTenth(works.stream().map(part).toList());
    }
}
