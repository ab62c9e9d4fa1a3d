package io.holdfast.benchmarks.report;

import static io.holdfast.benchmarks.contenders.Contenders.OURS;

import io.holdfast.benchmarks.measure.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What Holdfast wants to reach, and whether it did. */
public final class Goals {
    private static final double ANY = Double.POSITIVE_INFINITY;
    private static final String REDISSON = "redisson";
    private static final String JEDIS = "jedis";

    private static final List<Goal> ALL = Stream.of(
                    uncontended(),
                    throughput(),
                    contended(),
                    severalJvms(),
                    held("e10k"),
                    held("e100k"),
                    rest(),
                    waiters(),
                    fair(),
                    readWrite(),
                    permits(),
                    quorum())
            .flatMap(List::stream)
            .toList();

    private Goals() {}

    /** Ours, or ours over another's, is to be from low to high. */
    public record Goal(
            String workload,
            String text,
            Metric metric,
            @Nullable Other other,
            double low,
            double high) {}

    /** What ours is divided by: the metric of a contender in a workload, for each of so many. */
    public record Other(String workload, String contender, int parts) {}

    /** A goal whose workload and contenders were in the run. */
    public record Outcome(Goal goal, double figure) {
        public boolean reached() {
            return figure >= goal.low() && figure <= goal.high();
        }

        @Override
        public String toString() {
            return String.format(
                    "%-8s %-15s %-62s %s",
                    reached() ? "reached" : "MISSED", goal.workload(), goal.text(), Table.number(figure));
        }
    }

    private static List<Goal> uncontended() {
        List<Goal> goals = new ArrayList<>();
        // The cycle of that contender is two PINGs.
        goals.add(new Goal("a-idle", "p50 <= 2.4 x PING", Metric.CYCLE_P50, new Other("a-idle", "ping", 2), 0, 2.4));
        goals.add(new Goal("a-hot", "p50 <= 3.3 x PING", Metric.CYCLE_P50, new Other("a-hot", "ping", 2), 0, 3.3));
        for (String workload : List.of("a-idle", "a-hot")) {
            goals.add(against(workload, "p50 <= 1.1 x jedis", Metric.CYCLE_P50, JEDIS, 0, 1.1));
            goals.add(against(workload, "p99 <= 1/3 of redisson", Metric.CYCLE_P99, REDISSON, 0, 1 / 3.0));
            // The first reading is in it.
            goals.add(alone(workload, "2 commands per cycle", Metric.REQUESTS, 0, 2.05));
            goals.add(alone(workload, "<= 300 bytes sent per cycle", Metric.BYTES_IN, 0, 300));
        }
        return goals;
    }

    private static List<Goal> throughput() {
        return List.of(
                against("b", "throughput >= 1.3 x jedis on a pool of 10", Metric.THROUGHPUT, JEDIS, 1.3, ANY),
                against("b", "throughput >= 6 x redisson", Metric.THROUGHPUT, REDISSON, 6, ANY));
    }

    private static List<Goal> contended() {
        return List.of(
                against("c16", "throughput >= 60 x redisson", Metric.THROUGHPUT, REDISSON, 60, ANY),
                against("c16", "throughput >= 0.8 x a fair ReentrantLock", Metric.THROUGHPUT, "reentrant", 0.8, ANY),
                alone("c16", "<= 0.03 commands per acquisition", Metric.REQUESTS, 0, 0.03),
                alone("c16", "max/min per thread <= 1.1", Metric.FAIRNESS, 1, 1.1));
    }

    private static List<Goal> severalJvms() {
        return List.of(
                against("d2-0ms", "throughput >= 100 x redisson", Metric.THROUGHPUT, REDISSON, 100, ANY),
                alone("d2-0ms", "smallest share of a JVM >= 45 %", Metric.SMALLEST_SHARE, 45, 50),
                alone("d2-0ms", "largest share of a JVM <= 55 %", Metric.LARGEST_SHARE, 50, 55),
                alone("d2-1ms", "throughput >= 85 % of the ideal 1,000/s", Metric.THROUGHPUT, 850, ANY),
                alone("d2-1ms", "wait p99 <= 50 ms", Metric.WAIT_P99, 0, 50_000));
    }

    private static List<Goal> held(String workload) {
        String churned = workload + "-churn";
        return List.of(
                against(workload, "commands <= 1/5 of redisson", Metric.SENT_PER_SECOND, REDISSON, 0, 1 / 5.0),
                against(workload, "client CPU <= 1/8 of redisson", Metric.CLIENT_CPU_PER_SECOND, REDISSON, 0, 1 / 8.0),
                alone(workload, "<= 250 bytes of heap per lease", Metric.HEAP_PER_LEASE, 0, 250),
                alone(workload, "no lease lost", Metric.LOST_LEASES, 0, 0),
                alone(churned, "no lease lost", Metric.LOST_LEASES, 0, 0),
                new Goal(
                        churned,
                        "renewals per lease as without churn, within 10 %",
                        Metric.RENEWALS,
                        new Other(workload, OURS, 1),
                        0.9,
                        1.1));
    }

