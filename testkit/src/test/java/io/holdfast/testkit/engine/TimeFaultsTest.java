package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.FencingGate;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.Loss;
import io.holdfast.StaleTokenException;
import io.holdfast.testkit.Faults;
import io.holdfast.testkit.FaultyStore;
import io.holdfast.testkit.ManualClock;
import io.holdfast.testkit.Operation;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Clocks that stop, jump and drift, and processes that pause. */
class TimeFaultsTest extends EngineFixture {
    private final FencingGate gate = FencingGate.inMemory();

    @Test
    @Faults(1)
    void holderThatSleptThroughItsLease_knowsAtTheFirstLook_andIsRefusedByTheGate() throws InterruptedException {
        Lease lease = lock.acquire(Duration.ZERO);
        gate.admit("file", lease.token());

        clock.pause(LEASE.plusSeconds(1));
        Lease next = rival.acquire(Duration.ZERO);
        gate.admit("file", next.token());

        assertThat(lease.isValid()).isFalse();
        assertThatThrownBy(() -> gate.admit("file", lease.token())).isInstanceOf(StaleTokenException.class);
        pass(Duration.ofMinutes(1));
        assertThat(losses).containsExactly(Loss.Cause.EXPIRED);
        assertThat(lease.release()).isFalse();
        assertThat(next.isValid()).isTrue();
        assertThat(held()).isPresent();
    }

    @Test
    @Faults(3)
    void pauseBetweenLookingAndWriting_isCaughtByTheGateAlone() throws InterruptedException {
        Lease lease = lock.acquire(Duration.ZERO);
        assertThat(lease.isValid()).isTrue();

        clock.pause(LEASE.plusSeconds(1));
        gate.admit("file", rival.acquire(Duration.ZERO).token());

        assertThatThrownBy(() -> gate.admit("file", lease.token())).isInstanceOf(StaleTokenException.class);
    }

    @Test
    @Faults(4)
    void renewalThatIsStuck_losesTheLeaseAtItsDeadline() throws InterruptedException {
        StuckRenewals stuck = new StuckRenewals(shared());
        Holdfast client = client(builder -> builder.store(stuck));
        Lease lease = client.lock(NAME).acquire(Duration.ZERO);
        try {
            pass(VALID.minus(TICK));
            assertThat(stuck.isStuck()).isTrue();
            assertThat(lease.isValid()).isTrue();
            assertThat(lease.remaining()).isEqualTo(TICK);

            pass(TICK);

            assertThat(lease.lost().toCompletableFuture()).isCompleted();
            assertThat(lease.isValid()).isFalse();
        } finally {
            stuck.letGo();
        }
    }

    @Test
    @Faults({5, 37})
    void renewalAnsweredLate_countsFromWhenItWasSent() throws InterruptedException {
        Lease lease = lock.acquire(Duration.ZERO);
        store.delay(Duration.ofSeconds(1));

        pass(Duration.ofSeconds(10));
        assertThat(lease.remaining()).isEqualTo(VALID.minusSeconds(10));
        pass(Duration.ofSeconds(1));

        assertThat(only(Operation.RENEW).lease()).isEqualTo(LEASE);
        assertThat(lease.remaining()).isEqualTo(VALID.minusSeconds(1));
    }

    @Test
    @Faults(6)
    void renewalAfterAnotherCameIn_losesOnceAndTouchesNothing() throws InterruptedException {
        Lease lease = lock.acquire(Duration.ZERO);
        store.expireNow(NAME);
        Lease next = rival.acquire(Duration.ZERO);
        Duration left = held().orElseThrow().remaining();

        pass(Duration.ofSeconds(9));
        assertThat(lease.isValid()).as("nobody has told it yet").isTrue();
        pass(Duration.ofSeconds(1));

        assertThat(losses).containsExactly(Loss.Cause.GONE);
        assertThat(lease.isValid()).isFalse();
        assertThat(held().orElseThrow().token()).hasValue(next.token());
        assertThat(held().orElseThrow().remaining()).isLessThanOrEqualTo(left);
        pass(Duration.ofMinutes(2));
        assertThat(losses).hasSize(1);
        assertThat(next.isValid()).isTrue();
    }

