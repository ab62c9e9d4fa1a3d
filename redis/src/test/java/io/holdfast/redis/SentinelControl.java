package io.holdfast.redis;

import io.holdfast.servers.RedisSentinels;
import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.StoreUri;
import io.holdfast.testkit.contract.StoreControl;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisSentinelPool;

/** What the contract does to a master behind Sentinels, by plain commands. */
final class SentinelControl implements StoreControl, AutoCloseable {
    private final RedisSentinels sentinels = RedisSentinels.start();

    StoreFactory store() {
        return new RedisStoreProvider().factory(new StoreUri(sentinels.uri()));
    }

    /** With room for the many clients of a contract. */
    JedisSentinelPool pool() {
        GenericObjectPoolConfig<Jedis> limits = new GenericObjectPoolConfig<>();
        limits.setMaxTotal(-1);
        limits.setJmxEnabled(false);
        Set<HostAndPort> addresses = sentinels.sentinels().stream()
                .map(sentinel -> new HostAndPort("127.0.0.1", sentinel.port()))
                .collect(Collectors.toSet());
        DefaultJedisClientConfig config = DefaultJedisClientConfig.builder().build();
        return new JedisSentinelPool(RedisSentinels.MASTER, addresses, limits, config, config);
    }

    @Override
    public void expire(String lockName) {
        sentinels.master().command("DEL", Scripts.PREFIX + lockName);
    }

    @Override
    public void loseEverything() {
        sentinels.master().flushAll();
    }

    @Override
    public List<String> leftovers() {
        return Leftovers.of(sentinels.master());
    }

    @Override
    public Optional<String> processUri() {
        return Optional.of(sentinels.uri());
    }

    @Override
    public void close() {
        sentinels.close();
    }
}
