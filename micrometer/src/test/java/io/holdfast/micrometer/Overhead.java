package io.holdfast.micrometer;

import com.sun.management.OperatingSystemMXBean;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockListener;
import io.holdfast.servers.RedisServer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.Recording;

/**
 * Measures what meters, observations and a flight recording add to one lock and unlock, without contention, by one thread: in
 * memory, where there is nothing else, and on a Redis server of its own. It is the processor's time that is measured, which a busy
 * machine does not change as it does that of the clock. The ways take turns; what is printed is the median.
 */
public final class Overhead {
    private static final int TURNS = 5;

    private Overhead() {}

    /** Runs it. */
    public static void main(String[] args) throws Exception {
        measure("memory:", 20_000);
        try (RedisServer redis = RedisServer.start()) {
            measure(redis.uri(), 1_000);
        }
    }

    private static void measure(String uri, int cycles) throws Exception {
        Map<String, List<Double>> times = new LinkedHashMap<>();
        for (int turn = 0; turn < TURNS; turn++) {
            note(times, "nobody listens", cycle(uri, cycles));
            note(times, "a listener that does nothing", cycle(uri, cycles, new LockListener() {}));
            note(
                    times,
                    "meters",
                    cycle(uri, cycles, HoldfastMetrics.of(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT))));
            note(times, "observations", cycle(uri, cycles, HoldfastObservations.of(observed())));
            try (Recording recording = new Recording()) {
                recording.start();
                note(times, "a flight recording", cycle(uri, cycles));
            }
        }
        System.out.println(uri.startsWith("memory") ? "in memory" : "on Redis");
        times.forEach((way, all) -> {
            Collections.sort(all);
            System.out.printf("%-44s %.1f (%.1f to %.1f) |%n", way, all.get(TURNS / 2), all.get(0), all.get(TURNS - 1));
        });
    }

    private static ObservationRegistry observed() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {
            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        return registry;
    }

    private static void note(Map<String, List<Double>> times, String way, double[] micros) {
        times.computeIfAbsent("| " + way + " | caller |", any -> new ArrayList<>())
                .add(micros[0]);
        times.computeIfAbsent("| " + way + " | process |", any -> new ArrayList<>())
                .add(micros[1]);
    }

    private static long caller() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static long process() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static double[] cycle(String uri, int cycles, LockListener... listeners) {
        Holdfast.Builder builder = Holdfast.builder().uri(uri);
        for (LockListener listener : listeners) {
            builder.listener(listener);
        }
        try (Holdfast locks = builder.build()) {
            DistributedLock lock = locks.lock("order:12345");
            for (int i = 0; i < cycles / 4; i++) {
                lock.lock();
                lock.unlock();
            }
            long start = caller();
            long all = process();
            for (int i = 0; i < cycles; i++) {
                lock.lock();
                lock.unlock();
            }
            return new double[] {(caller() - start) / 1_000.0 / cycles, (process() - all) / 1_000.0 / cycles};
        }
    }
}
