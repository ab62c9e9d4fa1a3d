package io.holdfast.testkit.contract;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreEvents;
import io.holdfast.spi.StoreFactory;
import java.time.Duration;

/** A store opened without an engine above it. */
record DirectStore(LockStore store, String clientId, Platform platform) implements AutoCloseable {
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);
    private static final StoreEvents DEAF = new StoreEvents() {
        @Override
        public void wake(String name, String owner) {}

        @Override
        public void wakeAll() {}

        @Override
        public void gone(String name, String owner, String detail) {}
    };

    static DirectStore open(StoreFactory factory) {
        return open(factory, DEAF);
    }

    static DirectStore open(StoreFactory factory, StoreEvents events) {
        Platform platform = Platform.system();
        String clientId = Long.toUnsignedString(platform.draw(), 36);
        StoreContext context = new StoreContext(clientId, "distributed_lock:", COMMAND_TIMEOUT, platform, events);
        return new DirectStore(factory.open(context), clientId, platform);
    }

    @Override
    public void close() {
        store.close();
        platform.close();
    }
}
