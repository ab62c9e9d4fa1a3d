package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.KEPT;
import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.SLACK;
import static io.holdfast.redis.faults.Timing.earliestLoss;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static io.holdfast.redis.faults.Timing.usable;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Lease;
import io.holdfast.Loss;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.DeafHost;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.Resp;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Faults;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections that are dead without saying so, that are killed, or that are not to be had. */
class NetworkFaultsIT {
    private static final Duration TIMEOUT = ofMillis(400);

    @RegisterExtension
    static final Rig rig = new Rig();

    /** Ways for a connection to be open and useless. */
    private enum Silence {
        HALF_OPEN,
        REQUESTS_VANISH,
        REPLIES_VANISH,
        REPLIES_DRIP;

        void begin(TcpProxy proxy) {
            switch (this) {
                case HALF_OPEN -> proxy.stall();
                case REQUESTS_VANISH -> proxy.dropRequests(true);
                case REPLIES_VANISH -> proxy.dropReplies(true);
                case REPLIES_DRIP -> proxy.dripReplies(8);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @Faults({16, 21})
    void tryLock_overASilentConnection_failsByTheCommandTimeOutAndLeavesNothing(Silence silence) {
        Client client = rig.overProxy(TIMEOUT).connected();
        silence.begin(rig.proxy());
        long start = System.nanoTime();

        assertThatThrownBy(() -> client.lock("a", LONG).tryLock())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining(rig.proxyUri())
                .hasMessageContaining("did not answer within 400 ms");

        assertThat(since(start)).isBetween(TIMEOUT.minusMillis(5), TIMEOUT.plus(SLACK));
        rig.proxy().restore();
        until("what the request may have done is undone", () -> rig.isFree("a"));
        client.goesOn("a");
    }

    @ParameterizedTest
    @EnumSource
    @Faults(21)
    void tryLock_byAClientThatNeverGotThrough_failsByTheCommandTimeOut(Silence silence) {
        Client client = rig.overProxy(TIMEOUT);
        silence.begin(rig.proxy());
        long start = System.nanoTime();

        assertThatThrownBy(() -> client.lock("a", LONG).tryLock())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining(rig.proxyUri());

        assertThat(since(start)).isLessThan(TIMEOUT.plus(SLACK));
        rig.proxy().restore();
        client.goesOn("a");
    }

    @ParameterizedTest
    @EnumSource
    @Faults({4, 21})
    void lease_overASilentConnection_isLostAtItsDeadline(Silence silence) throws InterruptedException {
        Duration leaseTime = ofMillis(900);
        Client client = rig.overProxy(TIMEOUT).connected();
        long before = System.nanoTime();
        Lease lease = client.take("a", leaseTime);
        long after = System.nanoTime();

        silence.begin(rig.proxy());

        until("the loss is told", () -> !client.losses().isEmpty());
        assertThat(since(before)).isGreaterThanOrEqualTo(earliestLoss(leaseTime));
        assertThat(since(after)).isLessThan(usable(leaseTime).plus(SLACK));
        assertThat(lease.isValid()).isFalse();
        rig.proxy().restore();
        assertThat(client.losses()).hasSize(1);
        Lease next = client.lock("a").acquire(leaseTime.plus(SLACK));
        assertThat(next.token()).isGreaterThan(lease.token());
    }

    /** No answer comes to the very first packet: nobody listens, and nobody refuses. */
    @Test
    @Faults(21)
    void tryLock_toAHostThatDoesNotAnswer_failsByTheCommandTimeOut() throws IOException {
        try (DeafHost silent = DeafHost.at("127.0.0.1", 0)) {
            String uri = "redis://127.0.0.1:" + silent.port();
            Client client = rig.client(uri, builder -> builder.commandTimeout(TIMEOUT));
            long start = System.nanoTime();

            assertThatThrownBy(() -> client.lock("a").tryLock())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining(uri);

            assertThat(since(start)).isLessThan(TIMEOUT.plus(SLACK));
        }
    }

    /** Every step of the first acquire takes most of the time-out: it covers them all, not each. */
    @Test
    @Faults(21)
    void tryLock_thatNeedsSeveralSlowExchanges_failsByTheCommandTimeOut() {
        Client client = rig.overProxy(ofSeconds(2));
        rig.redis().command("SCRIPT", "FLUSH");
        rig.proxy().delayReplies(ofMillis(1_500));
        long start = System.nanoTime();

        assertThatThrownBy(() -> client.lock("a", LONG).tryLock()).isInstanceOf(StoreUnavailableException.class);

        // Greeting, clock, hash and text of the script would take 6 s.
        assertThat(since(start)).isLessThan(ofMillis(5_500));
        rig.proxy().restore();
        until("nothing is left of it", () -> rig.isFree("a"));
    }

    @Test
    @Faults(22)
    void connections_killedByTheServer_areOpenedAgainWithoutALoss() {
        Client client = rig.direct();
        Lease lease = client.take("a", KEPT);
        until("all its connections are there", () -> client.renewals() > 0);
        for (int i = 0; i < 3; i++) {
            int renewals = client.renewals();
            assertThat(rig.redis().killClients()).isPositive();
            assertThat(client.lock("b" + i).tryAcquire().orElseThrow().release())
                    .isTrue();
            until("it is renewed over a new connection", () -> client.renewals() > renewals);
        }
        rig.assertProtects(lease);
        assertThat(lease.release()).isTrue();
        assertThat(client.losses()).isEmpty();
    }

    @Test
    @Faults(22)
    void acquire_whileTheServerTakesNoMoreClients_failsByItsDeadlineAndHoldersAreRenewed() throws InterruptedException {
        Client holder = rig.direct();
        Lease lease = holder.take("a", KEPT);
        until("the connection for renewals is there", () -> holder.renewals() > 0);
        List<Resp> crowd = new ArrayList<>();
        rig.afterwards(() -> crowd.forEach(Resp::close));
        rig.configure("maxclients", Integer.toString(connectedClients() + 1));
        crowd.add(Resp.connect("127.0.0.1", rig.redis().port()));
        Client late = rig.direct();

        assertThatThrownBy(() -> late.lock("b").tryLock())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining(rig.redis().uri());
        long start = System.nanoTime();
        assertThatThrownBy(() -> late.lock("b").tryLock(ofMillis(700)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("max number of clients");
        assertThat(since(start)).isBetween(ofMillis(700), ofMillis(700).plus(SLACK));
        int renewals = holder.renewals();
        until("the holder is renewed all the while", () -> holder.renewals() > renewals + 1);
        Future<Boolean> waiting = rig.start(() -> late.lock("b").tryLock(ofSeconds(10)));

        crowd.forEach(Resp::close);

        assertThat(get(waiting)).as("the same client goes on").isTrue();
        rig.assertProtects(lease);
    }

    private static int connectedClients() {
        return Integer.parseInt(rig.redis().info("clients").getOrDefault("connected_clients", "0"));
    }

    /** The name of the server leads elsewhere from now on, as after a change in the DNS. */
    @Test
    @Faults(23)
    void lease_whoseServerIsReplacedByAnotherOne_isLostAtTheNextRenewal() {
        Client client = rig.overProxy();
        Lease lease = client.take("a", ofSeconds(3));
        try (RedisServer elsewhere = RedisServer.start()) {
            rig.proxy().retarget("127.0.0.1", elsewhere.port());
            rig.proxy().dropConnections();

            until("the loss is told", () -> !client.losses().isEmpty());

            assertThat(client.losses()).hasSize(1);
            assertThat(client.losses().get(0).cause()).isEqualTo(Loss.Cause.GONE);
            assertThat(lease.isValid()).isFalse();
            assertThat(lease.release()).isFalse();
            assertThat(elsewhere.keys()).as("nothing is re-created there").isEmpty();
            assertThat(client.take("a", LONG).token()).isGreaterThan(lease.token());
            client.close();
        }
    }
}
