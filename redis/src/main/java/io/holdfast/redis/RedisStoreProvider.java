package io.holdfast.redis;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUri;
import java.util.Set;

/**
 * Understands {@code redis://}, {@code redis-sentinel://} and {@code redis-cluster://}, all of them with {@code rediss}, and
 * {@code redlock://} and {@code redlocks://} for a quorum.
 */
public final class RedisStoreProvider implements StoreProvider {

    @Override
    public Set<String> schemes() {
        return Set.of(
                "redis",
                "rediss",
                "redis-sentinel",
                "rediss-sentinel",
                "redis-cluster",
                "rediss-cluster",
                "redlock",
                "redlocks");
    }

    @Override
    public StoreFactory factory(StoreUri uri) {
        if (uri.scheme().endsWith("-sentinel")) {
            SentinelUri sentinels = SentinelUri.parse(uri);
            return context -> single(new SentinelSource(sentinels, context.platform()), context);
        }
        if (uri.scheme().endsWith("-cluster")) {
            ClusterUri cluster = ClusterUri.parse(uri);
            return context -> new ClusterStore(cluster, context);
        }
        if (uri.scheme().startsWith("redlock")) {
            return new RedlockServers(RedlockUri.parse(uri));
        }
        RedisUri server = RedisUri.parse(uri);
        return context -> single(ConnectionSource.to(server, context.platform()), context);
    }

    private static LockStore single(ConnectionSource source, StoreContext context) {
        return new RedisStore(new JedisLink(source, context.platform()), context);
    }
}
