package io.holdfast.redis;

import io.holdfast.spi.Capability;
import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.StoreUri;
import io.holdfast.testkit.contract.StoreContract;
import io.holdfast.testkit.contract.StoreControl;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract on five independent servers. */
class RedlockStoreContractIT extends StoreContract {
    private static FiveServers servers;
    private static StoreFactory store;

    @BeforeAll
    static void start() {
        servers = new FiveServers();
        servers.vouched(Duration.ofHours(24));
        // Patient, since all of it shares one machine.
        store = new RedisStoreProvider().factory(new StoreUri(servers.uri("?maxLease=24h&nodeTimeout=400ms")));
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @Override
    protected StoreFactory store() {
        return store;
    }

    @Override
    protected Set<Capability> capabilities() {
        return Set.of(Capability.ACROSS_PROCESSES, Capability.NOTIFICATION, Capability.ORIGINS);
    }

    @Override
    protected StoreControl control() {
        return servers;
    }
}
