package io.holdfast.redis;

import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.executors.DefaultCommandExecutor;
import redis.clients.jedis.util.Pool;

/** The pool of a client for one server. */
final class ClientPool {
    private ClientPool() {}

    /** The pool that a client has all its connections from; null if it does not tell, or has none. */
    static @Nullable Pool<Connection> of(UnifiedJedis jedis) {
        // By name, since neither class is in every version of Jedis.
        for (Class<?> type = jedis.getClass(); type != null; type = type.getSuperclass()) {
            try {
                switch (type.getName()) {
                    case "redis.clients.jedis.JedisPooled" -> {
                        return OfJedisPooled.pool(jedis);
                    }
                    case "redis.clients.jedis.RedisClient" -> {
                        return OfRedisClient.pool(jedis);
                    }
                    default -> {
                        // Perhaps what it extends.
                    }
                }
            } catch (ClassCastException e) {
                // So says Jedis about a client that was built on connections from elsewhere.
                return null;
            }
        }
        return null;
    }

    /**
     * Whether a client may send a command more than once without saying so, since what carries out its commands is not Jedis'
     * usual way; in doubt it may.
     */
    static boolean mayRepeat(UnifiedJedis jedis) {
        if (of(jedis) == null) {
            return true;
        }
        try {
            // Since Jedis 7 also a client that tells its pool may have been built with anything.
            Field executor = UnifiedJedis.class.getDeclaredField("executor");
            executor.setAccessible(true);
            Object present = executor.get(jedis);
            return present == null || present.getClass() != DefaultCommandExecutor.class;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return true;
        }
    }

    /** Loaded only if there is one. */
    private static final class OfJedisPooled {
        static Pool<Connection> pool(UnifiedJedis jedis) {
            return ((JedisPooled) jedis).getPool();
        }
    }

    /** Loaded only if there is one. */
    private static final class OfRedisClient {
        static Pool<Connection> pool(UnifiedJedis jedis) {
            return ((RedisClient) jedis).getPool();
        }
    }
}
