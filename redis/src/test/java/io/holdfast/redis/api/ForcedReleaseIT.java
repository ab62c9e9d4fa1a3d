package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Loss;
import io.holdfast.StoreRefusedException;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A person takes a lock from its holder, who hears of it in its inbox. */
class ForcedReleaseIT {
    private final RedisServer redis = SharedRedis.empty();
    private final Holdfast holder = client("the holder");
    private final Holdfast person = client("the person");

    @AfterEach
    void close() {
        holder.close();
        person.close();
    }

    private Holdfast client(String application) {
        return Holdfast.builder().uri(redis.uri()).application(application).build();
    }

    private String owner(String name) {
        return person.inspect(name).get(0).holders().get(0).owner();
    }

    /** The holder listens to its inbox, as everybody does that has ever waited. */
    private void listens() throws Exception {
        Lease first = person.lock("first").acquire(Duration.ZERO);
        CompletableFuture<Lease> next =
                holder.lock("first").acquireAsync(Duration.ofSeconds(60)).toCompletableFuture();
        until(() -> HandOver.inboxes(redis) == 1);
        assertThat(first.release()).isTrue();
        assertThat(next.get(60, TimeUnit.SECONDS).release()).isTrue();
    }

    private static Loss loss(Lease lease) {
        return lease.lost()
                .toCompletableFuture()
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
    }

    /** The lease is so long that no renewal comes in time to tell. */
    @Test
    void holderThatListens_isToldAtOnce_byWhom() throws Exception {
        listens();
        Lease whole = holder.lock("a", o -> o.lease(Duration.ofHours(1))).acquire(Duration.ZERO);
        Lease share = holder.readWriteLock("b", o -> o.lease(Duration.ofHours(1)))
                .readLock()
                .acquire(Duration.ZERO);

        assertThat(person.forceRelease("a", owner("a"))).isTrue();
        assertThat(person.forceRelease("b", owner("b"))).isTrue();

        for (Lease lease : new Lease[] {whole, share}) {
            assertThat(loss(lease).cause()).isEqualTo(Loss.Cause.FORCED);
            assertThat(loss(lease).detail())
                    .startsWith("it was released by force, by the person (process "
                            + ProcessHandle.current().pid() + " on ");
            assertThat(lease.isValid()).isFalse();
        }
        assertThat(person.inspect("*")).isEmpty();
    }

    @Test
    void holderThatDoesNotListen_noticesItAtItsNextRenewal() throws Exception {
        Lease lease = holder.lock("a", o -> o.lease(Duration.ofSeconds(3))).acquire(Duration.ZERO);

        assertThat(person.forceRelease("a", owner("a"))).isTrue();

        assertThat(loss(lease).cause()).isEqualTo(Loss.Cause.GONE);
    }

    @Test
    void newsThatMakeNoSense_takeNothingAway() throws Exception {
        listens();
        Lease lease = holder.lock("a").acquire(Duration.ZERO);
        Lease next = holder.lock("b").acquire(Duration.ZERO);
        String owner = owner("a");
        String channel = "distributed_lock:~inbox:" + owner.substring(0, owner.indexOf(':'));
        for (String news : new String[] {
            owner + " !%zz", "x ! distributed_lock:a", owner + "x !%zz distributed_lock:a", owner + " ! other:a", " ! "
        }) {
            redis.command("PUBLISH", channel, news);
        }
        // What makes sense comes behind them, in the same channel.
        redis.command("PUBLISH", channel, owner("b") + " !%zz distributed_lock:b");

        until(() -> !next.isValid());
        assertThat(loss(next).cause()).isEqualTo(Loss.Cause.FORCED);
        assertThat(loss(next).detail()).contains("a client that does not tell who it is");
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void lockOfAnotherLibrary_isRefused() {
        redis.command("SET", "distributed_lock:theirs", "some-uuid", "PX", "60000");

        assertThatExceptionOfType(StoreRefusedException.class)
                .isThrownBy(() -> person.forceRelease("theirs", "some-uuid"))
                .withMessageContaining("no client of this library");
        assertThat(redis.command("GET", "distributed_lock:theirs")).isEqualTo("some-uuid");
    }

    @Test
    void nameWithAStar_isThatNameAlone() throws Exception {
        Lease star = holder.lock("a*").acquire(Duration.ZERO);
        Lease other = holder.lock("ab").acquire(Duration.ZERO);

        assertThat(person.forceRelease("a*", owner("ab"))).isFalse();

        assertThat(star.release()).isTrue();
        assertThat(other.release()).isTrue();
    }
}
