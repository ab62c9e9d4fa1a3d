package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.holdfast.benchmarks.measure.InParallel;
import io.holdfast.benchmarks.measure.Latencies;
import io.holdfast.benchmarks.measure.Metric;
import io.holdfast.benchmarks.measure.ServerWork;
import io.holdfast.benchmarks.measure.Times;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MeasureTest {
    @Test
    void serverWork_leavesOutWhatScriptsCall() {
        ServerWork work = ServerWork.of(
                Map.of(
                        "cmdstat_evalsha", "calls=10,usec=500,usec_per_call=50.00",
                        "cmdstat_ping", "calls=2,usec=4,usec_per_call=2.00",
                        "cmdstat_pexpire", "calls=30,usec=90,usec_per_call=3.00",
                        "cmdstat_info", "calls=7,usec=700,usec_per_call=100.00"),
                Map.of("total_net_input_bytes", "1000", "total_net_output_bytes", "24"));

        assertThat(work).isEqualTo(new ServerWork(12, 504, 30, 1024));
        assertThat(work.minus(new ServerWork(2, 4, 0, 24))).isEqualTo(new ServerWork(10, 500, 30, 1000));
        assertThat(work.plus(work)).isEqualTo(new ServerWork(24, 1008, 60, 2048));
    }

    @Test
    void times_areInMicroseconds() {
        Latencies latencies = new Latencies();
        IntStream.rangeClosed(1, 1000).forEach(micros -> latencies.add(micros * 1000L));
        Map<Metric, Double> metrics = new TreeMap<>();

        Times.HAND_OVER.put(metrics, latencies);

        assertThat(metrics)
                .containsOnlyKeys(Metric.HAND_OVER_P50, Metric.HAND_OVER_P99, Metric.HAND_OVER_P999)
                .hasEntrySatisfying(Metric.HAND_OVER_P50, p50 -> assertThat(p50).isCloseTo(500, within(5.0)))
                .hasEntrySatisfying(
                        Metric.HAND_OVER_P999, p999 -> assertThat(p999).isCloseTo(999, within(9.0)));
    }

    @Test
    void inParallel_doesEachOnce_andTellsOfAFailure() {
        Queue<Integer> done = new ConcurrentLinkedQueue<>();

        InParallel.forEach(3, 100, done::add);

        assertThat(done)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 100).boxed().toList());
        assertThatThrownBy(() -> InParallel.forEach(2, 2, i -> {
                    throw new IllegalStateException("not today");
                }))
                .hasMessageContaining("not today");
    }

    @Test
    void inParallel_withoutTimeForAll_tellsHowManyWereDone() {
        assertThatThrownBy(() -> InParallel.forEach(2, 3, Duration.ZERO, i -> {}))
                .hasMessage("only 0 of 3 within 0 s");
        assertThatCode(() -> InParallel.forEach(2, 3, Duration.ofMinutes(1), i -> {}))
                .doesNotThrowAnyException();
    }
}
