package io.holdfast.redis;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A cluster, over the application's own client. Of that only the pools of its nodes are used: where a lock is, and where to
 * go when it moves, is found as on connections of our own, so that all that works there works here.
 */
final class HandedInCluster implements ClusterServers {
    private static final Logger log = LoggerFactory.getLogger(HandedInCluster.class);
    private static final long LOOK_NANOS = 10_000_000L;

    private final UnifiedJedis jedis;
    private final Supplier<Map<String, ConnectionPool>> pools;
    private final Platform platform;
    private final Keys keys;

    private HandedInCluster(
            UnifiedJedis jedis, Supplier<Map<String, ConnectionPool>> pools, Platform platform, Keys keys) {
        this.jedis = jedis;
        this.pools = pools;
        this.platform = platform;
        this.keys = keys;
    }

    /** Makes a cluster of a client, once it is known for whom. */
    interface Factory {
        ClusterServers of(StoreContext context);
    }

    /**
     * How to use the client for a cluster; null if it is none for a cluster.
     *
     * @throws IllegalArgumentException if its pools are too small to lend
     */
    static @Nullable Factory of(UnifiedJedis jedis) {
        Supplier<Map<String, ConnectionPool>> pools = pools(jedis);
        if (pools == null) {
            return null;
        }
        pools.get().values().forEach(PoolSource::check);
        return context -> new HandedInCluster(jedis, pools, context.platform(), Keys.spread(context.keyPrefix()));
    }

    static boolean isCluster(UnifiedJedis jedis) {
        return pools(jedis) != null;
    }

    /** By name, since neither class is in every version of Jedis. */
    private static @Nullable Supplier<Map<String, ConnectionPool>> pools(UnifiedJedis jedis) {
        for (Class<?> type = jedis.getClass(); type != null; type = type.getSuperclass()) {
            switch (type.getName()) {
                case "redis.clients.jedis.JedisCluster" -> {
                    return OfJedisCluster.pools(jedis);
                }
                case "redis.clients.jedis.RedisClusterClient" -> {
                    return OfClusterClient.pools(jedis);
                }
                default -> {
                    // Perhaps what it extends.
                }
            }
        }
        return null;
    }

    /** Loaded only if there is one. */
    private static final class OfJedisCluster {
        static Supplier<Map<String, ConnectionPool>> pools(UnifiedJedis jedis) {
            return ((JedisCluster) jedis)::getClusterNodes;
        }
    }

    /** Loaded only if there is one. */
    private static final class OfClusterClient {
        static Supplier<Map<String, ConnectionPool>> pools(UnifiedJedis jedis) {
            return ((RedisClusterClient) jedis)::getClusterNodes;
        }
    }

    @Override
    public List<HostAndPort> seeds() {
        List<HostAndPort> seeds = new ArrayList<>();
        pools.get().keySet().forEach(node -> seeds.add(HostAndPort.from(node)));
        return seeds;
    }

    @Override
    public ConnectionSource node(HostAndPort at, IntSupplier slot, Platform opens) {
        String address = "redis://" + ServerList.text(at) + " (the application's client)";
        return PoolSource.ofBare(() -> pool(at, slot), address, platform);
    }

    private ConnectionPool pool(HostAndPort at, IntSupplier slot) {
        Map<String, ConnectionPool> known = pools.get();
        if (known.isEmpty()) {
            // It would come to life again if it were given a command.
            throw new JedisConnectionException("the application's client is closed, or knows no node");
        }
        ConnectionPool pool = known.get(at.toString());
        if (pool == null) {
            pool = lookAround(at, slot.getAsInt());
        }
        if (pool == null) {
            throw new JedisConnectionException("the application's client knows no node " + at);
        }
        return pool;
    }

    /**
     * A client looks for new nodes when one of its own commands is sent elsewhere. So it is given one, for a slot of that
     * node; on another thread, since the client takes as long as it likes.
     */
    private @Nullable ConnectionPool lookAround(HostAndPort at, int slot) {
        if (slot < 0) {
            return null;
        }
        String key = keys.fenceOf(slot);
        platform.callbacks().execute(() -> {
            try {
                jedis.sendCommand(key, Protocol.Command.GET, key);
            } catch (JedisException e) {
                log.debug(
                        "the application's client does not reach slot {}: {}",
                        slot,
                        JedisErrors.unsaid(e, null).toString());
            }
        });
        long until = platform.nanoTime() + 20 * LOOK_NANOS;
        ConnectionPool found = null;
        while (found == null && platform.nanoTime() - until < 0) {
            platform.park(LOOK_NANOS);
            found = pools.get().get(at.toString());
        }
        return found;
    }

    @Override
    public String address() {
        return "redis-cluster (the application's client)";
    }
}
