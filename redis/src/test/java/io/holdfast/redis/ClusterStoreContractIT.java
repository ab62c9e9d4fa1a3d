package io.holdfast.redis;

import io.holdfast.spi.StoreFactory;
import io.holdfast.testkit.contract.StoreControl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract on a cluster. */
class ClusterStoreContractIT extends RedisContract {
    private static ClusterControl redis;

    @BeforeAll
    static void start() {
        redis = new ClusterControl();
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
