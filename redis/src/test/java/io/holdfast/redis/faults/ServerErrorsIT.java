package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.SLACK;
import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.earliestLoss;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static io.holdfast.redis.faults.Timing.usable;
import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.Loss;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every error that one real server can be brought to answer with. None of them ever means "held" or "not held". */
class ServerErrorsIT {
    @RegisterExtension
    static final Rig rig = new Rig();

    @ParameterizedTest
    @EnumSource
    @Faults(26)
    void tryLock_inTrouble_throwsWithAddressAndReasonAndWorksAfterwards(Trouble trouble) {
        Client client = rig.direct().connected();
        DistributedLock lock = client.lock("a", LONG);
        trouble.begin(rig);
        Runnable end = rig.afterwards(() -> trouble.end(rig));

        assertThatThrownBy(lock::tryLock)
                .isInstanceOf(trouble.type())
                .hasMessageContaining(rig.redis().uri())
                .hasMessageContaining(trouble.name());

        assertThat(lock.isHeldByCurrentThread()).isFalse();
        end.run();
        until("the same client goes on", () -> succeeds(lock));
        assertThat(rig.isFree("a")).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    @Faults({26, 50})
    void wait_inTrouble_goesOnIfItPassesAndFailsAtOnceIfNot(Trouble trouble) throws InterruptedException {
        Client client = rig.direct().connected();
        DistributedLock lock = client.lock("a", LONG);
        trouble.begin(rig);
        Runnable end = rig.afterwards(() -> trouble.end(rig));

        if (trouble.passes()) {
            assertThatThrownBy(() -> lock.acquire(ofMillis(300)))
                    .as("the store answered, but never with a yes or a no")
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining(trouble.name());
            Future<Lease> waiting = rig.start(() -> lock.acquire(SOON));
            end.run();
            rig.assertProtects(get(waiting));
        } else {
            long start = System.nanoTime();
            assertThatThrownBy(() -> lock.acquire(LONG))
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining(trouble.name());
            assertThat(since(start)).isLessThan(SOON);
            end.run();
        }
    }

    /** What keeps a server from writing keeps it from renewing; the holder learns of it by its own clock. */
    @ParameterizedTest
    @EnumSource(names = {"READONLY", "MASTERDOWN", "NOREPLICAS", "BUSY", "MISCONF", "NOPERM", "NOAUTH"})
    @Faults({4, 23, 26})
    void lease_inTroubleThatOutlastsIt_isLostOnceWithTheReason(Trouble trouble) {
        Client client = rig.direct().connected();
        Lease lease = client.take("b", ofMillis(600));
        until("the connection for renewals is there", () -> client.renewals() > 0);
        trouble.begin(rig);
        rig.afterwards(() -> trouble.end(rig));

        until("the loss is told", () -> !client.losses().isEmpty());

        assertThat(client.losses().get(0).cause()).isEqualTo(Loss.Cause.EXPIRED);
        assertThat(client.losses().get(0).detail()).contains(rig.redis().uri()).contains(trouble.name());
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.release()).isFalse();
        assertThat(client.losses()).hasSize(1);
    }

    @Test
    @Faults(26)
    void tryLock_onANodeOfACluster_saysThatItIsOne() {
        try (RedisServer node =
                        RedisServer.builder().config("cluster-enabled", "yes").start();
                Client client = Client.of(node.uri(), builder -> {})) {
            assertThatThrownBy(() -> client.lock("a").tryLock())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining(node.uri())
                    .hasMessageContaining("CLUSTERDOWN");

            node.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
            until(
                    "the cluster is up",
                    () -> String.valueOf(node.command("CLUSTER", "INFO")).contains("cluster_state:ok"));

            assertThatThrownBy(() -> client.lock("a").tryLock())
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("CROSSSLOT")
                    .hasMessageContaining("node of a cluster");
        }
    }

    /** The server ends the connections of a user that is deleted, and lets it in no more. */
    @Test
    @Faults({4, 23})
    void lease_whoseUserIsDeleted_isLostAtItsDeadlineAndErrorsSayWhy() {
        rig.redis().command("ACL", "SETUSER", "app", "on", ">secret", "~*", "&*", "+@all");
        rig.afterwards(() -> rig.redis().command("ACL", "DELUSER", "app"));
        Client client = rig.client("redis://app:secret@127.0.0.1:" + rig.redis().port(), builder -> {});
        Duration leaseTime = ofMillis(900);
        long before = System.nanoTime();
        Lease lease = client.take("a", leaseTime);
        long after = System.nanoTime();

        rig.redis().command("ACL", "DELUSER", "app");

        assertThatThrownBy(() -> client.lock("b").tryLock())
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("WRONGPASS")
                .hasMessageNotContaining("secret");
        until("the loss is told", () -> !client.losses().isEmpty());
        assertThat(since(before)).isGreaterThanOrEqualTo(earliestLoss(leaseTime));
        assertThat(since(after)).isLessThan(usable(leaseTime).plus(SLACK));
        assertThat(client.losses().get(0).detail()).contains("WRONGPASS");
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    @Faults(23)
    void tryLock_withAWrongPassword_isRefusedWithoutTellingIt() {
        String uri = "redis://default:hush@127.0.0.1:" + rig.redis().port();
        rig.afterwards(() -> Trouble.NOAUTH.end(rig));
        rig.redis().command("ACL", "SETUSER", "default", "resetpass", ">secret");
        Client client = rig.client(uri, builder -> {});

        assertThatThrownBy(() -> client.lock("a").tryLock())
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("WRONGPASS")
                .hasMessageNotContaining("hush");
    }

    private static boolean succeeds(DistributedLock lock) {
        try {
            return lock.tryAcquire().orElseThrow().release();
        } catch (StoreUnavailableException e) {
            return false;
        }
    }
}
