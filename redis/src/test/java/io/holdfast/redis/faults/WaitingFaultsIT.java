package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Lease;
import io.holdfast.servers.HeldRequest;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Messages to those who wait that are lost, early or too many. */
class WaitingFaultsIT {
    private static final Duration LEASE = ofSeconds(3);

    @RegisterExtension
    static final Rig rig = new Rig();

    /** The message went to nobody. Without one more try the waiter would sleep until its next look, 2 s later. */
    @Test
    @Faults(41)
    void release_beforeTheSubscriptionIsConfirmed_isNoticedAtItsConfirmation() {
        Lease lease = rig.direct().take("a", LONG);
        Client waiter = rig.overProxy();
        HeldRequest subscription = rig.proxy().holdNextRequestContaining("SUBSCRIBE");
        Future<Lease> waiting = rig.start(() -> waiter.lock("a", LONG).acquire(SOON));
        subscription.awaitSprung(SOON);
        until("it waits", () -> rig.waiters("a") == 1);
        assertThat(lease.release()).isTrue();
        assertThat(rig.owner("a")).as("given to the waiter, who does not know").isNotEmpty();

        long confirmed = System.nanoTime();
        subscription.release();

        assertThat(get(waiting).token()).isGreaterThan(lease.token());
        assertThat(since(confirmed)).isLessThan(ofSeconds(1));
    }

    @Test
    @Faults(42)
    void release_whileTheSubscriberReconnects_isNoticedAtTheNewSubscription() {
        Lease lease = rig.direct().take("a", LONG);
        Client waiter = rig.overProxy();
        Future<Lease> waiting = rig.start(() -> waiter.lock("a", LONG).acquire(SOON));
        until("it waits, and listens", () -> rig.waiters("a") == 1 && rig.subscribers() == 1);
        HeldRequest subscription = rig.proxy().holdNextRequestContaining("SUBSCRIBE");
        rig.redis().command("CLIENT", "KILL", "TYPE", "pubsub");
        subscription.awaitSprung(SOON);
        assertThat(lease.release()).isTrue();

        long confirmed = System.nanoTime();
        subscription.release();

        assertThat(get(waiting).token()).isGreaterThan(lease.token());
        assertThat(since(confirmed)).isLessThan(ofSeconds(1));
    }

    /** No subscription ever comes to be: waiters look for themselves. */
    @Test
    @Faults({41, 42})
    void release_whileNobodyCanSubscribe_isNoticedAtTheNextLook() {
        Lease lease = rig.direct().take("a", LONG);
        rig.redis().command("ACL", "SETUSER", "default", "-subscribe");
        rig.afterwards(() -> rig.redis().command("ACL", "SETUSER", "default", "+@all"));
        Client waiter = rig.direct();
        Future<Lease> waiting = rig.start(() -> waiter.lock("a", LONG).acquire(SOON));
        until("it waits", () -> rig.waiters("a") == 1);

        assertThat(lease.release()).isTrue();

        long released = System.nanoTime();
        assertThat(get(waiting).token()).isGreaterThan(lease.token());
        assertThat(since(released)).as("looks every two seconds").isLessThan(ofSeconds(4));
    }

    /** Both connections of a waiter break, again and again. */
    @Test
    @Faults({22, 42})
    void wait_whoseConnectionsAreKilledAgainAndAgain_endsWithTheLock() {
        Lease lease = rig.direct().take("a", LONG);
        Client waiter = rig.direct();
        Future<Lease> waiting = rig.start(() -> waiter.lock("a", LONG).acquire(SOON));
        for (int i = 0; i < 5; i++) {
            until("it waits, and listens", () -> rig.waiters("a") == 1 && rig.subscribers() == 1);
            rig.redis().killClients();
        }
        assertThat(lease.release()).isTrue();
        assertThat(get(waiting).release()).isTrue();
        rig.awaitNothingLeft();
    }

