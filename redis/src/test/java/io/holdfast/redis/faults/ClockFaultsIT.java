package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.KEPT;
import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.SLACK;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.FencingGate;
import io.holdfast.Lease;
import io.holdfast.Loss;
import io.holdfast.StaleTokenException;
import io.holdfast.spi.Platform;
import io.holdfast.testkit.Faults;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Client machines whose clocks jump, stand still or run too slow, against the server's clock, which is right. */
class ClockFaultsIT {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static Client on(Platform machine) {
        return rig.client(rig.redis().uri(), builder -> builder.platform(machine));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1})
    @Faults(7)
    void wait_whileTheWallClockJumps_lastsAsLongAsTold(long hours) throws InterruptedException {
        Machine machine = new Machine();
        Client client = on(machine);
        rig.direct().take("a", LONG);
        long start = System.nanoTime();
        Future<Boolean> waiting = rig.start(() -> client.lock("a").tryLock(ofMillis(600)));
        until("it waits", () -> rig.waiters("a") == 1);

        machine.setWall(ofHours(hours));

        assertThat(get(waiting)).isFalse();
        assertThat(since(start)).isBetween(ofMillis(600), ofMillis(600).plus(SLACK));
    }

    @Test
    @Faults(7)
    void lease_afterTheWallClockJumpsForward_isLostAtTheFirstLook() {
        Machine machine = new Machine();
        Client client = on(machine);
        Lease lease = client.take("a", ofSeconds(10));

        machine.setWall(ofHours(1));

        assertThat(lease.isValid()).isFalse();
        assertThat(lease.release()).isFalse();
        until("the loss is told", () -> client.losses().size() == 1);
        assertThat(client.losses().get(0).cause()).isEqualTo(Loss.Cause.EXPIRED);
    }

    @Test
    @Faults(7)
    void lease_afterTheWallClockJumpsBack_isNotBelievedAnyLonger() {
        Machine machine = new Machine();
        Client client = on(machine);
        Lease lease = client.takeUnrenewed("a", ofMillis(500));

        machine.setWall(ofHours(-1));

        while (true) {
            boolean gone = rig.isFree("a");
            boolean believed = lease.isValid();
            assertThat(gone && believed)
                    .as("believed after the server let go of it")
                    .isFalse();
            if (gone) {
                break;
            }
        }
        until("the loss is told", () -> client.losses().size() == 1);
    }

    @Test
    @Faults(7)
    void lease_afterTheWallClockJumpsBack_isStillRenewed() {
        Machine machine = new Machine();
        Client client = on(machine);
        Lease lease = client.take("a", KEPT);

        machine.setWall(ofHours(-1));

        int before = client.renewals();
        until("it is renewed again and again", () -> client.renewals() > before + 1);
        rig.assertProtects(lease);
        assertThat(lease.release()).isTrue();
    }

    @Test
    @Faults(7)
    void remaining_afterTheWallClockJumpsForward_isShorterByTheJump() {
        Machine machine = new Machine();
        Client client = on(machine);
        Lease lease = client.take("a", LONG);
        assertThat(lease.remaining()).isGreaterThan(ofSeconds(50));

        machine.setWall(ofSeconds(20));

        assertThat(lease.remaining()).isBetween(ofSeconds(30), ofSeconds(40));
        assertThat(rig.timeLeft("a")).isGreaterThan(ofSeconds(50));
        assertThat(lease.release()).isTrue();
    }

    /** The monotonic clock has seen nothing of the sleep; only the wall clock tells. */
    @Test
    @Faults(8)
    void lease_afterTheHostWasSuspended_isLostAtTheFirstLook() {
        Machine machine = new Machine();
        Client client = on(machine);
        Lease lease = client.take("a", ofMillis(500));
        machine.suspend();
        // The renewal under way when the lid closed may still have been served; what counts is that the lease ran out.
        until("the server lets go", () -> rig.isFree("a"));
        Lease others = rig.direct().take("a", LONG);

        machine.resume();

        assertThat(lease.isValid()).isFalse();
        assertThat(lease.release()).isFalse();
        until("the loss is told", () -> client.losses().size() == 1);
        rig.assertProtects(others);
        assertThat(others.token()).isGreaterThan(lease.token());
    }

    @Test
    @Faults(8)
    void renewal_afterTheHostWasSuspended_doesNotBringTheLeaseBack() {
        Machine machine = new Machine();
        Client client = on(machine);
        client.take("a", ofMillis(500));
        machine.suspend();
        until("the server lets go", () -> rig.isFree("a"));

        machine.resume();

        until(
                "nobody has looked, and the loss is told all the same",
                () -> client.losses().size() == 1);
        assertThat(rig.isFree("a")).isTrue();
    }

    /** One per cent is allowed for. */
    @Test
    @Faults(9)
    void lease_onAClockThatIsSlowWithinTheAllowance_isNeverBelievedAfterTheServerLetGo() {
        Client client = on(new Machine(0.991));
        Lease lease = client.takeUnrenewed("a", ofSeconds(1));

        while (true) {
            boolean gone = rig.isFree("a");
            boolean believed = lease.isValid();
            assertThat(gone && believed)
                    .as("believed after the server let go of it")
                    .isFalse();
            if (gone) {
                break;
            }
        }
        assertThat(lease.release()).isFalse();
    }

    /** Beyond the allowance two may believe at once: that is what the fence is for. */
    @Test
    @Faults({3, 9})
    void lease_onAClockThatIsMuchTooSlow_overlapsButItsTokenIsRefused() {
        Client slow = on(new Machine(0.4));
        Client other = rig.direct();
        FencingGate gate = FencingGate.inMemory();
        Lease late = slow.takeUnrenewed("a", ofMillis(600));
        gate.admit("resource", late.token());
        until("the server lets go", () -> rig.isFree("a"));

        Lease others = other.take("a", LONG);

        assertThat(late.isValid()).as("believed on its own, slow clock").isTrue();
        assertThat(others.isValid()).isTrue();
        assertThat(others.token()).isGreaterThan(late.token());
        gate.admit("resource", others.token());
        assertThatThrownBy(() -> gate.admit("resource", late.token())).isInstanceOf(StaleTokenException.class);
    }

    /** A virtual machine was copied: both copies have the same client id and have counted equally far. */
    @Test
    @Faults(13)
    void acquire_byTheCloneOfAMachine_isNotTakenForTheOriginals() {
        Client original = on(new Clone());
        Client clone = on(new Clone());
        assertThat(original.lock("warm-up").tryAcquire().orElseThrow().release())
                .isTrue();
        assertThat(clone.lock("warm-up").tryAcquire().orElseThrow().release()).isTrue();

        Lease lease = original.take("a", LONG);

        assertThat(rig.owner("a")).startsWith(Long.toString(4_711, Character.MAX_RADIX) + ":");
        assertThat(clone.lock("a").tryAcquire()).as("held by the original").isEmpty();
        rig.assertProtects(lease);
        assertThat(lease.release()).isTrue();
        assertThat(clone.take("a", LONG).token()).isGreaterThan(lease.token());
    }

    @Test
    @Faults(13)
    void wait_byTheCloneOfAMachine_endsWhenTheOriginalReleases() throws InterruptedException {
        Client original = on(new Clone());
        Client clone = on(new Clone());
        Lease lease = original.take("a", LONG);
        Future<Lease> waiting = rig.start(() -> clone.lock("a").acquire(ofSeconds(20)));
        until("it waits", () -> rig.waiters("a") == 1);

        assertThat(lease.release()).isTrue();

        assertThat(get(waiting).token()).isGreaterThan(lease.token());
        assertThat(original.losses()).isEmpty();
    }

    /** What a client draws at its start is the same in both copies; what is drawn later is not. */
    private static final class Clone extends Machine {
        private boolean started;

        @Override
        public synchronized long draw() {
            if (started) {
                return super.draw();
            }
            started = true;
            return 4_711;
        }
    }
}