    @Test
    @Faults(7)
    void wallClockSetBack_changesNothing() throws InterruptedException {
        Lease lease = lock.acquire(Duration.ZERO);
        Waiter<Boolean> waiter = waiting(() -> rival.tryLock(Duration.ofMinutes(1)));

        clock.jumpWall(Duration.ofHours(-1));
        assertThat(lease.isValid()).isTrue();
        pass(Duration.ofSeconds(59));
        assertThat(waiter.isDone()).isFalse();
        pass(Duration.ofSeconds(1));

        assertThat(waiter.join()).isFalse();
        assertThat(lease.isValid()).isTrue();
        store.cutOff();
        pass(LEASE);
        assertThat(lease.isValid()).as("the monotonic clock still ends it").isFalse();
        assertThat(losses).containsExactly(Loss.Cause.EXPIRED);
    }

    @Test
    @Faults(7)
    void wallClockSetForward_mayEndALeaseAndNothingElse() throws InterruptedException {
        Lease lease = lock.acquire(Duration.ZERO);
        Waiter<Boolean> waiter = waiting(() -> rival.tryLock(Duration.ofMinutes(1)));

        clock.jumpWall(Duration.ofHours(1));

        assertThat(lease.isValid()).isFalse();
        assertThat(losses).hasSizeLessThanOrEqualTo(1);
        settle();
        assertThat(losses).containsExactly(Loss.Cause.EXPIRED);
        assertThat(waiter.isDone()).as("a wait ends by the monotonic clock").isFalse();
        pass(LEASE.plusSeconds(1));
        assertThat(waiter.join()).isTrue();
    }

    @Test
    @Faults(8)
    void hostThatWasSuspended_hasLostItsLease() throws InterruptedException {
        ManualClock serverClock = new ManualClock();
        FaultyStore here = over(serverClock);
        Holdfast sleeper = client(builder -> builder.store(here.factory()));
        Holdfast other =
                client(builder -> builder.store(over(serverClock).factory()).platform(serverClock.platform()));
        Lease lease = sleeper.lock(NAME).acquire(Duration.ZERO);

        clock.suspend(LEASE.plusSeconds(1));
        serverClock.advance(LEASE.plusSeconds(1));
        Lease next = other.lock(NAME).acquire(Duration.ZERO);

        assertThat(lease.isValid()).isFalse();
        assertThatThrownBy(lease::ensureValid)
                .isInstanceOfSatisfying(
                        LeaseLostException.class, e -> assertThat(e.reason()).isEqualTo(Loss.Cause.EXPIRED));
        assertThat(lease.release()).isFalse();
        assertThat(next.isValid()).isTrue();
    }

    @Test
    @Faults(8)
    void hostThatWasSuspended_isToldWithoutLooking() throws InterruptedException {
        Lease lease = lock.acquire(Duration.ZERO);

        clock.suspend(LEASE);
        pass(Duration.ofSeconds(10));

        assertThat(losses).containsExactly(Loss.Cause.EXPIRED);
        assertThat(lease.lost().toCompletableFuture()).isCompleted();
    }

    @Test
    @Faults(9)
    void serverClockThatRunsFasterWithinTheAllowance_letsNobodyInTooEarly() throws InterruptedException {
        Drifting drifting = new Drifting();
        Lease lease = drifting.holder.acquire(Duration.ZERO);
        drifting.here.cutOff();

        drifting.pass(VALID.minus(TICK), 1.01);
        assertThat(lease.isValid()).isTrue();
        assertThat(drifting.other.tryLock()).isFalse();

        drifting.pass(Duration.ofSeconds(1), 1.01);
        assertThat(lease.isValid()).isFalse();
        assertThat(drifting.other.tryLock()).isTrue();
    }

    @Test
    @Faults(9)
    void serverClockThatRunsTooFast_isWhatTheTokenIsFor() throws InterruptedException {
        Drifting drifting = new Drifting();
        Lease lease = drifting.holder.acquire(Duration.ZERO);
        drifting.here.cutOff();

        drifting.pass(VALID.minus(TICK), 1.1);
        Lease next = drifting.other.acquire(Duration.ZERO);

        assertThat(lease.isValid()).as("outside the timing model two are valid").isTrue();
        gate.admit("file", next.token());
        assertThatThrownBy(() -> gate.admit("file", lease.token())).isInstanceOf(StaleTokenException.class);
    }

    /** A holder and another client whose clock is the server's, which goes at a rate of its own. */
    private final class Drifting {
        final ManualClock serverClock = new ManualClock();
        final FaultyStore here = over(serverClock);
        final DistributedLock holder =
                client(builder -> builder.store(here.factory())).lock(NAME);
        final DistributedLock other = client(
                        builder -> builder.store(over(serverClock).factory()).platform(serverClock.platform()))
                .lock(NAME);

        void pass(Duration time, double rate) {
            clock.advance(time);
            serverClock.advance(Duration.ofNanos((long) (time.toNanos() * rate)));
        }
    }
}
