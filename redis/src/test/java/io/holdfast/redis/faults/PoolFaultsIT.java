package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.KEPT;
import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.SLACK;
import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.RedisStore;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;

/** Connections that are borrowed from the application's pool, and what the application's use of it does to them. */
class PoolFaultsIT {
    private static final Duration TIMEOUT = ofMillis(400);
    private static final int SIZE = 5;

    @RegisterExtension
    static final Rig rig = new Rig();

    private @Nullable JedisPool opened;

    @BeforeEach
    void openPool() {
        GenericObjectPoolConfig<Jedis> limits = new GenericObjectPoolConfig<>();
        limits.setMaxTotal(SIZE);
        limits.setJmxEnabled(false);
        opened = new JedisPool(limits, "127.0.0.1", rig.proxy().port(), 10_000);
    }

    @AfterEach
    void closePool() {
        pool().close();
    }

    private JedisPool pool() {
        return requireNonNull(opened);
    }

    private Client client() {
        return client(TIMEOUT);
    }

    private Client client(Duration timeout) {
        return rig.client(
                rig.proxyUri(), builder -> builder.store(RedisStore.on(pool())).commandTimeout(timeout));
    }

    /** The pool's own time-out is much longer, and starts anew with every byte. */
    @Test
    @Faults(21)
    void tryLock_overAPooledConnectionThatDrips_failsByTheCommandTimeOut() {
        Client client = client().connected();
        rig.proxy().dripReplies(8);
        long start = System.nanoTime();

        assertThatThrownBy(() -> client.lock("a", LONG).tryLock())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("did not answer within 400 ms");

        assertThat(since(start)).isLessThan(TIMEOUT.plus(SLACK));
        rig.proxy().restore();
        until("what the request may have done is undone", () -> rig.isFree("a"));
        client.goesOn("a");
    }

    @Test
    @Faults(22)
    void acquire_whileTheApplicationHasAllConnections_failsByTheCommandTimeOut() {
        Client client = client();
        List<Jedis> taken = new ArrayList<>();
        for (int i = 0; i < SIZE; i++) {
            taken.add(pool().getResource());
        }
        long start = System.nanoTime();

        assertThatThrownBy(() -> client.lock("a").tryLock())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("no connection came free in the pool");

        assertThat(since(start)).isLessThan(TIMEOUT.plus(SLACK));
        Future<Lease> waiting = rig.start(() -> client.lock("a").acquire(SOON));
        taken.forEach(Jedis::close);
        rig.assertProtects(get(waiting));
    }

    /** Those that are in use are kept, so the application cannot take them away from a holder. */
    @Test
    @Faults(22)
    void lease_whileTheApplicationHasAllOtherConnections_isRenewedAndReleased() {
        Client client = client(ofSeconds(5)).connected();
        Lease lease = client.take("a", KEPT);
        until("the connection for renewals is there", () -> client.renewals() > 0);
        List<Jedis> taken = new ArrayList<>();
        for (int i = 2; i < SIZE; i++) {
            taken.add(pool().getResource());
        }
        int renewals = client.renewals();

        until("it is renewed again and again", () -> client.renewals() > renewals + 1);

        rig.assertProtects(lease);
        assertThat(lease.release()).isTrue();
        assertThat(client.losses()).isEmpty();
        taken.forEach(Jedis::close);
    }

    /** Broken connections are given back as broken, and the rest when the client is closed; the pool stays open. */
    @Test
    @Faults({22, 47})
    void connections_brokenAgainAndAgain_areAllGivenBackToThePool() {
        Client client = client(ofSeconds(5)).connected();
        Lease lease = client.take("a", KEPT);
        for (int i = 0; i < SIZE; i++) {
            int renewals = client.renewals();
            rig.proxy().dropConnections();
            assertThat(client.lock("b").tryAcquire().orElseThrow().release()).isTrue();
            until("it is renewed", () -> client.renewals() > renewals);
        }
        assertThat(lease.release()).isTrue();
        assertThat(pool().getNumActive()).isLessThanOrEqualTo(3);

        client.close();

        until("all are given back", () -> pool().getNumActive() == 0);
        assertThat(pool().isClosed()).isFalse();
    }
}
