package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.internal.HeldLease.Validity;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Why a lease whose deadline has passed was not renewed, as people are told. */
class LossesTest {
    private static final long LATER = Duration.ofHours(1).toNanos();

    private static HeldLease lease(LockOptions options) {
        return new HeldLease("x", new OwnerId("c", 1, 2), 7, options, null, 0, Validity.after(0, 0, options.lease()));
    }

    @Test
    void withoutRenewal_itSaysThatItsTimeIsOver() {
        HeldLease lease = lease(LockOptions.builder()
                .lease(Duration.ofSeconds(3))
                .renewal(false)
                .build());

        Loss loss = Losses.expired(lease, LATER);

        assertThat(loss.cause()).isEqualTo(Loss.Cause.EXPIRED);
        assertThat(loss.detail()).contains("3000 ms without renewal");
    }

    @Test
    void afterARenewalThatFailed_itSaysHow() {
        HeldLease lease = lease(LockOptions.DEFAULT);
        lease.renewalFailed("the cable was cut");

        assertThat(Losses.expired(lease, LATER).detail()).endsWith("the last one failed: the cable was cut");
    }

    @Test
    void ifNoneHasFailed_itSaysThatTheProcessMayHaveBeenPaused() {
        assertThat(Losses.expired(lease(LockOptions.DEFAULT), LATER).detail())
                .endsWith("this process or host may have been paused");
    }

    @Test
    void afterItsMaxHold_itSaysSo() {
        HeldLease lease =
                lease(LockOptions.builder().maxHold(Duration.ofMinutes(1)).build());

        Loss loss = Losses.expired(lease, LATER);

        assertThat(loss.cause()).isEqualTo(Loss.Cause.MAX_HOLD);
        assertThat(loss.detail()).contains("PT1M");
    }
}
