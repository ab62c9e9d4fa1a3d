package io.holdfast.benchmarks.contenders;

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's RLock, with its watchdog, on the default configuration for a single server. */
final class RedissonContender implements Contender {
    @Override
    public String name() {
        return "redisson";
    }

    @Override
    public String description() {
        return Contenders.jarOf(Redisson.class)
                + ", RLock with watchdog, default single server; neither fenced nor fair";
    }

    @Override
    public Session open(String host, int port) {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://" + host + ":" + port);
        RedissonClient client = Redisson.create(config);
        return new Session() {
            @Override
            public BenchLock lock(String name) {
                return new Held(client.getLock(name));
            }

            @Override
            public void close() {
                client.shutdown();
            }
        };
    }

    private record Held(RLock it) implements BenchLock {
        @Override
        public void lock() {
            it.lock();
        }

        @Override
        public void unlock() {
            it.unlock();
        }
    }
}
