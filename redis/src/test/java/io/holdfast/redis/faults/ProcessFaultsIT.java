package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Rig.PREFIX;
import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.SLACK;
import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Lease;
import io.holdfast.redis.RedisFencingGate;
import io.holdfast.servers.JvmProcess;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.servers.TestCertificate;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.JedisPool;

/** Holders in processes of their own, which are paused and killed. */
class ProcessFaultsIT {
    private static final Duration START = ofSeconds(30);

    @RegisterExtension
    static final Rig rig = new Rig();

    private static JvmProcess holder(String uri, Duration leaseTime) {
        return JvmProcess.start(
                HolderMain.class,
                uri,
                "a",
                Long.toString(leaseTime.toMillis()),
                Integer.toString(rig.redis().port()));
    }

    private static long tokenOf(JvmProcess holder) {
        return Long.parseLong(holder.awaitLine("holds \\d+", START).substring("holds ".length()));
    }

    private static void writeAs(Lease lease) {
        try (JedisPool pool = new JedisPool("127.0.0.1", rig.redis().port())) {
            RedisFencingGate.on(pool, PREFIX).write("data", "written with " + lease.token(), lease.token());
        }
    }

    @Test
    @Faults(1)
    void holder_pausedBeyondItsLease_seesItAtTheFirstLookAndIsRefusedByTheGate() {
        try (JvmProcess holder = holder(rig.redis().uri(), ofMillis(800))) {
            long token = tokenOf(holder);
            holder.send("write");
            holder.awaitLine("written", SOON);
            holder.pause();
            until("its lease is over", () -> rig.isFree("a"));
            Lease others = rig.direct().take("a", LONG);
            writeAs(others);
            // Read as soon as it wakes, before its own timers may have had their turn.
            holder.send("look");
            holder.send("write");
            holder.send("release");

            holder.resume();

            assertThat(holder.awaitLine("valid .*", SOON)).isEqualTo("valid false");
            assertThat(holder.awaitLine("(written|refused .*)", SOON))
                    .contains("refuses token " + token)
                    .contains(Long.toString(others.token()));
            assertThat(holder.awaitLine("released .*", SOON)).isEqualTo("released false");
            until("the loss is told", () -> losses(holder) == 1);
            assertThat(holder.lines()).contains("lost EXPIRED");
            assertThat(rig.redis().command("GET", "data")).isEqualTo("written with " + others.token());
            rig.assertProtects(others);
            assertThat(losses(holder)).isEqualTo(1);
        }
    }

    private static long losses(JvmProcess holder) {
        return holder.lines().stream().filter(line -> line.startsWith("lost ")).count();
    }

    /** It has looked, and all was well; nothing but the token stands between the look and the write. */
    @Test
    @Faults(3)
    void holder_pausedBetweenTheLookAndTheWrite_isRefusedByTheGate() {
        try (JvmProcess holder = holder(rig.redis().uri(), ofMillis(800))) {
            long token = tokenOf(holder);
            holder.send("look");
            assertThat(holder.awaitLine("valid .*", SOON)).isEqualTo("valid true");
            holder.pause();
            until("its lease is over", () -> rig.isFree("a"));
            Lease others = rig.direct().take("a", LONG);
            writeAs(others);
            holder.send("write");

            holder.resume();

            assertThat(holder.awaitLine("(written|refused .*)", SOON)).contains("refuses token " + token);
            assertThat(rig.redis().command("GET", "data")).isEqualTo("written with " + others.token());
        }
    }

    @Test
    @Faults(1)
    void holder_pausedForLessThanItsLease_goesOnAsIfNothingHadBeen() {
        try (JvmProcess holder = holder(rig.redis().uri(), ofSeconds(3))) {
            tokenOf(holder);
            holder.pause();
            until("a good part of the lease is over", () -> rig.timeLeft("a").compareTo(ofMillis(1_700)) < 0);

            holder.resume();

            until("it is renewed", () -> rig.timeLeft("a").compareTo(ofMillis(2_500)) > 0);
            holder.send("write");
            assertThat(holder.awaitLine("(written|refused .*)", SOON)).isEqualTo("written");
            holder.send("release");
            assertThat(holder.awaitLine("released .*", SOON)).isEqualTo("released true");
            assertThat(losses(holder)).isZero();
        }
    }

