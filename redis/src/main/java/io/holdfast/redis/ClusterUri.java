package io.holdfast.redis;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreUri;
import java.util.List;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;

/**
 * {@code redis-cluster://[[user]:password@]host[:port],...}, and {@code rediss-cluster://} for TLS. A few nodes are enough:
 * the others are asked for.
 *
 * @param how null if TLS is spoken as the JVM does it by itself
 */
record ClusterUri(boolean tls, ServerList list, @Nullable Tls how) implements ClusterServers {
    private static final int DEFAULT_PORT = 6379;

    static ClusterUri parse(StoreUri uri) {
        return parse(uri, null);
    }

    static ClusterUri parse(StoreUri uri, @Nullable Tls how) {
        ServerList list = ServerList.parse(uri, DEFAULT_PORT, rule -> refused(uri, rule));
        if (!list.path().isEmpty()) {
            throw refused(uri, "has '" + list.path() + "' behind its hosts, and a cluster has only database 0");
        }
        if (!list.parameters().isEmpty()) {
            throw refused(uri, "has parameters, which mean nothing here");
        }
        return new ClusterUri(uri.scheme().equals("rediss-cluster"), list, how);
    }

    private static IllegalArgumentException refused(StoreUri uri, String rule) {
        return new IllegalArgumentException("store URI '" + uri + "' " + rule
                + "; it should look like redis-cluster://user:password@host1:6379,host2:6379,host3:6379");
    }

    @Override
    public List<HostAndPort> seeds() {
        return list.servers();
    }

    /** How to reach a node. */
    RedisUri node(HostAndPort at) {
        return new RedisUri(tls, at.getHost(), at.getPort(), list.user(), list.password(), 0, how);
    }

    @Override
    public ConnectionSource node(HostAndPort at, IntSupplier slot, Platform platform) {
        return ConnectionSource.to(node(at), platform);
    }

    /** Without the password. */
    @Override
    public String address() {
        return (tls ? "rediss-cluster://" : "redis-cluster://") + list.text();
    }

    @Override
    public String toString() {
        return address();
    }
}
