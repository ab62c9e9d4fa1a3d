package io.holdfast.benchmarks.contenders;

import java.util.List;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** Spring Integration's registry of locks, on its usual connections of Lettuce. */
final class SpringContender implements Contender {
    private final boolean pubsub;

    SpringContender(boolean pubsub) {
        this.pubsub = pubsub;
    }

    @Override
    public String name() {
        return pubsub ? "spring-pubsub" : "spring-spin";
    }

    @Override
    public String description() {
        return Contenders.jarOf(RedisLockRegistry.class) + ", RedisLockRegistry, "
                + (pubsub ? "told by pub/sub" : "polls every 100 ms, its default")
                + ", on Lettuce; no watchdog, neither fenced nor fair";
    }

    @Override
    public List<String> artifacts() {
        return List.of("org.springframework.integration:spring-integration-redis", "io.lettuce:lettuce-core");
    }

    @Override
    public Session open(String host, int port) {
        LettuceConnectionFactory connections = new LettuceConnectionFactory(host, port);
        connections.afterPropertiesSet();
        connections.start();
        RedisLockRegistry registry = new RedisLockRegistry(connections, "bench");
        registry.setRedisLockType(pubsub ? RedisLockType.PUB_SUB_LOCK : RedisLockType.SPIN_LOCK);
        return new Session() {
            @Override
            public BenchLock lock(String name) {
                return new JdkHeld(registry.obtain(name));
            }

            @Override
            public void close() {
                registry.destroy();
                connections.destroy();
            }
        };
    }
}
