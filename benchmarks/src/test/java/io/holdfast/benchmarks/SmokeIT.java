package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.holdfast.benchmarks.contenders.BenchLock;
import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.contenders.Session;
import io.holdfast.benchmarks.measure.Metric;
import io.holdfast.benchmarks.workloads.SeveralJvms;
import io.holdfast.benchmarks.workloads.Uncontended;
import io.holdfast.servers.RedisServer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Counts, never times: those are for an idle machine. */
class SmokeIT {
    private static final int CYCLES = 500;

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"holdfast", "jedis"})
    void anUncontendedCycle_isTwoRequests(String contender) {
        Map<Metric, Double> measured =
                new Uncontended(false).measure(Contenders.named(contender), server, Duration.ofSeconds(1));

        // The reading itself and the cycle that is cut off at either end are in it.
        assertThat(measured.get(Metric.REQUESTS)).isCloseTo(2, within(0.1));
        assertThat(measured.get(Metric.LOST_UPDATES)).isZero();
        assertThat(measured.get(Metric.THROUGHPUT)).isPositive();
        assertThat(measured.get(Metric.ALLOCATION)).isPositive();
    }

    @ParameterizedTest
    @CsvSource({"holdfast, 2", "jedis, 1"})
    void anUncontendedCycle_callsSoManyScripts(String name, int scripts) {
        Contender contender = Contenders.named(name);
        try (Session session = contender.open("127.0.0.1", server.port())) {
            BenchLock lock = session.lock("counted");
            cycle(lock); // loads what is loaded once
            long before = server.commandStats().getOrDefault("evalsha", 0L);
            for (int i = 0; i < CYCLES; i++) {
                cycle(lock);
            }
            assertThat(server.commandStats().getOrDefault("evalsha", 0L) - before)
                    .isEqualTo((long) CYCLES * scripts);
        }
    }

    @Test
    void severalJvms_loseNoUpdate() {
        Map<Metric, Double> measured =
                new SeveralJvms(2, 2, 0).measure(Contenders.named("holdfast"), server, Duration.ofMillis(300));

        assertThat(measured.get(Metric.LOST_UPDATES)).isZero();
        assertThat(measured.get(Metric.THROUGHPUT)).isPositive();
        assertThat(measured.getOrDefault(Metric.LARGEST_SHARE, 0.0) + measured.getOrDefault(Metric.SMALLEST_SHARE, 0.0))
                .isCloseTo(100, within(0.01));
    }

    private static void cycle(BenchLock lock) {
        lock.lock();
        lock.unlock();
    }
}
