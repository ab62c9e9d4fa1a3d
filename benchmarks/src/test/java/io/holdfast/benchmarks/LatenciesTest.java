package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.holdfast.benchmarks.measure.Latencies;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LatenciesTest {
    @Test
    void percentile_ofSmallTimes_isExact() {
        Latencies times = upTo(100);

        assertThat(times.percentile(0.5)).isEqualTo(50);
        assertThat(times.percentile(0.99)).isEqualTo(99);
        assertThat(times.percentile(0.999)).isEqualTo(100);
        assertThat(times.percentile(0)).isEqualTo(1);
        assertThat(times.percentile(1)).isEqualTo(100);
    }

    @Test
    void percentile_ofLargeTimes_isOffByLessThanOnePercent() {
        Latencies times = upTo(1_000_000);

        assertThat(times.percentile(0.5)).isCloseTo(500_000, within(5_000.0));
        assertThat(times.percentile(0.99)).isCloseTo(990_000, within(9_900.0));
        assertThat(times.percentile(0.999)).isCloseTo(999_000, within(9_990.0));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 127, 128, 255, 256, 257, 65_535, 65_536, 3_600_000_000_000L, Long.MAX_VALUE})
    void percentile_ofOneTime_isThatTime(long nanos) {
        Latencies times = new Latencies();
        times.add(nanos);

        assertThat(times.percentile(0.5)).isCloseTo((double) nanos, within(nanos / 128.0));
    }

    @Test
    void percentile_ofNothing_isNoNumber() {
        assertThat(new Latencies().percentile(0.5)).isNaN();
    }

    @Test
    void parse_givesBackWhatWasPrinted_andAddsUp() {
        Latencies sum = Latencies.parse(upTo(1000).print());
        sum.add(upTo(500));

        assertThat(sum.count()).isEqualTo(1500);
        assertThat(sum.percentile(0.5)).isCloseTo(375, within(3.0));
        assertThat(Latencies.parse("").count()).isZero();
    }

    private static Latencies upTo(int largest) {
        Latencies times = new Latencies();
        for (int nanos = 1; nanos <= largest; nanos++) {
            times.add(nanos);
        }
        return times;
    }
}
