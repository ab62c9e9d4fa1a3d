package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Rig.ACQUIRE;
import static io.holdfast.redis.faults.Rig.RELEASE;
import static io.holdfast.redis.faults.Timing.KEPT;
import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.HeldRequest;
import io.holdfast.servers.RequestTrap;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests and replies that are lost, late or doubled, between a client and one server. */
class MessageFaultsIT {
    @RegisterExtension
    static final Rig rig = new Rig();

    @Test
    @Faults(14)
    void acquire_whoseRequestIsLost_isRepeatedUnderTheSameOwner() {
        Client client = rig.overProxy().connected();
        HeldRequest lost = rig.proxy().holdNextRequestContaining(ACQUIRE);
        Future<Optional<Lease>> asked = rig.start(() -> client.lock("a").tryAcquire());
        String request = new String(lost.awaitSprung(SOON), UTF_8);

        rig.proxy().dropConnections();

        Lease lease = get(asked).orElseThrow();
        assertThat(request).contains(rig.owner("a"));
        rig.assertProtects(lease);
        assertThat(lease.release()).isTrue();
        assertThat(rig.isFree("a")).isTrue();
    }

    @Test
    @Faults(15)
    void acquire_whoseReplyIsLost_isRepeatedWithTheSameTokenAndNoSecondGrant() {
        Client client = rig.overProxy().connected();
        RequestTrap cut = rig.proxy().dropConnectionAfterNextRequestContaining(ACQUIRE);

        Lease lease = client.take("a", LONG);

        cut.awaitSprung(SOON);
        assertThat(lease.token()).isEqualTo(rig.lastToken());
        rig.assertProtects(lease);
        assertThat(lease.release()).isTrue();
        assertThat(rig.isFree("a")).isTrue();
    }

    /** The server's lease must not be older than what the client counts from its second request. */
    @Test
    @Faults(15)
    void acquire_repeatedLongAfterItWasDone_getsTheFullLeaseAgain() {
        Client client = rig.overProxy().connected();
        DistributedLock lock = client.lock("a", ofSeconds(4));
        RequestTrap cut = rig.proxy().cutAfterNextRequestContaining(ACQUIRE);
        Future<Lease> waiting = rig.start(() -> lock.acquire(SOON));
        cut.awaitSprung(SOON);
        String owner = rig.owner("a");
        long token = rig.token("a");
        until("a good part of the lease is over", () -> rig.timeLeft("a").compareTo(ofMillis(3_500)) < 0);

        rig.proxy().restore();

        Lease lease = get(waiting);
        rig.assertProtects(lease);
        assertThat(lease.token()).isEqualTo(token);
        assertThat(rig.owner("a")).isEqualTo(owner);
    }

    @Test
    @Faults(17)
    void release_deliveredAgainAfterTheSameThreadLockedAnew_hasNoEffect() {
        Client client = rig.overProxy();
        DistributedLock lock = client.lock("a", LONG);
        HeldRequest late = rig.proxy().duplicateNextRequestContaining(RELEASE);
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.unlock()).isTrue();
        late.awaitSprung(SOON);
        assertThat(lock.tryLock()).isTrue();
        String owner = rig.owner("a");

        late.release();

