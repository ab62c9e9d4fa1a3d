package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When one who waits looks again by itself. */
class RecheckTest {
    /** As a grant is over then, and with it the ticket of one who has not heard of it. */
    private static final Duration GRANT = Duration.ofSeconds(2);

    @Test
    void comesBeforeAGrantOfWhichItHasNotHeardIsOver() {
        for (long left : new long[] {0, 1, 999, 1_000, 1_950, 2_000, 30_000, 86_400_000}) {
            for (long place = 0; place < 100; place++) {
                assertThat(RedisStore.recheck(left, place, bound -> 0))
                        .isPositive()
                        .isLessThanOrEqualTo(GRANT);
                assertThat(RedisStore.recheck(left, place, bound -> bound - 1))
                        .isPositive()
                        .isLessThanOrEqualTo(GRANT);
            }
        }
    }

    /** Those before it may have died with the holder. */
    @Test
    void comesForOneAfterTheOther() {
        assertThat(RedisStore.recheck(500, 0, bound -> 0)).isEqualTo(Duration.ofMillis(501));
        assertThat(RedisStore.recheck(500, 1, bound -> 49)).isLessThan(RedisStore.recheck(500, 2, bound -> 0));
        assertThat(RedisStore.recheck(500, 20, bound -> 0)).isEqualTo(Duration.ofMillis(1_500));
    }
}
