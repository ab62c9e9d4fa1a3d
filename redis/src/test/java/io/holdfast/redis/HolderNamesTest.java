package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HolderNamesTest {
    private static final Duration MAX_LEASE = Duration.ofSeconds(60);
    private final HolderNames attempts = new HolderNames(MAX_LEASE);

    @Test
    void name_isFreshAfterEachTakingBack_untilTheRelease() {
        assertThat(attempts.holder("c:1:a", 0)).isEqualTo("c:1:a");
        attempts.tookBack("c:1:a", 0);
        assertThat(attempts.holder("c:1:a", 0)).isEqualTo("c:1:a#2");
        assertThat(attempts.holder("c:1:a", 0)).isEqualTo("c:1:a#2");
        attempts.tookBack("c:1:a", 0);
        assertThat(attempts.holder("c:1:a", 0)).isEqualTo("c:1:a#3");
        assertThat(HolderNames.owner("c:1:a#3")).isEqualTo("c:1:a");
        assertThat(HolderNames.owner("c:1:a")).isEqualTo("c:1:a");

        attempts.forget("c:1:a");

        assertThat(attempts.size()).isZero();
    }

    @Test
    void thoseWhoAreNeverReleased_goWhenNoLeaseOfTheirsCanBeLeft() {
        for (int i = 0; i < 1_000; i++) {
            attempts.tookBack("c:1:" + i, 0);
        }
        long later = 2 * MAX_LEASE.toNanos();
        attempts.holder("c:1:7", later);
        attempts.tookBack("c:1:7", later);
        assertThat(attempts.size()).as("one may be left until now").isEqualTo(1_000);

        attempts.tookBack("c:1:new", later + 1);

        assertThat(attempts.size()).isEqualTo(2);
        assertThat(attempts.holder("c:1:7", later)).isEqualTo("c:1:7#3");
    }
}
