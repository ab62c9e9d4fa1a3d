package io.holdfast.redis;

import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.StoreUri;
import io.holdfast.testkit.contract.StoreControl;
import java.util.List;
import java.util.Optional;

/** What the contract does to a Redis server, by plain commands, and to the network before it. */
final class RedisControl implements StoreControl, AutoCloseable {
    private final RedisServer redis;
    private final TcpProxy network;

    RedisControl(RedisServer.Version version) {
        this.redis = RedisServer.start(version);
        this.network = TcpProxy.to(redis.port());
    }

    StoreFactory store() {
        return new RedisStoreProvider().factory(new StoreUri("redis://127.0.0.1:" + network.port()));
    }

    @Override
    public void expire(String lockName) {
        redis.command("DEL", Scripts.PREFIX + lockName);
    }

    @Override
    public void loseEverything() {
        redis.flushAll();
    }

    @Override
    public List<String> leftovers() {
        return Leftovers.of(redis);
    }

    @Override
    public Optional<String> processUri() {
        return Optional.of(redis.uri());
    }

    @Override
    public boolean canCut() {
        return true;
    }

    @Override
    public void cut() {
        network.cut();
    }

    @Override
    public void restore() {
        network.restore();
    }

    @Override
    public void close() {
        network.close();
        redis.close();
    }
}
