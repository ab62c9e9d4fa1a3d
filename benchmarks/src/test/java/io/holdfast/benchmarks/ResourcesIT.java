package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.measure.Metric;
import io.holdfast.benchmarks.workloads.FirstLock;
import io.holdfast.benchmarks.workloads.HeldLeases;
import io.holdfast.benchmarks.workloads.PassedNames;
import io.holdfast.benchmarks.workloads.Servers;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What takes its time to be counted: leases that are held, JVMs that start, names that pass through. */
class ResourcesIT {
    private static Servers servers;

    @BeforeAll
    static void start() {
        servers = Servers.start();
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"holdfast", "redisson"})
    void heldLeases_areRenewed(String contender) {
        Map<Metric, Double> measured = new HeldLeases(100, Duration.ofMillis(1_500), Duration.ofMillis(50))
                .measure(Contenders.named(contender), servers, Duration.ofMillis(1));

        assertThat(measured.get(Metric.RENEWALS)).isPositive();
        assertThat(measured.get(Metric.SENT_PER_SECOND)).isPositive();
        assertThat(measured).containsKeys(Metric.LOST_LEASES, Metric.HEAP_PER_LEASE, Metric.CLIENT_CPU_PER_SECOND);
    }

    /** With its own jars alone: the count says whether that is so. */
    @ParameterizedTest
    @ValueSource(strings = {"holdfast", "redisson", "spring-spin", "lettuce", "jedis", "curator"})
    void aFirstLock_needsNoJarsOfOthers(String contender) {
        Map<Metric, Double> measured =
                new FirstLock(1).measure(Contenders.named(contender), servers, Duration.ofMillis(1));

        assertThat(measured.get(Metric.FIRST_LOCK)).isPositive();
        assertThat(measured.get(Metric.JAR_SIZE)).isPositive();
        assertThat(measured.get(Metric.JARS)).isBetween(7.0, 40.0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"holdfast", "redisson"})
    void names_passThrough(String contender) {
        Map<Metric, Double> measured =
                new PassedNames(200).measure(Contenders.named(contender), servers, Duration.ofMillis(1));

        assertThat(measured.get(Metric.THROUGHPUT)).isPositive();
        assertThat(measured).containsKeys(Metric.HEAP_GROWTH, Metric.REDIS_GROWTH);
        assertThat(servers.redis().keys()).noneMatch(key -> key.contains("bench:"));
    }
}
