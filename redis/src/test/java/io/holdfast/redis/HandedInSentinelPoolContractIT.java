package io.holdfast.redis;

import io.holdfast.spi.Capability;
import io.holdfast.spi.StoreFactory;
import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreControl;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import redis.clients.jedis.JedisSentinelPool;

/** The contract over the application's own pool to the master of Sentinels. */
@Tag("slow")
class HandedInSentinelPoolContractIT extends StoreContract {
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
    protected Set<Capability> capabilities() {
        return Set.of(
                Capability.ACROSS_PROCESSES,
                Capability.NOTIFICATION,
                Capability.FIRST_COME,
                Capability.SHARING,
                Capability.LATCHES,
                Capability.REPLICAS,
                Capability.ORIGINS);
    }

    @Override
    protected StoreControl control() {
        return redis;
    }
}
