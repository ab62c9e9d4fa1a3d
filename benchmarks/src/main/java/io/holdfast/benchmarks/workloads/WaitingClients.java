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

    private static final Duration STEP = Duration.ofMillis(2);
    /** In one step; more than this means that not all have asked who were told. */
    private static final double QUIET = 5;

    private static final Duration BACKGROUND = Duration.ofSeconds(1);

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
        return settle().multipliedBy(releases).plusMillis(3000 + 25L * waiters).minus(time);
    }

    /** Until everybody who was told has asked, and sleeps again. */
    private Duration settle() {
        return Duration.ofMillis(30 + waiters / 8);
    }

    @Override
    public Map<Metric, Double> measure(Contender contender, Servers servers, Duration time) {
        try (WaitingLine line = new WaitingLine(contender, servers, waiters + 1)) {
            Pause.of(settle().multipliedBy(5));
            ServerWork background = background(servers);
            ServerWork reading = reading(servers);
            List<ServerWork> works = new ArrayList<>();
            Latencies handOvers = new Latencies();
            for (int i = 0; i < releases; i++) {
                long begin = System.nanoTime();
                ServerWork before = ServerWork.take(servers.redis());
                WaitingLine.Turn turn = line.release();
                handOvers.add(turn.nanos());
                ServerWork work = untilQuiet(servers, before, reading);
                works.add(work.minus(background.times((System.nanoTime() - begin) / 1e9)));
                line.join(turn.from());
                Pause.of(settle());
            }
            Map<Metric, Double> metrics = new TreeMap<>();
            metrics.put(Metric.SENT_PER_RELEASE, median(works, ServerWork::sent));
            metrics.put(Metric.BYTES_PER_RELEASE, median(works, ServerWork::bytes));
            metrics.put(Metric.SERVER_TIME_PER_RELEASE, median(works, ServerWork::micros));
            Times.HAND_OVER.put(metrics, handOvers);
            return metrics;
        }
    }

    /** What the server does for those who wait, per second. */
    private static ServerWork background(Servers servers) {
        ServerWork before = ServerWork.take(servers.redis());
        Pause.of(BACKGROUND);
        return ServerWork.take(servers.redis()).minus(before).minus(reading(servers));
    }

    /** What comes from looking. */
    private static ServerWork reading(Servers servers) {
        ServerWork before = ServerWork.take(servers.redis());
        return ServerWork.take(servers.redis()).minus(before);
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

    /** Not the mean: now and then, many of those who wait ask at once. */
    private static double median(List<ServerWork> works, Function<ServerWork, Double> part) {
        return Stats.median(works.stream().map(part).toList());
    }
}
