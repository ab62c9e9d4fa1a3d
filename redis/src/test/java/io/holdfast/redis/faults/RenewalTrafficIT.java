package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Lease;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What renewals cost the server: that of the leases that are held, and of nothing that was. */
class RenewalTrafficIT {
    @RegisterExtension
    static final Rig rig = new Rig();

    @Test
    @Faults(22)
    void renewals_afterMuchLockingAndUnlocking_areThoseOfTheLeasesHeld() {
        Client client = rig.direct();
        Duration leaseTime = ofSeconds(2);
        long end = System.nanoTime() + ofMillis(1_500).toNanos();
        List<Future<Integer>> churn = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            String name = "churn" + i;
            churn.add(rig.start(() -> {
                int rounds = 0;
                while (System.nanoTime() - end < 0) {
                    assertThat(client.take(name, leaseTime).release()).isTrue();
                    rounds++;
                }
                return rounds;
            }));
        }
        assertThat(churn.stream().mapToInt(Timing::get).sum()).isGreaterThan(300);
        Lease lease = client.take("a", leaseTime);
        rig.redis().command("CONFIG", "RESETSTAT");
        long start = System.nanoTime();

        until("a lease passes", () -> since(start).compareTo(ofMillis(2_500)) > 0);
        long renewals = rig.calls("evalsha");
        Duration observed = since(start);

        // One every third of the lease, which may come a sixteenth of the lease early; and the one under way.
        long due = observed.toMillis() / (leaseTime.toMillis() / 3 - leaseTime.toMillis() / 16) + 1;
        assertThat(renewals).isBetween(1L, due);
        rig.assertProtects(lease);
        assertThat(lease.release()).isTrue();
    }

    @Test
    @Faults(22)
    void renewals_ofManyLeases_areSentTogether() {
        Client client = rig.direct();
        Duration leaseTime = ofMillis(2_400);
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            leases.add(client.take("a" + i, leaseTime));
        }
        rig.redis().command("CONFIG", "RESETSTAT");
        long start = System.nanoTime();

        until("a lease passes", () -> since(start).compareTo(ofMillis(3_400)) > 0);
        long requests = rig.calls("evalsha");

        // 60 leases, renewed four times each: 240 renewals.
        assertThat(requests).isLessThan(60);
        leases.forEach(rig::assertProtects);
        leases.forEach(lease -> assertThat(lease.release()).isTrue());
        assertThat(client.losses()).isEmpty();
    }

    @Test
    @Faults({17, 18})
    void client_thatHoldsNothing_sendsNothing() {
        Client client = rig.direct();
        for (int i = 0; i < 50; i++) {
            assertThat(client.take("a" + i, ofMillis(1_500)).release()).isTrue();
        }
        assertThat(client.take("b", LONG).release()).isTrue();
        rig.redis().command("CONFIG", "RESETSTAT");
        long start = System.nanoTime();

        until("a lease passes", () -> since(start).compareTo(ofMillis(1_700)) > 0);

        assertThat(rig.calls("evalsha")).isZero();
        rig.awaitNothingLeft();
    }
}
