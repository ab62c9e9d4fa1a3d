package io.holdfast.redis;

import io.holdfast.spi.Capability;
import io.holdfast.testkit.contract.StoreContract;
import java.util.Set;

/** The contract on a server, or on one that is found in some way: what all of these can do. */
abstract class RedisContract extends StoreContract {
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
}
