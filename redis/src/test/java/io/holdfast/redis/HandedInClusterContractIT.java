package io.holdfast.redis;

import io.holdfast.spi.StoreFactory;
import io.holdfast.testkit.contract.StoreControl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import redis.clients.jedis.JedisCluster;

/** The contract over the application's own client of a cluster. */
@Tag("slow")
class HandedInClusterContractIT extends RedisContract {
    private static ClusterControl redis;
    private static JedisCluster jedis;

    @BeforeAll
    static void start() {
        redis = new ClusterControl();
        jedis = redis.client();
    }

    @AfterAll
    static void stop() {
        jedis.close();
        redis.close();
    }

    @Override
    protected StoreFactory store() {
        // For what a cluster is like after a while.
        redis.store();
        return RedisStore.on(jedis);
    }

    @Override
    protected StoreControl control() {
        return redis;
    }
}
