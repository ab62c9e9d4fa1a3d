package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Rig.ACQUIRE;
import static io.holdfast.redis.faults.Rig.RELEASE;
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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Hold;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import io.holdfast.Loss;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.HeldRequest;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Answers that take longer than the lease they are about, and renewals that get stuck. */
class DelayFaultsIT {
    @RegisterExtension
    static final Rig rig = new Rig();

    @Test
    @Faults(2)
    void acquire_answeredAfterItsLease_hasFailedAndIsReleased() {
        Client client = rig.overProxy(ofSeconds(5)).connected();
        DistributedLock lock = client.lock("a", ofSeconds(1));
        HeldRequest release = rig.proxy().duplicateNextRequestContaining(RELEASE);
        rig.proxy().delayReplies(ofMillis(1_500));

        assertThatThrownBy(lock::tryLock)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining(rig.proxyUri())
                .hasMessageContaining("longer than the lease of 1000 ms");

        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.unlock()).isFalse();
        release.awaitSprung(SOON);
        rig.proxy().delayReplies(Duration.ZERO);
        assertThat(lock.tryLock()).isTrue();
        assertThat(client.losses()).isEmpty();
    }

    /** Its first answer is too old to count, so it asks again, under a new id. */
    @Test
    @Faults(2)
    void wait_whoseFirstAnswerComesAfterTheLease_goesOnUntilOneCounts() {
        Client client = rig.overProxy(ofSeconds(8)).connected();
        rig.proxy().delayReplies(ofMillis(2_500));
        HeldRequest first = rig.proxy().duplicateNextRequestContaining(ACQUIRE);
        Future<Lease> waiting = rig.start(() -> client.lock("a", ofSeconds(2)).acquire(SOON));
        first.awaitSprung(SOON);
        String firstOwner = rig.owner("a");
        until("the lease is over", () -> rig.isFree("a"));
        rig.proxy().delayReplies(Duration.ZERO);

        Lease lease = get(waiting);

        rig.assertProtects(lease);
        assertThat(rig.owner("a")).isNotEqualTo(firstOwner);
        assertThat(lease.release()).isTrue();
    }

    /** The deadline is kept by the holder's own clock, whatever the connection for renewals is stuck in. */
    @Test
    @Faults(4)
    void renewals_thatAreSwallowedWhileCommandsGoOn_loseTheLeaseAtItsDeadline() {
        Duration leaseTime = ofMillis(900);
        Client client = rig.overProxy().connected();
        List<HeldRequest> swallowed = swallowRenewals(8);
        long before = System.nanoTime();
        Lease lease = client.take("a", leaseTime);
        long after = System.nanoTime();
        AtomicReference<Duration> lostSinceBefore = new AtomicReference<>();
        AtomicReference<Duration> lostSinceAfter = new AtomicReference<>();
        lease.lost().thenRun(() -> {
            lostSinceBefore.set(since(before));
            lostSinceAfter.set(since(after));
        });
        long lastValid = before;
        for (long asked = System.nanoTime(); lease.isValid(); asked = System.nanoTime()) {
            lastValid = asked;
            assertThat(client.lock("other").tryAcquire().orElseThrow().release())
                    .as("commands go on")
                    .isTrue();
        }
        Duration believed = Duration.ofNanos(lastValid - after);

        until(
                "the loss is told",
                () -> lostSinceAfter.get() != null && !client.losses().isEmpty());
        assertThat(believed).isLessThanOrEqualTo(usable(leaseTime));
        assertThat(lostSinceBefore.get()).isGreaterThanOrEqualTo(earliestLoss(leaseTime));
        assertThat(lostSinceAfter.get()).isLessThan(usable(leaseTime).plus(SLACK));
        assertThat(swallowed.get(0).isSprung()).isTrue();
        assertThat(client.losses()).hasSize(1);
        assertThat(client.losses().get(0).cause()).isEqualTo(Loss.Cause.EXPIRED);
        assertThat(lease.release()).isFalse();
    }

    /** Nobody looks at the lease: the signal comes all the same, and in time. */
    @Test
    @Faults(4)
    void renewals_thatAreSwallowed_areToldToAHolderWhoDoesNotLook() throws Exception {
        Duration leaseTime = ofMillis(600);
        Client client = rig.overProxy().connected();
        swallowRenewals(8);
        long before = System.nanoTime();
        Lease lease = client.take("a", leaseTime);
        long after = System.nanoTime();

        Loss loss = lease.lost().toCompletableFuture().get(SOON.toMillis(), TimeUnit.MILLISECONDS);

        assertThat(since(before)).isGreaterThanOrEqualTo(earliestLoss(leaseTime));
        assertThat(since(after)).isLessThan(usable(leaseTime).plus(SLACK));
        assertThat(loss.cause()).isEqualTo(Loss.Cause.EXPIRED);
        assertThat(loss.detail()).contains(rig.proxyUri()).contains("did not answer");
    }

    /** The renewal was done long before its answer came; what counts is when it was asked for. */
    @Test
    @Faults(5)
    void renewal_answeredLate_countsFromWhenItWasSent() throws Exception {
        Duration leaseTime = ofSeconds(4);
        Duration delay = ofMillis(300);
        AtomicReference<Lease> held = new AtomicReference<>();
        BlockingQueue<Duration> remaining = new LinkedBlockingQueue<>();
        LockListener look = new LockListener() {
            @Override
            public void renewed(Hold hold, Duration lag) {
                Lease lease = held.get();
                if (lease != null) {
                    remaining.add(lease.remaining());
                }
            }
        };
        Client client =
                rig.client(rig.proxyUri(), builder -> builder.listener(look)).connected();
        Lease lease = client.take("a", leaseTime);
        until("the connection for renewals is there", () -> client.renewals() > 0);
        rig.proxy().delayReplies(delay);

        held.set(lease);

        for (int i = 0; i < 2; i++) {
            Duration believed = remaining.poll(SOON.toMillis(), TimeUnit.MILLISECONDS);
            assertThat(believed).isLessThanOrEqualTo(usable(leaseTime).minus(delay));
        }
        rig.assertProtects(lease);
        rig.proxy().delayReplies(Duration.ZERO);
        assertThat(lease.release()).isTrue();
        assertThat(client.losses()).isEmpty();
    }

    @Test
    @Faults(6)
    void renewal_deliveredAfterAnotherGotTheLock_neitherExtendsNorRecreates() {
        Client client = rig.overProxy().connected();
        List<HeldRequest> late = swallowRenewals(4);
        Lease lease = client.take("a", ofMillis(1_200));
        until("the server lets go", () -> rig.isFree("a"));
        Lease others = rig.direct().takeUnrenewed("a", ofSeconds(10));
        until("the loss is told", () -> client.losses().size() == 1);

        late.stream().filter(HeldRequest::isSprung).forEach(HeldRequest::release);

        assertThat(rig.timeLeft("a")).isLessThanOrEqualTo(ofSeconds(10));
        rig.assertProtects(others);
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.release()).isFalse();
        rig.assertProtects(others);
        assertThat(others.release()).isTrue();
        assertThat(rig.isFree("a")).isTrue();
        assertThat(client.losses()).hasSize(1);
    }

    /** The key is gone and nobody has it: a renewal that comes now must not bring it back. */
    @Test
    @Faults(6)
    void renewal_deliveredAfterTheLeaseRanOut_doesNotBringItBack() {
        Client client = rig.overProxy().connected();
        List<HeldRequest> late = swallowRenewals(4);
        client.take("a", ofMillis(500));
        until("the server lets go", () -> rig.isFree("a"));

        late.stream().filter(HeldRequest::isSprung).forEach(HeldRequest::release);

        assertThat(rig.isFree("a")).isTrue();
        until("the loss is told", () -> client.losses().size() == 1);
    }

    @Test
    @Faults({2, 37})
    void acquire_whileTheServerSleepsLongerThanTheLease_isNeverHeldAndLeavesNoGhost() {
        Client client = rig.client(rig.redis().uri(), builder -> builder.commandTimeout(ofMillis(400)))
                .connected();
        rig.redis().pause();
        long start = System.nanoTime();

        assertThatThrownBy(() -> client.lock("a", LONG).tryLock())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("did not answer within 400 ms");

        assertThat(since(start)).isLessThan(ofMillis(400).plus(SLACK));
        rig.redis().resume();
        Optional<Lease> lease = client.lock("a").tryAcquire();
        assertThat(lease).as("nobody has it").isPresent();
        rig.assertProtects(lease.orElseThrow());
    }

    /** Keeps the renewals of the client from getting to the server, each on its connection, without an answer. */
    private static List<HeldRequest> swallowRenewals(int times) {
        List<HeldRequest> swallowed = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            swallowed.add(rig.proxy().holdNextRequestContaining(rig.renewal()));
        }
        return swallowed;
    }
}
