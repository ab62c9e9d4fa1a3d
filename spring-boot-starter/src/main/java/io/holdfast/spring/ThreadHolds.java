package io.holdfast.spring;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the calling thread has by calls that run on it still or transactions that do, by the names of the locks. Thread safe.
 */
final class ThreadHolds {
    // Not static: two contexts in one JVM know nothing of each other.
    @SuppressWarnings("ThreadLocalUsage")
    private final ThreadLocal<Map<String, Hold>> ofThread = new ThreadLocal<>();

    /** Not to be changed. */
    Map<String, Hold> byName() {
        Map<String, Hold> held = ofThread.get();
        return held == null ? Map.of() : held;
    }

    Collection<Hold> all() {
        Map<String, Hold> held = ofThread.get();
        return held == null ? List.of() : new LinkedHashSet<>(held.values());
    }

    /** Where a hold of this thread is kept; it may be taken from there by another one, when a transaction ends elsewhere. */
    Map<String, Hold> home() {
        Map<String, Hold> held = ofThread.get();
        if (held == null) {
            held = new ConcurrentHashMap<>();
            ofThread.set(held);
        }
        return held;
    }

    void remove(Map<String, Hold> home, Hold hold) {
        hold.shares().keySet().forEach(name -> home.remove(name, hold));
        if (home.isEmpty() && ofThread.get() == home) {
            ofThread.remove();
        }
    }
}
