package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LockOptionsTest {
    private static final Duration HUGE = Duration.ofSeconds(Long.MAX_VALUE);

    @Test
    void defaults_areTheDocumentedOnes() {
        LockOptions options = LockOptions.builder().build();

        assertThat(options.lease()).isEqualTo(Duration.ofSeconds(30));
        assertThat(options.renewal()).isTrue();
        assertThat(options.maxHold()).isEmpty();
        assertThat(options.backoff()).isEqualTo(Backoff.DEFAULT);
        assertThat(options.onLoss()).isEqualTo(OnLoss.NOTIFY);
        assertThat(options.outageLimit()).isEqualTo(Duration.ofSeconds(30));
        assertThat(options.handOver()).isEqualTo(Duration.ofMillis(25));
    }

    @Test
    void everySetting_isKept() {
        LockOptions options = special();

        assertThat(options.lease()).isEqualTo(Duration.ofSeconds(7));
        assertThat(options.renewal()).isFalse();
        assertThat(options.maxHold()).contains(Duration.ofMinutes(5));
        assertThat(options.backoff().first()).isEqualTo(Duration.ofMillis(3));
        assertThat(options.onLoss()).isEqualTo(OnLoss.INTERRUPT);
        assertThat(options.outageLimit()).isEqualTo(Duration.ofSeconds(9));
        assertThat(options.handOver()).isEqualTo(Duration.ofMillis(4));
    }

    @Test
    void toBuilder_startsFromEverySetting() {
        assertThat(special().toBuilder().build()).usingRecursiveComparison().isEqualTo(special());
    }

    @Test
    void toBuilder_leavesTheOriginalAlone() {
        LockOptions original = special();

        original.toBuilder()
                .lease(Duration.ofSeconds(1))
                .maxHold(Duration.ofSeconds(1))
                .build();

        assertThat(original).usingRecursiveComparison().isEqualTo(special());
    }

    private static LockOptions special() {
        return LockOptions.builder()
                .lease(Duration.ofSeconds(7))
                .renewal(false)
                .maxHold(Duration.ofMinutes(5))
                .backoff(new Backoff(Duration.ofMillis(3), Duration.ofMillis(5)))
                .onLoss(OnLoss.INTERRUPT)
                .outageLimit(Duration.ofSeconds(9))
                .handOver(Duration.ofMillis(4))
                .build();
    }

    static Stream<Arguments> badLeases() {
        return Stream.of(
                Arguments.of(Duration.ZERO, "lease 0 ms is below the minimum of 100 ms"),
                Arguments.of(Duration.ofMillis(-5), "lease -5 ms is below the minimum of 100 ms"),
                Arguments.of(Duration.ofMillis(99), "lease 99 ms is below the minimum of 100 ms"),
                Arguments.of(Duration.ofHours(24).plusMillis(1), "lease 86400001 ms is above the maximum of 24 h"),
                Arguments.of(Duration.ofDays(36_500), "lease 3153600000000 ms is above the maximum of 24 h"),
                Arguments.of(Duration.ofDays(-36_500), "lease -3153600000000 ms is below the minimum of 100 ms"),
                Arguments.of(HUGE, "lease " + HUGE + " is above the maximum of 24 h"),
                Arguments.of(HUGE.negated(), "lease " + HUGE.negated() + " is below the minimum of 100 ms"),
                Arguments.of(
                        Duration.ofSeconds(Long.MIN_VALUE),
                        "lease " + Duration.ofSeconds(Long.MIN_VALUE) + " is below the minimum of 100 ms"));
    }

    @ParameterizedTest
    @MethodSource("badLeases")
    void lease_outOfBounds_isRefusedWithTheValueAndTheRule(Duration lease, String message) {
        LockOptions.Builder builder = LockOptions.builder();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.lease(lease))
                .withMessage(message);
        assertThat(builder.build().lease()).as("never repaired, never changed").isEqualTo(Duration.ofSeconds(30));
    }

    @ParameterizedTest
    @MethodSource("badLeases")
    void outageLimit_outOfBounds_isRefusedByTheSameRule(Duration limit, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.builder().outageLimit(limit))
                .withMessage(message.replaceFirst("^lease", "outageLimit"));
    }

    @Test
    void handOver_outOfBounds_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.builder().handOver(Duration.ofMillis(-1)))
                .withMessage("handOver -1 ms is not from 0 to 1000 ms");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.builder().handOver(Duration.ofMillis(1_001)))
                .withMessage("handOver 1001 ms is not from 0 to 1000 ms");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.builder().handOver(HUGE))
                .withMessage("handOver " + HUGE + " is not from 0 to 1000 ms");
    }

    @Test
    void lease_atTheLimits_isAllowed() {
        assertThat(LockOptions.builder().lease(LockOptions.MIN_LEASE).build().lease())
                .isEqualTo(Duration.ofMillis(100));
        assertThat(LockOptions.builder().lease(LockOptions.MAX_LEASE).build().lease())
                .isEqualTo(Duration.ofHours(24));
    }

    @Test
    void maxHold_belowTheMinimum_isRefusedWithTheValueAndTheRule() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.builder().maxHold(Duration.ofMillis(99)))
                .withMessage("maxHold 99 ms is below the minimum of 100 ms");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.builder().maxHold(HUGE.negated()))
                .withMessage("maxHold " + HUGE.negated() + " is below the minimum of 100 ms");
    }

    @Test
    void limits_areTakenAsTheyAre() {
        LockOptions least = LockOptions.builder()
                .maxHold(Duration.ofMillis(100))
                .handOver(Duration.ZERO)
                .minReplicas(0)
                .build();
        LockOptions most = LockOptions.builder()
                .handOver(Duration.ofSeconds(1))
                .minReplicas(100)
                .build();

        assertThat(least.maxHold()).contains(Duration.ofMillis(100));
        assertThat(most.handOver()).isEqualTo(Duration.ofSeconds(1));
        assertThat(most.minReplicas()).isEqualTo(100);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.builder().minReplicas(101))
                .withMessage("minReplicas 101 is not from 0 to 100");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.builder().handOver(Duration.ofNanos(1_000_000_001)))
                .withMessage("handOver 1000 ms is not from 0 to 1000 ms");
    }

    @Test
    void maxHold_hasNoUpperLimit() {
        assertThat(LockOptions.builder().maxHold(HUGE).build().maxHold()).contains(HUGE);
    }

    @Test
    @SuppressWarnings("NullAway") // that is the test
    void null_isRefusedByName() {
        LockOptions.Builder builder = LockOptions.builder();

        assertThatNullPointerException().isThrownBy(() -> builder.lease(null)).withMessage("lease");
        assertThatNullPointerException().isThrownBy(() -> builder.maxHold(null)).withMessage("maxHold");
        assertThatNullPointerException().isThrownBy(() -> builder.backoff(null)).withMessage("backoff");
        assertThatNullPointerException().isThrownBy(() -> builder.onLoss(null)).withMessage("onLoss");
        assertThatNullPointerException()
                .isThrownBy(() -> builder.outageLimit(null))
                .withMessage("outageLimit");
    }
}
