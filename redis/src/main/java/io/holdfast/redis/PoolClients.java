package io.holdfast.redis;

import io.holdfast.Holdfast;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import redis.clients.jedis.JedisPool;

/** One client for each pool, shared by all the locks that use the pool. */
final class PoolClients {
    private record Named(String address, Duration timeout) {}

    private static final Named UNNAMED = new Named("redis (the application's pool)", Duration.ofSeconds(2));
    private static final IdentityHashMap<JedisPool, Named> NAMES = new IdentityHashMap<>();
    private static final IdentityHashMap<JedisPool, Holdfast> CLIENTS = new IdentityHashMap<>();

    private PoolClients() {}

    /** Says what is known about a pool before its client is made. */
    static synchronized void name(JedisPool pool, String address, int timeoutMillis) {
        NAMES.put(pool, new Named(address, Duration.ofMillis(timeoutMillis)));
    }

    static Holdfast of(JedisPool pool) {
        List<Holdfast> orphans;
        Holdfast client;
        synchronized (PoolClients.class) {
            orphans = takeClosed();
            client = CLIENTS.computeIfAbsent(pool, PoolClients::open);
        }
        // Outside the lock: closing may wait for a server.
        orphans.forEach(Holdfast::close);
        return client;
    }

    /** Closes the pool's client, if it has one; the pool stays open. */
    static void close(JedisPool pool) {
        Holdfast client;
        synchronized (PoolClients.class) {
            NAMES.remove(pool);
            client = CLIENTS.remove(pool);
        }
        if (client != null) {
            client.close();
        }
    }

    private static Holdfast open(JedisPool pool) {
        Named named = NAMES.getOrDefault(pool, UNNAMED);
        return Holdfast.builder()
                .store(RedisStore.on(pool, named.address()))
                .commandTimeout(named.timeout())
                .build();
    }

    /** The clients of pools that their owners have closed. */
    private static List<Holdfast> takeClosed() {
        List<Holdfast> orphans = new ArrayList<>();
        CLIENTS.entrySet().removeIf(entry -> {
            boolean closed = entry.getKey().isClosed();
            if (closed) {
                orphans.add(entry.getValue());
                NAMES.remove(entry.getKey());
            }
            return closed;
        });
        return orphans;
    }
}
