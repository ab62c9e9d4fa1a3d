package io.holdfast.redis;

import io.holdfast.servers.RedisServer;
import io.holdfast.spi.StoreFactory;
import io.holdfast.testkit.contract.StoreControl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract on Redis 7.0. */
class RedisStoreContractIT extends RedisContract {
    private static RedisControl redis;

    @BeforeAll
    static void start() {
        redis = new RedisControl(RedisServer.Version.V7_0);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Override
    protected StoreFactory store() {
        return redis.store();
    }

    @Override
    protected StoreControl control() {
        return redis;
    }
}
