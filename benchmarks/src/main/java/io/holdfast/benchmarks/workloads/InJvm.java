package io.holdfast.benchmarks.workloads;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.contenders.Session;
import io.holdfast.benchmarks.measure.Crew;
import io.holdfast.benchmarks.measure.Metric;
import io.holdfast.benchmarks.measure.Reading;
import io.holdfast.benchmarks.measure.SharedCounter;
import io.holdfast.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One measurement in this JVM: a session, a crew, two readings. */
final class InJvm {
    static final String HOST = "127.0.0.1";

    private InJvm() {}

    /** What the crew did and what it cost. */
    record Outcome(Crew.Result crew, Reading cost, long lost) {}

    static Outcome run(Contender contender, RedisServer server, Duration time, int threads, int names) {
        List<SharedCounter> counters = new ArrayList<>();
        for (int i = 0; i < names; i++) {
            counters.add(SharedCounter.inMemory());
        }
        List<Crew.Duty> duties = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            duties.add(new Crew.Duty("bench:" + i % names, counters.get(i % names), 0));
        }
        try (Session session = contender.open(HOST, server.port());
                Crew crew = new Crew(session, duties)) {
            crew.start();
            Pause.of(warmUp(time));
            Reading before = Reading.take(server);
            crew.count();
            Pause.of(time);
            crew.stop();
            Reading cost = Reading.take(server).since(before);
            Crew.Result result = crew.join();
            long raised = counters.stream().mapToLong(SharedCounter::get).sum();
            return new Outcome(result, cost, result.allCycles() - raised);
        }
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
        costs(metrics, cost, cycles, cost.clientCpuMicros());
        metrics.put(Metric.LOST_UPDATES, (double) outcome.lost());
        return metrics;
    }

    /** What the server has seen, and the CPU time of the clients. */
    static void costs(Map<Metric, Double> metrics, Reading cost, double cycles, double clientCpuMicros) {
        if (cycles == 0) {
            throw new IllegalStateException("not one cycle in the measured time");
        }
        metrics.put(Metric.REQUESTS, cost.requests() / cycles);
        metrics.put(Metric.COMMANDS, cost.commands() / cycles);
        metrics.put(Metric.BYTES_IN, cost.bytesIn() / cycles);
        metrics.put(Metric.BYTES_OUT, cost.bytesOut() / cycles);
        metrics.put(Metric.SERVER_CPU, cost.serverCpuMicros() / cycles);
        metrics.put(Metric.CLIENT_CPU, clientCpuMicros / cycles);
    }

    /** The one with the most to the one with the least; none at all counts as one, as there is no infinity in JSON. */
    static double fairness(List<Long> cycles) {
        return (double) Collections.max(cycles) / Math.max(1, Collections.min(cycles));
    }
}
