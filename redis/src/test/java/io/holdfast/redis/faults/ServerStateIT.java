package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Rig.PREFIX;
import static io.holdfast.redis.faults.Timing.KEPT;
import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.SLACK;
import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.earliestLoss;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static io.holdfast.redis.faults.Timing.usable;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Lease;
import io.holdfast.Loss;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that forgets, remembers too much, or sleeps. */
class ServerStateIT {
    @RegisterExtension
    static final Rig rig = new Rig();

    @Test
    @Faults(27)
    void restart_withoutPersistence_losesTheLeaseAndTokensStillRise() {
        Client client = rig.direct();
        Lease lease = client.take("a", ofSeconds(3));
        rig.redis().kill9();

        rig.redis().restart();

        until("the loss is told", () -> !client.losses().isEmpty());
        assertThat(client.losses().get(0).cause()).isEqualTo(Loss.Cause.GONE);
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.release()).isFalse();
        assertThat(client.take("a", LONG).token()).isGreaterThan(lease.token());
        assertThat(client.losses()).hasSize(1);
    }

    /** The release goes to a server that has forgotten the lock, which another has taken meanwhile. */
    @Test
    @Faults({27, 32})
    void release_afterTheServerForgot_leavesTheNewOwnerAlone() {
        Client client = rig.direct();
        Lease lease = client.take("a", LONG);
        rig.redis().flushAll();
        Lease others = rig.direct().take("a", LONG);

        assertThat(lease.release()).isFalse();

        rig.assertProtects(others);
        assertThat(others.token()).isGreaterThan(lease.token());
        until("the loss is told", () -> client.losses().size() == 1);
        assertThat(client.losses().get(0).cause()).isEqualTo(Loss.Cause.GONE);
    }

    /** What was released long ago stands there again, for the rest of its lease; tokens given since are not given twice. */
    @Test
    @Faults(28)
    void restart_fromAnOldSnapshot_isOverWithTheLeaseAndTokensStillRise() throws InterruptedException {
        // As on a server that has counted for a while: the counter does not lead the clock.
        rig.redis().command("SET", PREFIX + "~fence", "1");
        Client client = rig.direct();
        Duration leaseTime = ofMillis(1_600);
        long start = System.nanoTime();
        Lease old = client.takeUnrenewed("a", leaseTime);
        long taken = System.nanoTime();
        rig.redis().command("SAVE");
        assertThat(old.release()).isTrue();
        long last = 0;
        for (int i = 0; i < 20; i++) {
            Lease later = client.take("a", LONG);
            last = later.token();
            assertThat(later.release()).isTrue();
        }
        rig.redis().kill9();
        rig.redis().restart();

        Lease next = client.lock("a").acquire(SOON);

        assertThat(next.token()).isGreaterThan(last);
        assertThat(since(start)).as("the old lease was there again").isGreaterThanOrEqualTo(leaseTime);
        assertThat(since(taken)).isLessThan(leaseTime.plus(SLACK));
        assertThat(old.isValid()).isFalse();
        assertThat(client.losses()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"FLUSHALL", "DEL"})
    @Faults(32)
    void lease_deletedByHand_isLostAtTheNextRenewalAndTokensStillRise(String how) {
        Client client = rig.direct();
        Lease lease = client.take("a", ofSeconds(3));
        long start = System.nanoTime();

        rig.redis().command(how.equals("DEL") ? new String[] {"DEL", Rig.key("a")} : new String[] {how});

        until("the loss is told", () -> !client.losses().isEmpty());
        assertThat(since(start))
                .as("a renewal is due every third")
                .isLessThan(ofSeconds(1).plus(SLACK));
        assertThat(client.losses().get(0).cause()).isEqualTo(Loss.Cause.GONE);
        assertThat(lease.isValid()).isFalse();
        assertThat(rig.isFree("a")).as("a renewal brings nothing back").isTrue();
        assertThat(client.take("a", LONG).token()).isGreaterThan(lease.token());
        assertThat(client.losses()).hasSize(1);
    }

    @Test
    @Faults({32, 41})
    void waiter_whoseTicketIsFlushed_getsTheLockAtItsNextLook() throws InterruptedException {
        Client client = rig.direct();
        rig.direct().takeUnrenewed("a", LONG);
        Future<Lease> waiting = rig.start(() -> client.lock("a").acquire(SOON));
        until("it waits", () -> rig.waiters("a") == 1);

        rig.redis().flushAll();

        rig.assertProtects(get(waiting));
    }

    @Test
    @Faults(35)
    void scripts_flushedMidway_areSentAgainWithoutASecondEffect() throws InterruptedException {
        Client holder = rig.direct();
        Client waiter = rig.direct();
        Lease lease = holder.take("a", KEPT);
        Future<Lease> waiting = rig.start(() -> waiter.lock("a", LONG).acquire(SOON));
        until("it waits", () -> rig.waiters("a") == 1);

        rig.redis().command("SCRIPT", "FLUSH");
        int renewals = holder.renewals();
        until("it is renewed", () -> holder.renewals() > renewals);
        rig.redis().command("SCRIPT", "FLUSH");
        assertThat(lease.release()).isTrue();
        Lease next = get(waiting);
        rig.redis().command("SCRIPT", "FLUSH");
        assertThat(next.release()).isTrue();
        rig.redis().command("SCRIPT", "FLUSH");
        Lease last = waiter.take("a", LONG);

        assertThat(next.token()).isGreaterThan(lease.token());
        assertThat(last.token()).isEqualTo(rig.lastToken()).isGreaterThan(next.token());
        rig.assertProtects(last);
        assertThat(holder.losses()).isEmpty();
        assertThat(waiter.losses()).isEmpty();
    }

    @Test
    @Faults({4, 37})
    void lease_whileTheServerSleepsLonger_isLostAtItsDeadlineAndNotBroughtBack() {
        Duration leaseTime = ofMillis(600);
        Client client = rig.direct().connected();
        long before = System.nanoTime();
        Lease lease = client.take("a", leaseTime);
        long after = System.nanoTime();
        rig.redis().pause();
        // On a busy machine it may have been renewed before.
        long paused = System.nanoTime();

        until("the loss is told", () -> !client.losses().isEmpty());

        assertThat(since(before)).isGreaterThanOrEqualTo(earliestLoss(leaseTime));
        assertThat(since(after)).isLessThan(usable(leaseTime).plus(SLACK));
        assertThat(lease.isValid()).isFalse();
        until("its time is over by the server's clock, too", () -> since(paused).compareTo(leaseTime) > 0);
        rig.redis().resume();
        rig.redis().waitUntilReady();
        // What the sleeping server has in its buffers, renewals and all, is done by now.
        assertThat(rig.isFree("a")).isTrue();
        assertThat(rig.direct().take("a", LONG).token()).isGreaterThan(lease.token());
        assertThat(client.losses()).hasSize(1);
    }

    /** The server answers nobody for a while, by order, and does everything afterwards. */
    @Test
    @Faults({2, 37})
    void clientPause_longerThanTheLease_losesItAndLeavesNoGhost() {
        Client client = rig.client(rig.redis().uri(), builder -> builder.commandTimeout(ofMillis(300)))
                .connected();
        Lease lease = client.take("a", ofMillis(500));
        rig.redis().command("CLIENT", "PAUSE", "1000", "ALL");

        Future<Boolean> other = rig.start(() -> client.lock("b", LONG).tryLock());

        until("the loss is told", () -> !client.losses().isEmpty());
        assertThat(lease.isValid()).isFalse();
        assertThat(other).failsWithin(SOON);
        // Answered when the pause is over.
        assertThat(rig.isFree("a")).isTrue();
        until("what was asked for in vain is nobody's", () -> rig.isFree("b"));
        assertThat(client.losses()).hasSize(1);
    }
}
