package io.holdfast.redis;

import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUri;
import java.util.Set;

/** Understands {@code redis://} and {@code rediss://}. */
public final class RedisStoreProvider implements StoreProvider {

    @Override
    public Set<String> schemes() {
        return Set.of("redis", "rediss");
    }

    @Override
    public StoreFactory factory(StoreUri uri) {
        RedisUri server = RedisUri.parse(uri);
        return context -> new RedisStore(new JedisLink(ConnectionSource.to(server), context.platform()), context);
    }
}
