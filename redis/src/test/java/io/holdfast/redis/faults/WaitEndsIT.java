package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Rig.ACQUIRE;
import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.SLACK;
import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.HeldRequest;
import io.holdfast.testkit.Faults;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Waits that end without the lock, by time-out, interrupt or cancellation, wherever that finds them. */
class WaitEndsIT {
    @RegisterExtension
    static final Rig rig = new Rig();

    @Test
    @Faults(46)
    void interrupt_beforeTheWait_endsItBeforeAnythingIsSent() {
        Client client = rig.overProxy().connected();
        long seen = rig.proxy().requestsSeen();

        Waiter waiter = new Waiter(() -> {
            Thread.currentThread().interrupt();
            return client.lock("a").tryLock(SOON);
        });

        waiter.assertInterrupted();
        assertThat(rig.proxy().requestsSeen()).isEqualTo(seen);
    }

    @Test
    @Faults(46)
    void interrupt_inTheQueue_endsTheWaitAndTakesTheTicketBack() {
        Client client = rig.direct();
        Client other = rig.direct();
        List<String> names = List.of("a", "b", "c");
        names.forEach(name -> other.take(name, LONG));
        List<Waiter> waiters = List.of(
                new Waiter(() -> client.lock("a").tryLock(SOON)),
                new Waiter(() -> client.lock("b").acquire(SOON).isValid()),
                new Waiter(() -> {
                    client.lock("c").lockInterruptibly();
                    return true;
                }));
        until("they wait", () -> names.stream().allMatch(name -> rig.waiters(name) == 1));

        waiters.forEach(waiter -> waiter.thread.interrupt());

        waiters.forEach(Waiter::assertInterrupted);
        until("their tickets are gone", () -> names.stream().allMatch(name -> rig.waiters(name) == 0));
    }

    /** The thread is in the middle of an exchange, which is not cut short; the answer is "queued". */
    @Test
    @Faults(46)
    void interrupt_whileTheRequestIsUnderWay_endsTheWaitAfterTheAnswer() {
        Client client = rig.overProxy().connected();
        rig.direct().take("a", LONG);
        HeldRequest ask = rig.proxy().holdNextRequestContaining(ACQUIRE);
        Waiter waiter = new Waiter(() -> client.lock("a").tryLock(SOON));
        ask.awaitSprung(SOON);

        waiter.thread.interrupt();
        ask.release();

        waiter.assertInterrupted();
        until("its ticket is gone", () -> rig.waiters("a") == 0);
        assertThat(client.lock("b").tryLock())
                .as("the connection is as good as before")
                .isTrue();
        assertThat(rig.proxy().connectionsAccepted())
                .as("for commands, and for the inbox")
                .isLessThanOrEqualTo(2);
    }

    /** It waits for its turn on the connection, which another's request has; that one is not disturbed either. */
    @Test
    @Faults(46)
    void interrupt_whileAnotherUsesTheConnection_isStillSetAfterTheAnswer() {
        Client client = rig.overProxy().connected();
        HeldRequest ask = rig.proxy().holdNextRequestContaining(ACQUIRE);
        Future<Boolean> other = rig.start(() -> client.lock("a", LONG).tryLock());
        ask.awaitSprung(SOON);
        Waiter waiter = new Waiter(() -> client.lock("b", LONG).tryLock());
        until("it waits for its turn", () -> waiter.thread.getState() == Thread.State.TIMED_WAITING);

        waiter.thread.interrupt();
        ask.release();

        assertThat(waiter.outcome).succeedsWithin(SOON).isEqualTo(true);
        assertThat(waiter.flag).isTrue();
        assertThat(get(other)).isTrue();
    }

    @Test
    @Faults({46, 50})
    void interrupt_whileTheStoreIsDown_endsTheWait() {
        Client client = rig.overProxy().connected();
        rig.proxy().cut();
        Waiter waiter = new Waiter(() -> client.lock("a").tryLock(SOON));
        until(
                "it is between two tries",
                () -> waiter.thread.getState() == Thread.State.WAITING
                        || waiter.thread.getState() == Thread.State.TIMED_WAITING);

        waiter.thread.interrupt();

        waiter.assertInterrupted();
        rig.proxy().restore();
        assertThat(client.lock("a").tryLock()).isTrue();
    }

    @Test
    @Faults(46)
    void interrupt_ofAWaitThatTakesNone_isStillSetWhenTheLockIsThere() {
        Client client = rig.direct();
        Lease lease = rig.direct().take("a", LONG);
        Waiter waiter = new Waiter(() -> {
            client.lock("a").lock();
            return client.lock("a").unlock();
        });
        until("it waits", () -> rig.waiters("a") == 1);
        waiter.thread.interrupt();
        assertThat(rig.waiters("a")).isEqualTo(1);

        assertThat(lease.release()).isTrue();

        assertThat(waiter.outcome).succeedsWithin(SOON).isEqualTo(true);
        assertThat(waiter.flag).isTrue();
    }

    @Test
    @Faults(46)
    void cancel_ofAnAsyncWait_takesTheTicketBack() {
        Client client = rig.direct();
        rig.direct().take("a", LONG);
        CompletableFuture<Lease> waiting = client.lock("a").acquireAsync(SOON).toCompletableFuture();
        until("it waits", () -> rig.waiters("a") == 1);

        assertThat(waiting.cancel(true)).isTrue();

        until("its ticket is gone", () -> rig.waiters("a") == 0);
    }

    @Test
    @Faults(45)
    void wait_thatTimesOut_takesItsTicketBackAndNobodyIsHandedTheLock() throws InterruptedException {
        Client client = rig.direct();
        Lease lease = rig.direct().take("a", LONG);
        long start = System.nanoTime();
        assertThat(client.lock("a").tryLock(ofMillis(250))).isFalse();
        assertThat(since(start)).isBetween(ofMillis(250), ofMillis(250).plus(SLACK));
        until("its ticket is gone", () -> rig.waiters("a") == 0);

        assertThat(lease.release()).isTrue();

        assertThat(rig.isFree("a")).isTrue();
    }

    /** The question that would have been answered "granted" is answered after the deadline. */
    @Test
    @Faults({16, 45})
    void grant_answeredAfterTheDeadline_isGivenBack() {
        Client client = rig.overProxy().connected();
        HeldRequest ask = rig.proxy().holdNextRequestContaining(ACQUIRE);
        CompletableFuture<Optional<Lease>> waiting =
                client.lock("a", LONG).tryAcquireAsync(ofMillis(200)).toCompletableFuture();
        ask.awaitSprung(SOON);
        assertThat(waiting).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(StoreUnavailableException.class);

        ask.release();

        until("what came too late is given back", () -> rig.isFree("a"));
        assertThatThrownBy(waiting::join).hasMessageContaining("did not answer within 200 ms");
    }
}
