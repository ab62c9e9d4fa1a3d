package io.holdfast.benchmarks.contenders;

import java.util.List;
import java.util.UUID;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;
import redis.clients.jedis.params.SetParams;

/** The lock that is written by hand everywhere: SET NX PX, polling, compare and delete. */
final class JedisContender implements Contender {
    private static final int CONNECTIONS = 10;
    private static final long LEASE_MILLIS = 30_000;
    private static final long RETRY_MILLIS = 1;
    private static final String RELEASE =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";

    @Override
    public String name() {
        return "jedis";
    }

    @Override
    public String description() {
        return Contenders.jarOf(Jedis.class) + ", SET NX PX on a pool of " + CONNECTIONS + ", polls every "
                + RETRY_MILLIS + " ms; no watchdog, neither fenced nor fair";
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
            release = jedis.scriptLoad(RELEASE);
        }
        return new Session() {
            @Override
            public BenchLock lock(String name) {
                return new Polled(pool, release, name);
            }

            @Override
            public void close() {
                pool.close();
            }
        };
    }

    private static final class Polled implements BenchLock {
        private final JedisPool pool;
        private final String release;
        private final String name;
        private String token = "";

        Polled(JedisPool pool, String release, String name) {
            this.pool = pool;
            this.release = release;
            this.name = name;
        }

        @Override
        public void lock() {
            token = UUID.randomUUID().toString();
            SetParams params = SetParams.setParams().nx().px(LEASE_MILLIS);
            while (!tryLock(params)) {
                try {
                    Thread.sleep(RETRY_MILLIS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("interrupted while waiting for " + name, e);
                }
            }
        }

        private boolean tryLock(SetParams params) {
            try (Jedis jedis = pool.getResource()) {
                return "OK".equals(jedis.set(name, token, params));
            }
        }

        @Override
        public void unlock() {
            try (Jedis jedis = pool.getResource()) {
                Object deleted = jedis.evalsha(release, List.of(name), List.of(token));
                if (!Long.valueOf(1).equals(deleted)) {
                    throw new IllegalStateException("the lease of " + name + " was lost");
                }
            }
        }
    }
}