    private static List<Goal> rest() {
        return List.of(
                against("f", "p50 <= 1/3 of redisson", Metric.HAND_OVER_P50, REDISSON, 0, 1 / 3.0),
                against("g", "first lock <= 1/3.5 of redisson", Metric.FIRST_LOCK, REDISSON, 0, 1 / 3.5),
                alone("g", "<= 9 jars", Metric.JARS, 0, 9),
                alone("g", "<= 2.5 MB", Metric.JAR_SIZE, 0, 2.5),
                // One entry of a map is ten times as much; the rest of the JVM changes by more than nothing.
                alone("h-names-1000000", "heap as before: <= 4 bytes per name", Metric.HEAP_GROWTH, -ANY, 4),
                alone("h-names-1000000", "Redis memory as before: <= 1 byte per name", Metric.REDIS_GROWTH, -ANY, 1));
    }

    private static List<Goal> waiters() {
        Other one = new Other("h-waiters-1", OURS, 1);
        String with = " with 1,000 waiters as with 1, within 20 %";
        return List.of(
                new Goal("h-waiters-1000", "commands" + with, Metric.SENT_PER_RELEASE, one, 0, 1.2),
                new Goal("h-waiters-1000", "bytes" + with, Metric.BYTES_PER_RELEASE, one, 0, 1.2),
                new Goal("h-waiters-1000", "server time" + with, Metric.SERVER_TIME_PER_RELEASE, one, 0, 1.2));
    }

    private static List<Goal> fair() {
        String theirs = "redisson-fair";
        return List.of(
                uncontended("i-fair-idle", theirs),
                uncontended("i-fair-hot", theirs),
                queued("i-fair-16", theirs),
                inTurn("i-fair-16"),
                against("i-fair-2-0ms", "hand-over p50 <= 1/4 of " + theirs, Metric.HAND_OVER_P50, theirs, 0, 1 / 4.0));
    }

    /** Readers do not queue. */
    private static List<Goal> readWrite() {
        return List.of(
                uncontended("j-read-idle", "redisson-read"),
                uncontended("j-read-hot", "redisson-read"),
                queued("j-write-16", "redisson-write"),
                inTurn("j-write-16"));
    }

    private static List<Goal> permits() {
        List<Goal> goals = new ArrayList<>();
        for (String theirs : List.of("redisson-permit", "redisson-leased")) {
            goals.add(uncontended("k-permit-idle", theirs));
            goals.add(uncontended("k-permit-hot", theirs));
            goals.add(queued("k-permit-16on1", theirs));
            goals.add(queued("k-permit-16on4", theirs));
        }
        goals.add(inTurn("k-permit-16on1"));
        goals.add(inTurn("k-permit-16on4"));
        return goals;
    }

    private static List<Goal> quorum() {
        List<Goal> goals = new ArrayList<>();
        for (String workload : List.of("l-quorum-idle", "l-quorum-hot")) {
            goals.add(against(workload, "p50 <= 1.5 x five bare calls", Metric.CYCLE_P50, "five-calls", 0, 1.5));
            goals.add(against(
                    workload, "p50 <= 1/4 of redisson-redlock", Metric.CYCLE_P50, "redisson-redlock", 0, 1 / 4.0));
        }
        return goals;
    }

    private static Goal uncontended(String workload, String theirs) {
        return against(workload, "p50 <= 1/1.5 of " + theirs, Metric.CYCLE_P50, theirs, 0, 1 / 1.5);
    }

    private static Goal queued(String workload, String theirs) {
        return against(workload, "throughput >= 20 x " + theirs, Metric.THROUGHPUT, theirs, 20, ANY);
    }

    private static Goal inTurn(String workload) {
        return alone(workload, "max/min per thread <= 1.2", Metric.FAIRNESS, 1, 1.2);
    }

    private static Goal alone(String workload, String text, Metric metric, double low, double high) {
        return new Goal(workload, text, metric, null, low, high);
    }

    private static Goal against(
            String workload, String text, Metric metric, String contender, double low, double high) {
        return new Goal(workload, text, metric, new Other(workload, contender, 1), low, high);
    }

    /** All there are. */
    public static List<Goal> all() {
        return ALL;
    }

    /** Those that the run can tell about. */
    public static List<Outcome> judge(Results results) {
        List<Outcome> outcomes = new ArrayList<>();
        for (Goal goal : ALL) {
            Double figure = figure(goal, results);
            if (figure != null) {
                outcomes.add(new Outcome(goal, figure));
            }
        }
        return outcomes;
    }

    private static @Nullable Double figure(Goal goal, Results results) {
        Double ours = results.ours(goal.workload(), goal.metric());
        Other other = goal.other();
        if (ours == null || other == null) {
            return ours;
        }
        Double theirs = results.median(other.workload(), other.contender(), goal.metric());
        return theirs == null ? null : Stats.ratio(ours, theirs / other.parts());
    }
}
