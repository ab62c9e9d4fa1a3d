package io.holdfast.memory;

import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.StoreUri;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * {@code memory:} is a store for one client; {@code memory:NAME} is shared by all clients of this JVM that name it, and
 * forgotten when the last of them closes.
 */
public final class MemoryStoreProvider implements StoreProvider {
    private static final Map<String, Shared> SHARED = new HashMap<>();

    private static final class Shared {
        final MemorySpace space;
        int clients;

        Shared(String name) {
            this.space = new MemorySpace(name);
        }
    }

    @Override
    public Set<String> schemes() {
        return Set.of("memory");
    }

    @Override
    public StoreFactory factory(StoreUri uri) {
        String name = uri.rest();
        if (name.isEmpty()) {
            return MemoryStore.isolated();
        }
        return context -> new MemoryStore(join(name), context, () -> leave(name));
    }

    private static MemorySpace join(String name) {
        synchronized (SHARED) {
            Shared shared = SHARED.computeIfAbsent(name, Shared::new);
            shared.clients++;
            return shared.space;
        }
    }

    private static void leave(String name) {
        synchronized (SHARED) {
            Shared shared = SHARED.get(name);
            if (shared != null && --shared.clients == 0) {
                SHARED.remove(name);
            }
        }
    }
}
