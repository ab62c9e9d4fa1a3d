package io.holdfast.redis;

import io.holdfast.spi.StoreFactory;
import io.holdfast.testkit.contract.StoreControl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import redis.clients.jedis.JedisSentinelPool;

/** The contract over the application's own pool to the master of Sentinels. */
@Tag("slow")
class HandedInSentinelPoolContractIT extends RedisContract {
    private static SentinelControl redis;
    private static JedisSentinelPool pool;

    @BeforeAll
    static void start() {
        redis = new SentinelControl();
        pool = redis.pool();
    }

    @AfterAll
    static void stop() {
        pool.close();
        redis.close();
    }

    @Override
    protected StoreFactory store() {
        return RedisStore.on(pool);
    }

    @Override
    protected StoreControl control() {
        return redis;
    }
}
