package io.holdfast.testkit;

import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.Capability;
import io.holdfast.spi.StoreFactory;
import io.holdfast.testkit.contract.StoreContract;
import java.util.Set;

class MemoryStoreContractTest extends StoreContract {
    private final StoreFactory store = MemoryStore.isolated();

    @Override
    protected StoreFactory store() {
        return store;
    }

    @Override
    protected Set<Capability> capabilities() {
        return Set.of(
                Capability.NOTIFICATION,
                Capability.FIRST_COME,
                Capability.SHARING,
                Capability.LATCHES,
                Capability.ORIGINS);
    }
}
