package io.holdfast.redis;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUri;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Understands {@code redis://}, {@code redis-sentinel://} and {@code redis-cluster://}, all of them with {@code rediss}, and
 * {@code redlock://} and {@code redlocks://} for a quorum.
 */
public final class RedisStoreProvider implements StoreProvider {
    private static final List<String> SECURED = List.of("rediss", "rediss-sentinel", "rediss-cluster", "redlocks");

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
        return factory(uri, null);
    }

    /**
     * A store over TLS.
     *
     * @throws IllegalArgumentException if the URI is malformed, unknown here, or says nothing of TLS
     */
    static StoreFactory overTls(StoreUri uri, Tls how) {
        if (!SECURED.contains(uri.scheme())) {
            throw new IllegalArgumentException(
                    "store URI '" + uri + "' is to be reached over TLS, and its scheme is none of " + SECURED);
        }
        return factory(uri, how);
    }

    private static StoreFactory factory(StoreUri uri, @Nullable Tls how) {
        if (uri.scheme().endsWith("-sentinel")) {
            SentinelUri sentinels = SentinelUri.parse(uri, how);
            return context -> single(new SentinelSource(sentinels, context.platform()), context);
        }
        if (uri.scheme().endsWith("-cluster")) {
            ClusterUri cluster = ClusterUri.parse(uri, how);
            return context -> new ClusterStore(cluster, context);
        }
        if (uri.scheme().startsWith("redlock")) {
            return new RedlockServers(RedlockUri.parse(uri).speaking(how));
        }
        RedisUri server = RedisUri.parse(uri).speaking(how);
        return context -> single(ConnectionSource.to(server, context.platform()), context);
    }

    private static LockStore single(ConnectionSource source, StoreContext context) {
        return new RedisStore(new JedisLink(source, context.platform()), context);
    }
}
