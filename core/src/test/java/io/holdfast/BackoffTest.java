package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BackoffTest {

    @Test
    void default_isFrom100MillisTo2Seconds() {
        assertThat(Backoff.DEFAULT).isEqualTo(new Backoff(Duration.ofMillis(100), Duration.ofSeconds(2)));
    }

    @Test
    void limits_areAllowedThemselves() {
        Backoff widest = new Backoff(Duration.ofMillis(1), Duration.ofMinutes(1));

        assertThat(widest.first()).isEqualTo(Duration.ofMillis(1));
        assertThat(widest.longest()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void equalSteps_areAllowed() {
        Backoff constant = new Backoff(Duration.ofMillis(50), Duration.ofMillis(50));

        assertThat(constant.longest()).isEqualTo(constant.first());
    }

    @Test
    void firstBelowOneMilli_isRefusedWithTheValueAndTheRule() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Backoff(Duration.ofNanos(999_999), Duration.ofSeconds(1)))
                .withMessage("backoff of PT0.000999999S is below the minimum of 1 ms");
    }

    @Test
    void firstThatHasNoMillis_isRefusedAndNotAnOverflow() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Backoff(Duration.ofSeconds(Long.MIN_VALUE), Duration.ofSeconds(1)))
                .withMessageContaining("below the minimum of 1 ms");
    }

    @Test
    void longestAboveOneMinute_isRefusedWithTheValueAndTheRule() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Backoff(Duration.ofMillis(1), Duration.ofSeconds(61)))
                .withMessage("backoff of PT1M1S is above the maximum of 1 min");
    }

    @Test
    void longestShorterThanFirst_isRefusedWithBoth() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Backoff(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .withMessage("longest backoff PT1S is shorter than the first one of PT2S");
    }

    @Test
    @SuppressWarnings("NullAway") // that is the test
    void null_isRefusedByName() {
        assertThatNullPointerException()
                .isThrownBy(() -> new Backoff(null, Duration.ofSeconds(1)))
                .withMessage("first");
        assertThatNullPointerException()
                .isThrownBy(() -> new Backoff(Duration.ofSeconds(1), null))
                .withMessage("longest");
    }
}