    @Test
    @Faults(44)
    void release_withManyWaiters_wakesOneOfThem() throws InterruptedException {
        Lease lease = rig.direct().take("a", LONG);
        int waiters = 15;
        BlockingQueue<Lease> got = new LinkedBlockingQueue<>();
        List<Future<Boolean>> waiting = new ArrayList<>();
        for (int i = 0; i < waiters; i++) {
            Client client = rig.direct();
            waiting.add(rig.start(() -> got.add(client.lock("a", LONG).acquire(SOON))));
        }
        until("all wait, and listen", () -> rig.waiters("a") == waiters && rig.subscribers() == waiters);
        until("their looks after the subscription are over", rig::isQuiet);
        rig.redis().command("CONFIG", "RESETSTAT");

        assertThat(lease.release()).isTrue();
        Lease first = got.poll(SOON.toMillis(), TimeUnit.MILLISECONDS);

        assertThat(first).isNotNull();
        assertThat(rig.calls("publish")).isEqualTo(1);
        // The release, and perhaps a renewal and somebody's look that was due anyway: not one for each waiter.
        assertThat(rig.calls("evalsha")).isBetween(1L, 4L);
        assertThat(got).isEmpty();

        Lease next = first;
        for (int i = 1; i < waiters; i++) {
            assertThat(next.release()).isTrue();
            Lease after = got.poll(SOON.toMillis(), TimeUnit.MILLISECONDS);
            assertThat(after).isNotNull();
            assertThat(after.token()).isGreaterThan(next.token());
            next = after;
        }
        assertThat(next.release()).isTrue();
        waiting.forEach(Timing::get);
        assertThat(rig.calls("publish")).as("one for each hand-over").isEqualTo(waiters);
        rig.awaitNothingLeft();
    }

    /** Whoever stands first is gone with the holder, and nobody waits for a grant to it to run out. */
    @Test
    @Faults({48, 54})
    void clientThatDiesWithTheLockAndTheFirstPlaceInLine_isWaitedForOnce() throws InterruptedException {
        assertThat(untilTheNextHasIt(
                        client -> lock(client).writeLock(),
                        client -> lock(client).readLock()))
                .isLessThan(LEASE.plusMillis(1_500));
    }

    /** Where order is a promise, the dead one keeps its place, and no more. */
    @Test
    @Faults({48, 54})
    void clientThatDiesWithTheLockAndTheFirstPlaceToWrite_isWaitedForOnce() throws InterruptedException {
        Function<Client, DistributedLock> write = client -> lock(client).writeLock();

        assertThat(untilTheNextHasIt(write, write)).isLessThan(LEASE.plusMillis(1_500));
    }

    @Test
    @Faults({48, 54})
    void clientThatDiesWithAFairLockAndItsFirstPlace_isWaitedForOnce() throws InterruptedException {
        Function<Client, DistributedLock> fair =
                client -> client.locks().fairLock("a", options -> options.lease(LEASE));

        assertThat(untilTheNextHasIt(fair, fair)).isLessThan(LEASE.plusMillis(1_500));
    }

    /** How long one waits that stands behind a client which holds, wants the lock once more, and dies; until it, too, is done. */
    private Duration untilTheNextHasIt(Function<Client, DistributedLock> held, Function<Client, DistributedLock> wanted)
            throws InterruptedException {
        Client dies = rig.overProxy();
        Client next = rig.direct();
        Lease first = held.apply(dies).acquire(SOON);
        Future<Boolean> behind = rig.start(() -> wanted.apply(dies).tryLock(ofSeconds(10)));
        until("it waits", () -> rig.waiters("a") == 1);
        Future<Lease> waiting = rig.start(() -> held.apply(next).acquire(SOON));
        until("both wait", () -> rig.waiters("a") == 2);

        rig.proxy().cut();
        long died = System.nanoTime();
        Lease after = get(waiting);
        Duration taken = since(died);

        assertThat(after.token()).isGreaterThan(first.token());
        assertThat(first.isValid()).isFalse();
        assertThat(after.release()).isTrue();
        assertThat(rig.isFree("a")).as("it is not given to the dead one").isTrue();
        until("the dead one has given up", behind::isDone);
        rig.proxy().restore();
        return taken;
    }

    private static DistributedReadWriteLock lock(Client client) {
        return client.locks().readWriteLock("a", options -> options.lease(LEASE));
    }
}
