package io.holdfast.redis;

import io.holdfast.spi.StoreFactory;
import io.holdfast.testkit.contract.StoreControl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contract on the master that Sentinels name: the same store as on one server, found in another way. */
@Tag("slow")
class SentinelStoreContractIT extends RedisContract {
    private static SentinelControl redis;

    @BeforeAll
    static void start() {
        redis = new SentinelControl();
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
