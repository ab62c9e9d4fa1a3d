package io.holdfast.redis;

import io.holdfast.servers.RedisServer;
import io.holdfast.spi.Capability;
import io.holdfast.spi.StoreFactory;
import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreControl;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract on Redis 7.0. */
class RedisStoreContractIT extends StoreContract {
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
