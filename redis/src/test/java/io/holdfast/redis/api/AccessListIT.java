package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Loss;
import io.holdfast.StoreRefusedException;
import io.holdfast.redis.LeastRights;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.StoreHealth;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A user of Redis who is allowed the least can do everything. */
@ParameterizedClass
@EnumSource(RedisServer.Version.class)
class AccessListIT {
    private final RedisServer redis;
    private final AccessList access;

    AccessListIT(RedisServer.Version version) {
        redis = SharedRedis.empty(version);
        access = new AccessList(redis);
    }

    @AfterEach
    void removeTheUser() {
        access.removeUser();
    }

    private Holdfast connect() {
        return Holdfast.connect(access.uri());
    }

    @Test
    @Faults(23)
    void userWithTheLeastPermissions_canDoEverything() throws Exception {
        access.allow(AccessList.COMMANDS);

        access.doEverything();
    }

    @Test
    void health_withoutPermissionToReadIt_saysSoAndIsReachable() {
        access.allow(AccessList.COMMANDS);
        try (Holdfast locks = connect()) {
            StoreHealth health = locks.health();

            assertThat(health.reachable()).isTrue();
            assertThat(health.roundTrip()).isPositive();
            assertThat(health.warnings())
                    .singleElement()
                    .asString()
                    .startsWith("the server's settings cannot be read (redis://127.0.0.1:" + redis.port()
                            + " answered 'NOPERM")
                    .endsWith("): see that maxmemory-policy is noeviction and appendonly is yes, or grant +info");
        }
    }

    @Test
    void health_withPermissionToReadIt_tellsOnlyWhatThereIs() {
        access.allow(
                Stream.concat(AccessList.COMMANDS.stream(), Stream.of("+info")).toList());
        try (Holdfast locks = connect()) {
            assertThat(locks.health().warnings()).singleElement().asString().startsWith("appendonly is no: ");
        }
    }

    @Test
    void health_withoutPermissionToReadOneSetting_saysSoOnce_andWithItNothing() {
        redis.command("CONFIG", "SET", "appendonly", "yes");
        try {
            access.allow(Stream.concat(AccessList.COMMANDS.stream(), Stream.of("+info"))
                    .toList());
            try (Holdfast locks = connect()) {
                assertThat(locks.health().warnings())
                        .singleElement()
                        .asString()
                        .startsWith("appendfsync cannot be read (");
            }
            access.allow(Stream.concat(AccessList.COMMANDS.stream(), LeastRights.TO_CHECK.stream())
                    .toList());
            try (Holdfast locks = connect()) {
                assertThat(locks.health().warnings()).isEmpty();
            }
        } finally {
            redis.command("CONFIG", "SET", "appendonly", "no");
        }
    }

    @Test
    @Faults(23)
    void lockOutsideThePrefixOfTheUser_isATypedErrorWithTheRemedy() {
        access.allow(AccessList.COMMANDS);
        try (Holdfast locks =
                Holdfast.builder().uri(access.uri()).keyPrefix("other:").build()) {
            assertThatExceptionOfType(StoreRefusedException.class)
                    .isThrownBy(() -> locks.lock("a").tryLock())
                    .withMessageContaining("the user lacks a permission; grant all keys and channels of the prefix");
        }
    }

    @Test
    @Faults(23)
    void userThatMayNotSubscribe_stillGetsTheLockByLookingAgain() throws Exception {
        access.allow(AccessList.COMMANDS.stream()
                .filter(rule -> !rule.equals("+subscribe"))
                .toList());
        try (Holdfast one = connect();
                Holdfast two = connect()) {
            DistributedLock lock = one.lock("a");
            assertThat(lock.tryLock()).isTrue();
            Future<Boolean> waiter = Crowd.start(() -> two.lock("a").tryLock(20, SECONDS));
            until(() ->
                    Long.valueOf(1).equals(redis.command("EXISTS", "distributed_lock:~queue:{distributed_lock:a}")));
            assertThat(lock.unlock()).isTrue();

            assertThat(Crowd.get(waiter)).isTrue();
        }
    }

    @Test
    @Faults(23)
    void permissionRevokedDuringAHold_isATypedErrorAndTheHoldIsLostAtItsDeadline() throws Exception {
        access.allow(AccessList.COMMANDS);
        try (Holdfast locks = connect()) {
            Lease lease =
                    locks.lock("a", o -> o.lease(Duration.ofMillis(1_500))).acquire(Duration.ZERO);
            access.allow(List.of());

            assertThatExceptionOfType(StoreRefusedException.class)
                    .isThrownBy(() -> locks.lock("b").tryLock());
            var loss = lease.lost().toCompletableFuture().get(10, SECONDS);

            assertThat(loss.cause()).isEqualTo(Loss.Cause.EXPIRED);
            assertThat(loss.detail()).contains("the last one failed").contains("NOPERM");
            assertThat(lease.release()).isFalse();
        }
    }
}
