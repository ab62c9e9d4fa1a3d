package io.holdfast.redis;

import io.holdfast.servers.RedisSentinels;
import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.StoreUri;
import io.holdfast.testkit.contract.StoreControl;
import java.util.List;
import java.util.Optional;

/** What the contract does to a master behind Sentinels, by plain commands. */
final class SentinelControl implements StoreControl, AutoCloseable {
    private final RedisSentinels sentinels = RedisSentinels.start();

    StoreFactory store() {
        return new RedisStoreProvider().factory(new StoreUri(sentinels.uri()));
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
        return sentinels.master().keys().stream()
                .filter(key -> !key.equals(Scripts.FENCE))
                .toList();
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
