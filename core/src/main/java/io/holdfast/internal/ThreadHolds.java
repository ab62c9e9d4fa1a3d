package io.holdfast.internal;

import io.holdfast.spi.Platform;
import io.holdfast.spi.Share;
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
        HeldLease lease;
        int count = 1;

        /** The same thread reads on the strength of this lease; or, of one that reads so, whose lease it is. */
        @Nullable
        Entry other;

        Entry(HeldLease lease) {
            this.lease = lease;
        }
    }

    /** What one thread has. */
    private static final class Table {
        final Map<String, Entry> whole = new HashMap<>();

        @Nullable
        Map<Part, Entry> shares;
    }

    /** A share of a lock. */
    private record Part(String name, Share share) {}

    private final Supplier<Table> table;

    ThreadHolds(Platform platform) {
        this.table = platform.perThread(Table::new);
    }

    /** What the calling thread holds under that name. */
    @Nullable
    Entry get(String name, Share share) {
        Table mine = table.get();
        if (share.isWhole()) {
            return mine.whole.get(name);
        }
        return mine.shares == null ? null : mine.shares.get(new Part(name, share));
    }

    Entry add(HeldLease lease, Share share) {
        lease.isSeen();
        Entry entry = new Entry(lease);
        Table mine = table.get();
        if (share.isWhole()) {
            mine.whole.put(lease.name(), entry);
        } else {
            if (mine.shares == null) {
                mine.shares = new HashMap<>();
            }
            mine.shares.put(new Part(lease.name(), share), entry);
        }
        return entry;
    }

    void remove(String name, Share share) {
        Table mine = table.get();
        if (share.isWhole()) {
            mine.whole.remove(name);
        } else if (mine.shares != null) {
            mine.shares.remove(new Part(name, share));
        }
    }
}
