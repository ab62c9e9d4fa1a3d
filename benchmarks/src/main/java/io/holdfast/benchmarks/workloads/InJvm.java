package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.contenders.Session;
import io.holdfast.benchmarks.measure.Crew;
import io.holdfast.benchmarks.measure.Metric;
import io.holdfast.benchmarks.measure.Reading;
import io.holdfast.benchmarks.measure.SharedCounter;
import io.holdfast.benchmarks.measure.Times;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One measurement in this JVM: a session, a crew, two readings. */
final class InJvm {
    private InJvm() {}

    /** Threads, spread over names, each of which has room for so many at once. */
    record Crowd(int threads, int names, int places) {}

    /** What the crew did, what it cost, and whether nobody was in who must not be. */
    record Outcome(Contender contender, Crew.Result crew, Reading cost, Map<Metric, Double> exclusion) {}

    static Outcome run(Contender contender, Servers servers, Duration time, Crowd crowd) {
        List<SharedCounter> counters = new ArrayList<>();
        for (int i = 0; i < crowd.names(); i++) {
            counters.add(SharedCounter.inMemory());
        }
        List<Crew.Duty> duties = new ArrayList<>();
        for (int i = 0; i < crowd.threads(); i++) {
            int name = i % crowd.names();
            duties.add(new Crew.Duty("bench:" + name, crowd.places(), counters.get(name), 0));
        }
        try (Session session = contender.openAll(Servers.HOST, servers.ports(contender));
                Crew crew = new Crew(session, duties)) {
            crew.start();
            Pause.of(warmUp(time));
            Reading before = Reading.take(servers.redis());
            crew.count();
            Pause.of(time);
            crew.stop();
            Reading cost = Reading.take(servers.redis()).since(before);
            Crew.Result result = crew.join();
            return new Outcome(contender, result, cost, exclusion(counters, crowd.places(), result.allCycles()));
        }
    }

    /** Where there is room for one, an update that is lost tells more than a count of those who are in. */
    private static Map<Metric, Double> exclusion(List<SharedCounter> counters, int places, long cycles) {
        if (places == 1) {
            long raised = counters.stream().mapToLong(SharedCounter::get).sum();
            return Map.of(Metric.LOST_UPDATES, (double) (cycles - raised));
        }
        long most = counters.stream().mapToLong(SharedCounter::mostInside).max().orElse(0);
        if (most > places) {
            throw new IllegalStateException(most + " were in at once where " + places + " may be");
        }
        return Map.of(Metric.MOST_INSIDE, (double) most);
    }

    static Duration warmUp(Duration time) {
        return time.dividedBy(5);
    }

    /** What every workload in this JVM tells. */
    static Map<Metric, Double> metrics(Outcome outcome) {
        double cycles = outcome.crew().total();
        Reading cost = outcome.cost();
        Map<Metric, Double> metrics = new TreeMap<>();
        metrics.put(Metric.THROUGHPUT, cycles * 1e9 / outcome.crew().nanos());
        costs(metrics, outcome.contender(), cost, cycles);
        clientCosts(metrics, cycles, cost.clientCpuMicros(), cost.allocated());
        metrics.putAll(outcome.exclusion());
        return metrics;
    }

    /** The same, and what a cycle took. */
    static Map<Metric, Double> cycleMetrics(Outcome outcome) {
        Map<Metric, Double> metrics = metrics(outcome);
        Times.CYCLE.put(metrics, outcome.crew().cycleTimes());
        return metrics;
    }

    /** What Redis has seen, if it has seen anything. */
    static void costs(Map<Metric, Double> metrics, Contender contender, Reading cost, double cycles) {
        if (cycles == 0) {
            throw new IllegalStateException("not one cycle in the measured time");
        }
        if (contender.home() == Contender.Home.ZOOKEEPER || contender.home() == Contender.Home.QUORUM) {
            return;
        }
        metrics.put(Metric.REQUESTS, cost.requests() / cycles);
        metrics.put(Metric.COMMANDS, cost.commands() / cycles);
        metrics.put(Metric.BYTES_IN, cost.bytesIn() / cycles);
        metrics.put(Metric.BYTES_OUT, cost.bytesOut() / cycles);
        metrics.put(Metric.SERVER_CPU, cost.serverCpuMicros() / cycles);
    }

    static void clientCosts(Map<Metric, Double> metrics, double cycles, double cpuMicros, double allocated) {
        metrics.put(Metric.CLIENT_CPU, cpuMicros / cycles);
        metrics.put(Metric.ALLOCATION, allocated / cycles);
    }

    /** The one with the most to the one with the least; none at all counts as one, as there is no infinity in JSON. */
    static double fairness(List<Long> cycles) {
        return (double) Collections.max(cycles) / Math.max(1, Collections.min(cycles));
    }
}