        assertThat(rig.owner("a")).isEqualTo(owner);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.unlock()).isTrue();
        assertThat(client.losses()).isEmpty();
    }

    @Test
    @Faults(18)
    void renewal_deliveredAfterTheRelease_doesNotBringTheLockBack() {
        Client client = rig.overProxy();
        HeldRequest late = rig.proxy().holdNextRequestContaining(rig.renewal());
        Lease lease = client.take("a", KEPT);
        late.awaitSprung(SOON);
        assertThat(lease.release()).isTrue();

        late.release();

        assertThat(rig.isFree("a")).isTrue();
        assertThat(client.losses()).isEmpty();
    }

    @Test
    @Faults(18)
    void renewal_deliveredAfterTheReleaseToAnother_doesNotLengthenTheOthersLease() {
        Client client = rig.overProxy();
        Client other = rig.direct();
        HeldRequest late = rig.proxy().holdNextRequestContaining(rig.renewal());
        Lease lease = client.take("a", KEPT);
        late.awaitSprung(SOON);
        assertThat(lease.release()).isTrue();
        Lease others = other.takeUnrenewed("a", ofSeconds(4));

        late.release();

        assertThat(rig.timeLeft("a")).isLessThanOrEqualTo(ofSeconds(4));
        assertThat(rig.token("a")).isEqualTo(others.token());
        assertThat(others.release()).isTrue();
    }

    // --- a release and the next request of the same client, in one go

    @Test
    @Faults({14, 19})
    void exchange_whoseRequestIsLost_isRepeated() {
        Client client = rig.overProxy().connected();
        Lease first = client.take("a", LONG);
        CompletableFuture<Lease> next = nextInLine(client);
        HeldRequest lost = rig.proxy().holdNextRequestContaining(ACQUIRE);
        Future<Boolean> released = rig.start(first::release);
        lost.awaitSprung(SOON);

        rig.proxy().dropConnections();

        assertThat(get(released)).isTrue();
        assertThatItIsTheNextOnes(client, first, get(next));
    }

    @Test
    @Faults({15, 19})
    void exchange_whoseReplyIsLost_isRepeatedWithoutASecondEffect() {
        Client client = rig.overProxy().connected();
        Lease first = client.take("a", LONG);
        CompletableFuture<Lease> next = nextInLine(client);
        RequestTrap cut = rig.proxy().dropConnectionAfterNextRequestContaining(ACQUIRE);

        assertThat(first.release()).isTrue();

        cut.awaitSprung(SOON);
        assertThatItIsTheNextOnes(client, first, get(next));
    }

    /** One that waits in the line of the client, when the store's grant is too old for the lock to be passed on. */
    private static CompletableFuture<Lease> nextInLine(Client client) {
        CompletableFuture<Lease> next =
                client.lock("a", LONG).acquireAsync(SOON).toCompletableFuture();
        long start = System.nanoTime();
        until("the hand-over time is over", () -> since(start).compareTo(ofMillis(20)) > 0);
        return next;
    }

    private static void assertThatItIsTheNextOnes(Client client, Lease first, Lease next) {
        assertThat(next.token()).isGreaterThan(first.token()).isEqualTo(rig.token("a"));
        rig.assertProtects(next);
        assertThat(next.release()).isTrue();
        assertThat(rig.isFree("a")).isTrue();
        assertThat(client.losses()).isEmpty();
        rig.awaitNothingLeft();
    }

    @Test
    @Faults(19)
    void release_whoseReplyIsLost_isReportedAsReleased() {
        Client client = rig.overProxy().connected();
        DistributedLock lock = client.lock("a", LONG);
        assertThat(lock.tryLock()).isTrue();
        RequestTrap cut = rig.proxy().dropConnectionAfterNextRequestContaining(RELEASE);

        assertThat(lock.unlock()).isTrue();

        cut.awaitSprung(SOON);
        assertThat(rig.isFree("a")).isTrue();
        assertThat(client.losses()).isEmpty();
    }

    @Test
    @Faults(19)
    void release_repeatedAfterAnotherGotTheLock_leavesTheOtherAlone() {
        Client client = rig.overProxy().connected();
        Lease lease = client.take("a", LONG);
        RequestTrap cut = rig.proxy().cutAfterNextRequestContaining(RELEASE);
        assertThat(lease.release())
                .as("the store went away, but the lease had held")
                .isTrue();
        cut.awaitSprung(SOON);
        Lease others = rig.direct().take("a", LONG);
        long seen = rig.proxy().requestsSeen();

        rig.proxy().restore();

        until("the release is said again", () -> rig.proxy().requestsSeen() > seen);
        assertThat(client.lock("b").tryLock())
                .as("a command behind the release")
                .isTrue();
        rig.assertProtects(others);
        assertThat(others.release()).isTrue();
        assertThat(client.losses()).isEmpty();
    }

    @Test
    @Faults(19)
    void release_whileTheServerCannotBeReached_isMadeUpForWhenItCan() {
        Client client = rig.overProxy().connected();
        Lease lease = client.take("a", LONG);
        rig.proxy().cut();

        assertThat(lease.release())
                .as("the lease was valid to the end of the section")
                .isTrue();
        assertThat(rig.isFree("a")).isFalse();
        rig.proxy().restore();

        until("the release is made up for", () -> rig.isFree("a"));
        assertThat(client.losses()).isEmpty();
    }

    @Test
    @Faults({16, 20})
    void reply_thatComesAfterTheTimeOut_isNotTakenForThatOfTheNextCommand() {
        Duration timeout = ofMillis(400);
        Client client = rig.overProxy(timeout).connected();
        rig.proxy().delayReplies(ofMillis(600));
        assertThatThrownBy(() -> client.lock("a", LONG).tryLock())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("did not answer within 400 ms");
        rig.proxy().delayReplies(Duration.ZERO);
        // The reply that grants "a" is on its way now. The next commands must see their own replies, and only those.
        rig.redis().command("SET", Rig.key("b"), "somebody", "PX", "60000");

        assertThat(client.lock("b").tryLock()).isFalse();
        Lease c = client.take("c", LONG);

        rig.assertProtects(c);
        until("what the late reply granted is given back", () -> rig.isFree("a"));
        assertThat(client.lock("a").isHeldByCurrentThread()).isFalse();
    }

    /** Many commands whose replies come about when their time is over: each answer belongs to its own question. */
    @Test
    @Faults(20)
    void replies_aboutAsLateAsTheTimeOut_neverNameTheTokenOfAnotherLock() {
        Client client = rig.overProxy(ofMillis(60)).connected();
        rig.proxy().delayReplies(ofMillis(58));
        int granted = 0;
        for (int i = 0; i < 25; i++) {
            String name = "a" + i;
            try {
                Lease lease = client.lock(name, LONG).tryAcquire().orElseThrow();
                assertThat(rig.token(name)).isEqualTo(lease.token());
                granted++;
            } catch (StoreUnavailableException e) {
                assertThat(e).hasMessageContaining(rig.proxyUri());
            }
        }
        rig.proxy().delayReplies(Duration.ZERO);
        int held = granted;
        until("what nobody knows to be granted is given back", () -> locksInServer() == held);
    }

    private static long locksInServer() {
        return rig.redis().keys().stream()
                .filter(key -> key.startsWith(Rig.key("a")))
                .count();
    }
}
