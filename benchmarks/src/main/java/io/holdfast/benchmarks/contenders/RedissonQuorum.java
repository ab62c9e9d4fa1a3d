package io.holdfast.benchmarks.contenders;

import java.util.List;
import java.util.Set;
import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's RedLock: one of its locks on each server, with their watchdogs, of which a majority is enough. */
final class RedissonQuorum implements Contender {
    @Override
    public String name() {
        return "redisson-redlock";
    }

    @Override
    public String description() {
        return Contenders.jarOf(Redisson.class)
                + ", RedissonRedLock over five clients on the default configuration, with watchdog; not fenced";
    }

    @Override
    public Set<Primitive> primitives() {
        return Set.of(Primitive.QUORUM);
    }

    @Override
    public Home home() {
        return Home.QUORUM;
    }

    @Override
    public List<String> artifacts() {
        return List.of("org.redisson:redisson");
    }

    @Override
    public Session open(String host, int port) {
        return openAll(host, List.of(port));
    }

    @Override
    @SuppressWarnings(
            "deprecation") // It is what it has; its authors advise against it for another reason than its cost.
    public Session openAll(String host, List<Integer> ports) {
        List<RedissonClient> clients = ports.stream()
                .map(port -> {
                    Config config = new Config();
                    config.useSingleServer().setAddress("redis://" + host + ":" + port);
                    return Redisson.create(config);
                })
                .toList();
        return new Session() {
            @Override
            public BenchLock lock(String name) {
                return new JdkHeld(new RedissonRedLock(
                        clients.stream().map(client -> client.getLock(name)).toArray(RLock[]::new)));
            }

            @Override
            public void close() {
                clients.forEach(RedissonClient::shutdown);
            }
        };
    }
}
