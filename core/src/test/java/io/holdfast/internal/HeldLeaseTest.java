package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockOptions;
import io.holdfast.internal.HeldLease.Validity;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** To whom a lease may be passed on. */
class HeldLeaseTest {
    private static HeldLease lease(LockOptions options) {
        return new HeldLease("x", new OwnerId("c", 1, 2), 7, options, null, 0, Validity.after(0, 0, options.lease()));
    }

    private static LockOptions replicas(int count) {
        return LockOptions.builder().minReplicas(count).build();
    }

    @Test
    void leaseWithoutReplicas_suitsNobodyWhoWantsThem() {
        assertThat(lease(replicas(1)).suits(replicas(1), 0, 0)).isTrue();
        assertThat(lease(replicas(1)).suits(replicas(0), 0, 0)).isTrue();
        assertThat(lease(replicas(0)).suits(replicas(1), 0, 0)).isFalse();
    }

    @Test
    void lease_suitsThoseAloneWhoWouldHaveGotTheSame() {
        HeldLease lease = lease(LockOptions.DEFAULT);

        assertThat(lease.suits(LockOptions.DEFAULT, 0, 0)).isTrue();
        assertThat(lease.suits(LockOptions.builder().renewal(false).build(), 0, 0))
                .isFalse();
        assertThat(lease.suits(
                        LockOptions.builder().lease(Duration.ofSeconds(29)).build(), 0, 0))
                .isFalse();
    }

    @Test
    void leaseThatIsOverByEitherClock_suitsNobody() {
        HeldLease lease = lease(LockOptions.DEFAULT);
        Duration length = LockOptions.DEFAULT.lease();

        assertThat(lease.suits(LockOptions.DEFAULT, length.toNanos(), 0)).isFalse();
        assertThat(lease.suits(LockOptions.DEFAULT, 0, length.toMillis())).isFalse();
    }

    @Test
    void leaseThatWasExtended_suitsNobody() {
        HeldLease lease = lease(LockOptions.DEFAULT);
        lease.prove(Validity.after(0, 0, Duration.ofMinutes(10)));

        assertThat(lease.suits(LockOptions.DEFAULT, 0, 0)).isFalse();
    }
}
