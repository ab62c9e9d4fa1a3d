package io.holdfast.redis;

import io.holdfast.servers.RedisServer;
import io.holdfast.spi.StoreFactory;
import io.holdfast.testkit.contract.StoreControl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contract on Redis 6.2. The scripts are tested on both versions in every build. */
@Tag("slow")
class Redis62StoreContractIT extends RedisContract {
    private static RedisControl redis;

    @BeforeAll
    static void start() {
        redis = new RedisControl(RedisServer.Version.V6_2);
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
