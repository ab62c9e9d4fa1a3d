package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.FiveServers;
import io.holdfast.servers.HeldRequest;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a minority of five servers, or other contenders, must not cost those who want a lock. */
class RedlockAvailabilityIT {
    private static final String KEY = Rig.key("a");
    private static FiveServers five;
    private final List<Client> open = new ArrayList<>();

    @BeforeAll
    static void start() {
        five = new FiveServers();
    }

    @AfterAll
    static void stop() {
        five.close();
    }

    @BeforeEach
    void begin() {
        five.servers().forEach(RedisServer::flushAll);
        five.vouched(ofSeconds(60));
    }

    @AfterEach
    void end() {
        five.servers().forEach(RedisServer::resume);
        five.networks().forEach(TcpProxy::restore);
        open.forEach(Client::close);
    }

    private Client client(Duration timeout) {
        return unconnected(timeout).connected();
    }

    private Client unconnected(Duration timeout) {
        Client client = Client.of(
                five.networkUri("?maxLease=60s&nodeTimeout=500ms"), builder -> builder.commandTimeout(timeout));
        open.add(client);
        return client;
    }

    /** As somebody has it who was at it at the same time. */
    private static void takenByAnother(int... servers) {
        for (int server : servers) {
            five.server(server).command("SET", KEY, "hf1:another:1:1:5", "PX", "60000");
        }
    }

    private static long scripts(RedisServer server) {
        return server.commandStats().getOrDefault("evalsha", 0L)
                + server.commandStats().getOrDefault("eval", 0L);
    }

    /** Only where the other has it: elsewhere it may be ours by now. */
    private static void givenBackByTheOther(int... servers) {
        for (int server : servers) {
            five.server(server).command("DEL", KEY);
        }
    }

    private static void untilNothingIsLeft() {
        until("the lock is gone everywhere", five::haveNoLock);
    }

    /** Else the lock would hang on those that were quick: one of them fails, and it is lost. */
    @Test
    @Faults(31)
    void serverWhoseConnectionOpensLast_isAskedForTheLockAlso() {
        Duration taken = Duration.ZERO;
        // A connection that is not open after 500 ms is given up, and a busy machine may take that long for the others.
        for (int i = 0; i < 10; i++) {
            five.network(3).stall();
            long start = System.nanoTime();
            Lease lease = unconnected(ofSeconds(10)).take("a", ofSeconds(50));
            assertThat(five.server(3).command("EXISTS", KEY)).isEqualTo(0L);
            five.network(3).restore();
            taken = since(start);
            if (taken.compareTo(ofMillis(300)) < 0) {
                until(
                        "it has the lock",
                        () -> Long.valueOf(1).equals(five.server(3).command("EXISTS", KEY)));
                assertThat(lease.release()).isTrue();
                untilNothingIsLeft();
                return;
            }
            assertThat(lease.release()).isTrue();
        }
        fail("a lock took " + taken.toMillis() + " ms");
    }

    /** Three are quick, and one of them does not get as far as to agree on the token; the two others answer later. */
    @Test
    @Faults({30, 31})
    void serverThatFallsSilentBetweenGrantAndToken_costsAnotherVote_andNothingElse() {
        Client client = client(ofSeconds(10));
        five.server(1).command("INCRBY", "distributed_lock:~fence", "700000");
        HeldRequest settling = five.network(0).holdNextRequestContaining("settle");
        five.network(3).delay(ofMillis(60));
        five.network(4).delay(ofMillis(60));

        Lease lease = client.take("a", ofSeconds(50));

        assertThat(settling.isSprung()).as("the first vote came to nothing").isTrue();
        assertThat(lease.isValid()).isTrue();
        long ahead = Long.parseLong(String.valueOf(five.server(1).command("GET", "distributed_lock:~fence")));
        assertThat(lease.token()).as("not below what was given before").isEqualTo(ahead);
        settling.release();
        five.networks().forEach(TcpProxy::restore);
        assertThat(lease.release()).isTrue();
        untilNothingIsLeft();
    }

    /** It is told of to nobody: the inboxes open afterwards, and too late for the waiter to ask once more in time. */
    @Test
    @Faults(41)
    void releaseBeforeTheInboxesAreOpen_isNotWaitedForUntilTheNextLook() throws InterruptedException {
        Lease held = client(ofSeconds(10)).take("a", ofSeconds(50));
        Client waiter = client(ofMillis(250));
        List<HeldRequest> inboxes = five.networks().stream()
                .map(network -> network.holdNextRequestContaining("SUBSCRIBE"))
                .toList();
        CompletableFuture<Lease> waiting = waiter.lock("a").acquireAsync(SOON).toCompletableFuture();
        inboxes.forEach(inbox -> inbox.awaitSprung(SOON));

        long released = System.nanoTime();
        assertThat(held.release()).isTrue();
        Thread.sleep(160);
        inboxes.forEach(HeldRequest::release);

        Lease lease = get(waiting);
        assertThat(since(released)).as("until it has the lock").isLessThan(ofMillis(1_500));
        assertThat(lease.release()).isTrue();
        untilNothingIsLeft();
    }

    @Test
    @Faults({30, 31})
    void splitVote_whileAMinorityIsOutOfReach_isHeldByOthers_andNoFailure() {
        Client client = client(ofSeconds(10));
        takenByAnother(0, 1);
        five.network(4).cut();

        assertThat(client.lock("a").tryLock()).isFalse();
        CompletableFuture<Lease> waiting = client.lock("a").acquireAsync(SOON).toCompletableFuture();
        until(
                "it has asked",
                () -> Long.valueOf(1).equals(five.server(0).command("ZCARD", Rig.PREFIX + "~queue:{" + KEY + "}")));
        givenBackByTheOther(0, 1);

        Lease lease = get(waiting);
        assertThat(lease.release()).isTrue();
        five.network(4).restore();
        untilNothingIsLeft();
    }

    /** With more out of reach there is no telling what those would have said. */
    @Test
    @Faults({30, 50})
    void splitVote_whileAMajorityIsOutOfReach_isAFailure() {
        Client client = client(ofSeconds(10));
        takenByAnother(0);
        five.network(2).cut();
        five.network(3).cut();
        assertThat(client.lock("a").tryLock()).as("two out of reach").isFalse();

        five.network(4).cut();

        assertThatThrownBy(() -> client.lock("a").tryLock())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("1 of 5 servers granted the lock, and 3 have to agree")
                .hasMessageContaining("says that another has it");
        givenBackByTheOther(0);
        five.networks().forEach(TcpProxy::restore);
        untilNothingIsLeft();
    }

    /** Every vote is split, and takes as long as the server that does not answer. */
    @Test
    @Faults({21, 30})
    void votesThatAreHeldAgain_haveOneCommandTimeOutTogether() {
        Client client = client(ofMillis(700));
        takenByAnother(0, 1);
        five.server(4).pause();
        five.server(2).command("CONFIG", "RESETSTAT");

        assertThat(client.lock("a").tryLock()).isFalse();

        // A vote takes 500 ms, so there is no time for a third; each asks, and takes back.
        assertThat(scripts(five.server(2))).isBetween(1L, 4L);
        five.server(4).resume();
        givenBackByTheOther(0, 1);
        untilNothingIsLeft();
    }
}
