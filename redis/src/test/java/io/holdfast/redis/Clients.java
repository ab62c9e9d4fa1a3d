package io.holdfast.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.executors.RetryableCommandExecutor;
import redis.clients.jedis.providers.PooledConnectionProvider;

/** The kinds of client for one server that an application may have. */
public enum Clients {
    /** Keeps its connections to itself. Its constructor is the only public one that Jedis 6, 7 and 8 have. */
    PLAIN {
        @Override
        public UnifiedJedis on(PooledConnectionProvider provider) {
            return new UnifiedJedis(provider, 1, Duration.ofSeconds(1));
        }
    },
    /** Tells its pool, and is gone from Jedis 8. */
    POOLED {
        @Override
        public UnifiedJedis on(PooledConnectionProvider provider) {
            assumeTrue(isThere("redis.clients.jedis.JedisPooled"), "Jedis 8 has no JedisPooled any more");
            return OfJedis6.client(provider);
        }
    },
    /** Tells its pool, and came with Jedis 7. */
    NEWER {
        @Override
        public UnifiedJedis on(PooledConnectionProvider provider) {
            assumeTrue(isThere("redis.clients.jedis.RedisClient"), "Jedis 6 has no RedisClient yet");
            return OfJedis7.client(provider);
        }
    };

    /** A client that has its connections from there; the test is skipped if this Jedis has none of the kind. */
    public abstract UnifiedJedis on(PooledConnectionProvider provider);

    /** One that tells its pool and sends again what was not answered; the test is skipped if this Jedis has none of the kind. */
    static UnifiedJedis retrying(PooledConnectionProvider provider) {
        assumeTrue(isThere("redis.clients.jedis.RedisClient"), "Jedis 6 has no RedisClient yet");
        return OfJedis7.retrying(provider);
    }

    private static boolean isThere(String type) {
        try {
            Class.forName(type);
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Loaded only if there is one. */
    private static final class OfJedis6 {
        static UnifiedJedis client(PooledConnectionProvider provider) {
            return new JedisPooled(provider);
        }
    }

    /** Loaded only if there is one. */
    private static final class OfJedis7 {
        static UnifiedJedis client(PooledConnectionProvider provider) {
            return RedisClient.builder().connectionProvider(provider).build();
        }

        static UnifiedJedis retrying(PooledConnectionProvider provider) {
            return RedisClient.builder()
                    .connectionProvider(provider)
                    .commandExecutor(new RetryableCommandExecutor(provider, 3, Duration.ofSeconds(1)))
                    .build();
        }
    }
}