    @Test
    @Faults({43, 54})
    void holder_killed_leavesTheLockToTheFirstWaiterWhenItsLeaseIsOver() {
        Duration leaseTime = ofSeconds(1);
        Client client = rig.direct();
        try (JvmProcess holder = holder(rig.redis().uri(), leaseTime)) {
            long token = tokenOf(holder);
            Future<Lease> first = rig.start(() -> client.lock("a", LONG).acquire(SOON));
            until("it waits", () -> rig.waiters("a") == 1);
            Client other = rig.direct();
            Future<Lease> second = rig.start(() -> other.lock("a", LONG).acquire(SOON));
            until("another waits", () -> rig.waiters("a") == 2);

            holder.kill9();
            long killed = System.nanoTime();
            Duration left = rig.timeLeft("a");

            Lease lease = get(first);
            assertThat(since(killed)).as("not before").isGreaterThanOrEqualTo(left.minusMillis(1));
            assertThat(since(killed)).isLessThan(leaseTime.plus(SLACK));
            assertThat(lease.token()).isGreaterThan(token);
            assertThat(second).isNotDone();
            assertThat(lease.release()).isTrue();
            assertThat(get(second).token()).isGreaterThan(lease.token());
        }
    }

    @Test
    @Faults(54)
    void holder_killedWithNobodyWaiting_leavesTheLockFreeWithinItsLease() {
        Duration leaseTime = ofMillis(900);
        Client client = rig.direct().connected();
        try (JvmProcess holder = holder(rig.redis().uri(), leaseTime)) {
            long token = tokenOf(holder);
            holder.kill9();
            long killed = System.nanoTime();

            assertThat(client.lock("a").tryAcquire())
                    .as("still the dead holder's")
                    .isEmpty();
            until("it is free", () -> rig.isFree("a"));

            assertThat(since(killed)).isLessThan(leaseTime.plus(SLACK));
            assertThat(client.take("a", LONG).token()).isGreaterThan(token);
        }
    }

    /** A waiter that is killed holds up the others only until its ticket, or what it was granted, has run out. */
    @Test
    @Faults({43, 48, 54})
    void waiter_killedAtTheHeadOfTheQueue_isSkipped() {
        Client client = rig.direct();
        Lease lease = client.take("a", LONG);
        try (JvmProcess waiter = holder(rig.redis().uri(), ofMillis(600))) {
            until("it waits", () -> rig.waiters("a") == 1);
            Client other = rig.direct();
            Future<Lease> next = rig.start(() -> other.lock("a", LONG).acquire(SOON));
            until("another waits", () -> rig.waiters("a") == 2);
            waiter.kill9();

            assertThat(lease.release()).isTrue();

            assertThat(get(next).token()).isGreaterThan(lease.token());
        }
    }

    /** TLS connections that are reset are made anew; where they cannot be, the lease ends by the holder's clock. */
    @Test
    @Faults({4, 23})
    void lease_overTls_survivesResetsAndIsLostWhenItCannotConnect() {
        Duration leaseTime = ofMillis(1_200);
        try (RedisServer redis = RedisServer.builder().tls().start();
                TcpProxy proxy = TcpProxy.to(redis.port());
                JvmProcess holder = JvmProcess.of(HolderMain.class)
                        .options(
                                "-Djavax.net.ssl.trustStore="
                                        + TestCertificate.get().trustStore(),
                                "-Djavax.net.ssl.trustStorePassword="
                                        + TestCertificate.get().password())
                        .arguments("rediss://127.0.0.1:" + proxy.port(), "a", Long.toString(leaseTime.toMillis()))
                        .arguments(Integer.toString(rig.redis().port()))
                        .start()) {
            long token = tokenOf(holder);
            for (int i = 0; i < 3; i++) {
                holder.awaitLine("renewed", SOON);
                proxy.dropConnections();
            }
            holder.awaitLine("renewed", SOON);
            assertThat(String.valueOf(redis.command("GET", Rig.key("a")))).endsWith(":" + token);
            assertThat(losses(holder)).isZero();

            proxy.cut();

            assertThat(holder.awaitLine("lost .*", SOON)).isEqualTo("lost EXPIRED");
            assertThat(losses(holder)).isEqualTo(1);
        }
    }
}
