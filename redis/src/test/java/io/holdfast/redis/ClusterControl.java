package io.holdfast.redis;

import static java.util.Objects.requireNonNull;

import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.Resp;
import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.StoreUri;
import io.holdfast.testkit.contract.StoreControl;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.providers.ClusterConnectionProvider;

/** What the contract does to a cluster, by plain commands. */
final class ClusterControl implements StoreControl, AutoCloseable {
    private final RedisCluster cluster = RedisCluster.start();
    private boolean countersLost = true;

    /**
     * The cluster as it is after a while: a counter that starts runs ahead of the clock, and as long as it does a lock is not
     * passed on inside a client. A server does that once, a cluster once for every slot.
     */
    StoreFactory store() {
        if (countersLost) {
            cluster.masters().forEach(ClusterControl::startCounters);
            countersLost = false;
        }
        return new RedisStoreProvider().factory(new StoreUri(cluster.uri()));
    }

    /** With room for the many clients of a contract. */
    JedisCluster client() {
        ConnectionPoolConfig limits = new ConnectionPoolConfig();
        limits.setMaxTotal(-1);
        limits.setJmxEnabled(false);
        Set<HostAndPort> first =
                Set.of(new HostAndPort("127.0.0.1", cluster.nodes().get(0).port()));
        return new JedisCluster(
                new ClusterConnectionProvider(
                        first, DefaultJedisClientConfig.builder().build(), limits),
                5,
                Duration.ofSeconds(2));
    }

    /** The master that has a lock. */
    RedisServer home(String lockName) {
        return cluster.masterOf(cluster.slot(Scripts.PREFIX + lockName));
    }

    @Override
    public void expire(String lockName) {
        home(lockName).command("DEL", Scripts.PREFIX + lockName);
    }

    private static void startCounters(RedisServer master) {
        long micros = System.currentTimeMillis() * 1_000;
        try (Resp resp = Resp.connect("127.0.0.1", master.port())) {
            List<?> ranges = (List<?>) requireNonNull(resp.call("CLUSTER", "SLOTS"));
            int sent = 0;
            for (Object each : ranges) {
                List<?> range = (List<?>) each;
                long port = (Long) requireNonNull(((List<?>) range.get(2)).get(1));
                long last = (Long) range.get(1);
                for (long slot = (Long) range.get(0); slot <= last && port == master.port(); slot++) {
                    resp.send(
                            "SET", Scripts.ANY_FENCE + ":{" + Slots.tag((int) slot) + "}", Long.toString(micros), "NX");
                    sent++;
                }
            }
            for (int i = 0; i < sent; i++) {
                resp.read();
            }
        }
    }

    @Override
    public void loseEverything() {
        countersLost = true;
        cluster.masters().forEach(RedisServer::flushAll);
    }

    @Override
    public List<String> leftovers() {
        return cluster.masters().stream()
                .flatMap(master -> Leftovers.of(master).stream())
                .toList();
    }

    @Override
    public Optional<String> processUri() {
        return Optional.of(cluster.uri());
    }

    @Override
    public void close() {
        cluster.close();
    }
}
