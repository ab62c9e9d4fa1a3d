package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Backoff;
import io.holdfast.spi.Platform;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** Half of each pause is certain, the rest is drawn, and they double up to the longest. */
class PausesTest {
    private static Pauses drawing(LongUnaryOperator random) {
        Platform platform = (Platform) Proxy.newProxyInstance(
                Platform.class.getClassLoader(),
                new Class<?>[] {Platform.class},
                (proxy, method, args) -> random.applyAsLong((Long) args[0]));
        return new Pauses(new Backoff(Duration.ofMillis(100), Duration.ofMillis(400)), platform);
    }

    private static long nextMillis(Pauses pauses) {
        return pauses.nextNanos() / 1_000_000;
    }

    @Test
    void theyAreAtMostTheStep() {
        Pauses pauses = drawing(bound -> bound - 1);

        assertThat(nextMillis(pauses)).isEqualTo(100);
        assertThat(nextMillis(pauses)).isEqualTo(200);
        assertThat(nextMillis(pauses)).isEqualTo(400);
        assertThat(nextMillis(pauses)).isEqualTo(400);
        pauses.reset();
        assertThat(nextMillis(pauses)).isEqualTo(100);
    }

    @Test
    void theyAreAtLeastHalfTheStep() {
        Pauses pauses = drawing(bound -> 0);

        assertThat(nextMillis(pauses)).isEqualTo(50);
        assertThat(nextMillis(pauses)).isEqualTo(100);
        assertThat(nextMillis(pauses)).isEqualTo(200);
        assertThat(nextMillis(pauses)).isEqualTo(200);
    }
}
