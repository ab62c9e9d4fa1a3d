package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Rig.ACQUIRE;
import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.HeldRequest;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An acquire that hangs in the network and is carried out after its caller has given up, or has released already. */
class LateRequestFaultsIT {
    @RegisterExtension
    static final Rig rig = new Rig();

    @Test
    @Faults(16)
    void acquire_thatArrivesAfterItsTime_isRefusedByTheServer() {
        Client client = rig.overProxy(ofMillis(300)).connected();
        HeldRequest late = rig.proxy().holdNextRequestContaining(ACQUIRE);
        long sent = System.nanoTime();
        assertThatThrownBy(() -> client.lock("a", LONG).tryLock()).isInstanceOf(StoreUnavailableException.class);
        until("its time is over by the server's clock", () -> since(sent).compareTo(ofMillis(400)) > 0);

        late.release();

        assertThat(rig.isFree("a")).isTrue();
        client.goesOn("a");
    }

    /** The release overtakes the acquire, which then takes the lock for nobody; the second release gives it back. */
    @Test
    @Faults(16)
    void acquire_overtakenByItsRelease_isReleasedOnceTheServerRefusesItsLike() {
        Duration timeout = ofSeconds(5);
        Client client = rig.overProxy(timeout).connected();
        HeldRequest late = rig.proxy().holdNextRequestContaining(ACQUIRE);
        Future<Boolean> asked = rig.start(() -> client.lock("a", LONG).tryLock());
        late.awaitSprung(SOON);
        long seen = rig.proxy().requestsSeen();
        rig.proxy().cut();
        assertThatThrownBy(() -> get(asked))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining(rig.proxyUri());
        rig.proxy().restore();
        until("the release has overtaken", () -> rig.proxy().requestsSeen() > seen);
        assertThat(client.lock("behind-the-release").tryLock()).isTrue();

        late.release();

        assertThat(rig.isFree("a"))
                .as("the ghost has it, unless this machine is very slow")
                .isFalse();
        until("the ghost is gone, long before its lease", () -> rig.isFree("a"));
        assertThat(client.losses()).isEmpty();
    }

    /** As above, but the repetition succeeded, was used and released, before the first attempt came through. */
    @Test
    @Faults({14, 16})
    void acquire_deliveredAfterItsRepetitionWasReleased_isReleasedToo() {
        Client client = rig.overProxy(ofSeconds(5)).connected();
        HeldRequest late = rig.proxy().holdNextRequestContaining(ACQUIRE);
        Future<Optional<Lease>> asked = rig.start(() -> client.lock("a", LONG).tryAcquire());
        late.awaitSprung(SOON);
        rig.proxy().dropConnections();
        assertThat(get(asked).orElseThrow().release()).isTrue();
        assertThat(rig.isFree("a")).isTrue();

        late.release();

        assertThat(rig.isFree("a"))
                .as("the ghost has it, unless this machine is very slow")
                .isFalse();
        until("the ghost is gone, long before its lease", () -> rig.isFree("a"));
        assertThat(client.losses()).isEmpty();
    }

    /**
     * The client judges the server's clock by its last exchange. If that request was slow, it judges the clock to be
     * ahead, and the server then goes on accepting for as much longer.
     */
    @Test
    @Faults(16)
    void acquire_sentAfterASlowExchange_isReleasedToo() {
        Client client = rig.overProxy(ofSeconds(3)).connected();
        rig.proxy().delayRequests(ofMillis(600));
        client.take("slow", LONG);
        rig.proxy().delayRequests(Duration.ZERO);
        HeldRequest late = rig.proxy().holdNextRequestContaining(ACQUIRE);
        long sent = System.nanoTime();
        assertThatThrownBy(() -> client.lock("a", LONG).tryLock()).isInstanceOf(StoreUnavailableException.class);
        until("every release of before is through", () -> since(sent).compareTo(ofMillis(3_150)) > 0);

        late.release();

        until("nobody has it", () -> rig.isFree("a"));
    }

    /** The release is carried out in time, but its answer comes when the doubt about the acquire is over. */
    @Test
    @Faults(16)
    void acquire_carriedOutWhileTheAnswerToItsReleaseIsOnTheWay_isReleasedToo() {
        Client client = rig.overProxy(ofMillis(1_200)).connected();
        HeldRequest late = rig.proxy().holdNextRequestContaining(ACQUIRE);
        Future<Optional<Lease>> asked = rig.start(() -> client.lock("a", LONG).tryAcquire());
        late.awaitSprung(SOON);
        long sent = System.nanoTime();
        rig.proxy().dropConnections();
        Lease lease = get(asked).orElseThrow();
        until("the time of the acquire is nearly over", () -> since(sent).compareTo(ofMillis(700)) > 0);
        rig.proxy().delayReplies(ofMillis(800));
        Future<Boolean> released = rig.start(lease::release);
        until("the release is carried out", () -> rig.isFree("a"));

        late.release();

        assertThat(get(released)).isTrue();
        until("nobody has it", () -> rig.isFree("a"));
    }

    /** A copy that the network made: nobody knows of it, so it can only end by itself, and it is nobody's. */
    @Test
    @Faults(16)
    void acquire_deliveredTwiceByTheNetwork_isNeverHeldAndEndsWithItsLease() throws InterruptedException {
        Client client = rig.overProxy();
        HeldRequest copy = rig.proxy().duplicateNextRequestContaining(ACQUIRE);
        Lease lease = client.take("a", ofMillis(700));
        copy.awaitSprung(SOON);
        assertThat(lease.release()).isTrue();

        copy.release();

        assertThat(lease.isValid()).isFalse();
        assertThat(rig.timeLeft("a")).isLessThanOrEqualTo(ofMillis(700));
        Lease next = rig.direct().lock("a").acquire(ofSeconds(10));
        assertThat(next.token()).isGreaterThan(lease.token());
        assertThat(client.losses()).isEmpty();
    }
}
