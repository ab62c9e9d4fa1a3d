package io.holdfast.benchmarks.contenders;

import java.util.List;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;
import redis.clients.jedis.params.SetParams;

/** A lock written by hand on a pool of Jedis. */
final class JedisContender implements Contender {
    private static final int CONNECTIONS = 10;

    @Override
    public String name() {
        return "jedis";
    }

    @Override
    public String description() {
        return Contenders.jarOf(Jedis.class) + ", SET NX PX on a pool of " + CONNECTIONS + HandWritten.DESCRIPTION;
    }

    @Override
    public List<String> artifacts() {
        return List.of("redis.clients:jedis");
    }

    @Override
    public Session open(String host, int port) {
        JedisPoolConfig config = new JedisPoolConfig();
        config.setMaxTotal(CONNECTIONS);
        config.setMaxIdle(CONNECTIONS);
        JedisPool pool = new JedisPool(config, host, port);
        String release;
        try (Jedis jedis = pool.getResource()) {
            // By its digest, so that the text does not travel each time.
            release = jedis.scriptLoad(HandWritten.RELEASE);
        }
        return new Session() {
            @Override
            public BenchLock lock(String name) {
                return new Pooled(pool, release, name);
            }

            @Override
            public void close() {
                pool.close();
            }
        };
    }

    private static final class Pooled extends HandWritten {
        private final JedisPool pool;
        private final String release;
        private final SetParams params = SetParams.setParams().nx().px(LEASE_MILLIS);

        Pooled(JedisPool pool, String release, String name) {
            super(name);
            this.pool = pool;
            this.release = release;
        }

        @Override
        boolean set(String name, String token) {
            try (Jedis jedis = pool.getResource()) {
                return "OK".equals(jedis.set(name, token, params));
            }
        }

        @Override
        long delete(String name, String token) {
            try (Jedis jedis = pool.getResource()) {
                return jedis.evalsha(release, List.of(name), List.of(token)) instanceof Long deleted ? deleted : 0;
            }
        }
    }
}
