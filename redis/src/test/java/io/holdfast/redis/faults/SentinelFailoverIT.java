package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Lease;
import io.holdfast.Loss;
import io.holdfast.servers.RedisSentinels;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The master goes, by command, by crash, or by falling silent, and Sentinels make a replica the master. */
class SentinelFailoverIT {
    /** Longer than a failover takes on a busy machine. */
    private static final Duration LEASE = ofSeconds(12);

    private static final String FENCE = Rig.PREFIX + "~fence";

    private static RedisSentinels sentinels;

    private final List<Client> clients = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeAll
    static void start() {
        sentinels = RedisSentinels.start();
        try (Client first = Client.of(sentinels.uri(), builder -> builder.commandTimeout(ofSeconds(30)))) {
            first.connected();
        }
        // A counter that was just begun is ahead of the clock by two seconds, for which tokens outrun a failover.
        until("the clock is ahead of the tokens", () -> lead(sentinels.master()) < 0);
    }

    private static long lead(RedisServer server) {
        List<?> time = (List<?>) requireNonNull(server.command("TIME"));
        long micros = 1_000_000 * Long.parseLong(String.valueOf(time.get(0)));
        return Long.parseLong(String.valueOf(server.command("GET", FENCE))) - micros;
    }

    @AfterEach
    void heal() {
        threads.shutdownNow();
        sentinels.heal();
        clients.forEach(Client::close);
    }

    @AfterAll
    static void stop() {
        sentinels.close();
    }

    private Client client() {
        return client(ofMillis(700));
    }

    private Client client(Duration timeout) {
        Client client = Client.of(sentinels.uri(), builder -> builder.commandTimeout(timeout));
        clients.add(client);
        return client.connected();
    }

    private static long waiters(RedisServer server, String name) {
        return (Long) requireNonNull(server.command("ZCARD", Rig.PREFIX + "~queue:{" + Rig.key(name) + "}"));
    }

    private static void assertHas(RedisServer server, Lease lease) {
        assertThat(server.command("GET", Rig.key(lease.lockName())))
                .asString()
                .startsWith("hf1:")
                .endsWith(":" + lease.token());
    }

    @Test
    @Faults({23, 24, 42})
    void failoverByCommand_losesNothing_andWaitersGoOn() {
        Client holder = client();
        Client other = client();
        Lease lease = holder.take("a", LEASE);
        Future<Lease> waiting = threads.submit(() -> other.lock("a", LEASE).acquire(LONG));
        until("it waits", () -> waiters(sentinels.master(), "a") == 1);
        sentinels.awaitReplicated();

        RedisServer master = sentinels.failover();

        int renewals = holder.renewals();
        until("it is renewed at the new master", () -> holder.renewals() > renewals);
        assertThat(lease.isValid()).isTrue();
        assertHas(master, lease);
        assertThat(lease.release()).isTrue();
        Lease next = get(waiting);
        assertThat(next.token()).isGreaterThan(lease.token());
        assertHas(master, next);
        assertThat(next.release()).isTrue();
        assertThat(holder.losses()).isEmpty();
    }

    @Test
    @Faults({24, 42})
    void crashOfTheMaster_afterItHasReplicated_isOutlivedByHoldersAndWaiters() {
        Client holder = client();
        Client other = client();
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            leases.add(holder.take("held-" + i, LEASE));
        }
        Future<Lease> waiting = threads.submit(() -> other.lock("held-0", LEASE).acquire(LONG));
        RedisServer before = sentinels.master();
        until("it waits", () -> waiters(before, "held-0") == 1);
        sentinels.awaitReplicated();

        before.kill9();
        RedisServer after = sentinels.awaitFailoverFrom(before);

        int renewals = holder.renewals();
        until("all are renewed at the new master", () -> holder.renewals() >= renewals + 10);
        leases.forEach(lease -> assertHas(after, lease));
        assertThat(leases).allMatch(Lease::isValid);
        leases.forEach(lease -> assertThat(lease.release()).isTrue());
        Lease next = get(waiting);
        assertThat(next.token()).isGreaterThan(leases.get(0).token());
        assertThat(holder.losses()).isEmpty();
    }

    @Test
    @Faults({6, 24})
    void crashOfTheMaster_beforeItHasReplicated_isALossAtTheHolder_andTokensRise() {
        Client holder = client();
        Client other = client();
        RedisServer before = sentinels.master();
        List<RedisServer> replicas =
                sentinels.servers().stream().filter(server -> server != before).toList();
        // They neither get what comes now nor connect again to ask for it.
        replicas.forEach(RedisServer::pause);
        before.command("CLIENT", "KILL", "TYPE", "replica");
        Lease lost = holder.take("b", LEASE);
        before.kill9();
        replicas.forEach(RedisServer::resume);
        RedisServer after = sentinels.awaitFailoverFrom(before);
        assertThat(after.command("GET", Rig.key("b"))).isNull();

        until("its holder is told", () -> !holder.losses().isEmpty());

        assertThat(lost.isValid()).isFalse();
        assertThat(after.command("GET", Rig.key("b"))).as("not brought back").isNull();
        // Which of the two depends on whether there is a new master before the lease is over.
        assertThat(holder.losses()).singleElement().extracting(Loss::cause).isIn(Loss.Cause.GONE, Loss.Cause.EXPIRED);
        assertThat(lost.release()).isFalse();
        Lease next = other.take("b", LEASE);
        assertThat(next.token()).isGreaterThan(lost.token());
        assertThat(next.release()).isTrue();
    }

    /** Whoever has a connection to the old master, and does not use it, hears of the new one from the Sentinels. */
    @Test
    @Faults({21, 25})
    void masterThatFallsSilent_isLeft_andNotBelievedWhenItComesBack() throws Exception {
        Client holder = client();
        Client idle = client(ofSeconds(5));
        Lease lease = holder.take("c", LEASE);
        sentinels.awaitReplicated();
        RedisServer before = sentinels.master();
        before.pause();
        RedisServer after = sentinels.awaitFailoverFrom(before);
        int renewals = holder.renewals();
        until("it is renewed at the new master", () -> holder.renewals() > renewals);

        long woken = System.nanoTime();
        before.resume();
        boolean taken = idle.lock("c").tryLock();

        assertThat(taken).as("taken from under its holder").isFalse();
        assertThat(since(woken)).isLessThan(SOON);
        assertHas(after, lease);
        assertThat(lease.release()).isTrue();
        // A release that got no answer in time is said again in the background.
        assertThat(idle.lock("c", LEASE).acquire(SOON).token()).isGreaterThan(lease.token());
        assertThat(holder.losses()).isEmpty();
    }
}
