package io.holdfast.redis;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;

/**
 * The one pool that {@link RedisDistributedLock} uses unless it is given another. It is opened when first asked for, on
 * localhost:6379 unless {@code init} was called before: 50 connections at most, 10 idle at most, 5 kept ready, each
 * tested when borrowed. Thread safe.
 */
public final class JedisConfig {
    private static final int DEFAULT_TIMEOUT_MILLIS = 2_000;

    private record Server(String host, int port, @Nullable String password, int timeoutMillis) {
        String address() {
            return "redis://" + host + ":" + port;
        }

        /** Without the password. */
        @Override
        public String toString() {
            return address();
        }
    }

    private static Server server = new Server("localhost", 6379, null, DEFAULT_TIMEOUT_MILLIS);
    private static @Nullable JedisPool pool;

    private JedisConfig() {}

    /** As {@link #init(String, int, String, int)}, with a time-out of 2,000 ms. */
    public static void init(String host, int port, @Nullable String password) {
        init(host, port, password, DEFAULT_TIMEOUT_MILLIS);
    }

    /**
     * Sets the server. The last call counts: a pool that is open already is closed first, as by {@link #close()}.
     *
     * @param password null or empty if the server wants none
     * @param timeout for connecting and for each command, in ms
     */
    public static void init(String host, int port, @Nullable String password, int timeout) {
        requireNonNull(host, "host");
        if (host.isBlank()) {
            throw new IllegalArgumentException("host '" + host + "' must not be blank");
        }
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("port " + port + " is not between 1 and 65535");
        }
        if (timeout < 10 || timeout > 60_000) {
            throw new IllegalArgumentException("timeout " + timeout + " ms is not between 10 and 60000 ms");
        }
        Server next = new Server(host, port, password == null || password.isEmpty() ? null : password, timeout);
        JedisPool old;
        synchronized (JedisConfig.class) {
            old = pool;
            pool = null;
            server = next;
        }
        end(old);
    }

    /** The pool; after {@link #close()} a new one, to the same server. */
    public static synchronized JedisPool getJedisPool() {
        JedisPool present = pool;
        if (present == null || present.isClosed()) {
            present = open(server);
            pool = present;
            PoolClients.name(present, server.address(), server.timeoutMillis());
        }
        return present;
    }

    /** Releases the locks that were taken over the pool, then closes it. Does nothing if it is not open. */
    public static void close() {
        JedisPool old;
        synchronized (JedisConfig.class) {
            old = pool;
            pool = null;
        }
        end(old);
    }

    /** Outside the lock: releasing may wait for the server. */
    private static void end(@Nullable JedisPool old) {
        if (old != null) {
            PoolClients.close(old);
            old.close();
        }
    }

    private static JedisPool open(Server to) {
        GenericObjectPoolConfig<Jedis> limits = new GenericObjectPoolConfig<>();
        limits.setMaxTotal(50);
        limits.setMaxIdle(10);
        limits.setMinIdle(5);
        limits.setTestOnBorrow(true);
        // Without it nobody sees to the 5 that are kept ready.
        limits.setTimeBetweenEvictionRuns(Duration.ofSeconds(30));
        limits.setJmxEnabled(false);
        DefaultJedisClientConfig.Builder client =
                DefaultJedisClientConfig.builder().timeoutMillis(to.timeoutMillis());
        if (to.password() != null) {
            client.password(to.password());
        }
        return new JedisPool(limits, new HostAndPort(to.host(), to.port()), client.build());
    }
}
