package io.holdfast.simulation.redis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Keys, their values and their expiries. A key goes when it is looked at after its time. */
final class Database {
    static final long NEVER = -1;

    /** A hash. */
    static final class Hash extends LinkedHashMap<String, String> {
        private static final long serialVersionUID = 1L;

        Hash() {}

        Hash(Hash other) {
            super(other);
        }
    }

    /** A list. */
    static final class Sequence extends ArrayList<String> {
        private static final long serialVersionUID = 1L;

        Sequence() {}

        Sequence(Sequence other) {
            super(other);
        }
    }

    /** A set. */
    static final class Members extends LinkedHashSet<String> {
        private static final long serialVersionUID = 1L;

        Members() {}

        Members(Members other) {
            super(other);
        }
    }

    static final class Entry {
        Object value;
        long expiresAt = NEVER;

        Entry(Object value) {
            this.value = value;
        }

        boolean isGone(long now) {
            return expiresAt != NEVER && now > expiresAt;
        }

        String type() {
            if (value instanceof String) {
                return "string";
            }
            if (value instanceof SortedSet) {
                return "zset";
            }
            return value instanceof Hash ? "hash" : value instanceof Sequence ? "list" : "set";
        }
    }

    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private long now;

    /** What a command takes for the present, in ms; it stands still while a script runs. */
    long now() {
        return now;
    }

    void setNow(long millis) {
        now = millis;
    }

    @Nullable
    Entry entry(String key) {
        Entry entry = entries.get(key);
        if (entry != null && entry.isGone(now)) {
            entries.remove(key);
            return null;
        }
        return entry;
    }

    /** The key without a side effect, at a time of one's own. */
    @Nullable
    Entry peek(String key, long at) {
        Entry entry = entries.get(key);
        return entry == null || entry.isGone(at) ? null : entry;
    }

    <T> @Nullable T get(String key, Class<T> type) {
        Entry entry = entry(key);
        if (entry == null) {
            return null;
        }
        if (!type.isInstance(entry.value)) {
            throw RedisError.wrongType();
        }
        return type.cast(entry.value);
    }

    <T> T getOrCreate(String key, Class<T> type, Supplier<T> fresh) {
        T present = get(key, type);
        if (present != null) {
            return present;
        }
        T created = fresh.get();
        entries.put(key, new Entry(created));
        return created;
    }

    /** Sets the key and takes its expiry away. */
    Entry put(String key, Object value) {
        Entry entry = new Entry(value);
        entries.put(key, entry);
        return entry;
    }

    boolean remove(String key) {
        return entry(key) != null && entries.remove(key) != null;
    }

    void removeIf(String key, boolean empty) {
        if (empty) {
            entries.remove(key);
        }
    }

    void clear() {
        entries.clear();
    }

    /** How many there are, with those that are gone and have not been looked at. */
    int size() {
        return entries.size();
    }

    List<String> keys(long at) {
        List<String> keys = new ArrayList<>(entries.size());
        entries.forEach((key, entry) -> {
            if (!entry.isGone(at)) {
                keys.add(key);
            }
        });
        return keys;
    }

    Database copy() {
        Database copy = new Database();
        copy.copyFrom(this);
        return copy;
    }

    void copyFrom(Database other) {
        entries.clear();
        other.entries.forEach((key, entry) -> put(key, copyOf(entry.value)).expiresAt = entry.expiresAt);
    }

    private static Object copyOf(Object value) {
        if (value instanceof SortedSet zset) {
            return new SortedSet(zset);
        }
        if (value instanceof Hash hash) {
            return new Hash(hash);
        }
        if (value instanceof Sequence list) {
            return new Sequence(list);
        }
        return value instanceof Members set ? new Members(set) : value;
    }
}
