package io.holdfast.internal;

import io.holdfast.spi.Platform;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which locks each thread holds, and how often. Re-entrancy is counted here and nowhere else. The table of a thread is
 * touched by that thread alone and goes with it.
 */
final class ThreadHolds {

    /** A lease and how often its thread has taken it. */
    static final class Entry {
        final HeldLease lease;
        int count = 1;

        Entry(HeldLease lease) {
            this.lease = lease;
        }
    }

    private final Supplier<Map<String, Entry>> table;

    ThreadHolds(Platform platform) {
        this.table = platform.perThread(HashMap::new);
    }

    /** What the calling thread holds under that name. */
    @Nullable
    Entry get(String name) {
        return table.get().get(name);
    }

    void add(HeldLease lease) {
        table.get().put(lease.name(), new Entry(lease));
    }

    void remove(String name) {
        table.get().remove(name);
    }
}
