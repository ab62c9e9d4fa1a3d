package io.holdfast.simulation.audit;

import java.util.HashMap;
import java.util.Map;

/** Something worth a lock: it remembers the highest token that wrote to it, and refuses lower ones. */
public final class Resource {
    private final Map<String, Long> highest = new HashMap<>();

    /** True if the write was accepted. */
    public boolean write(String name, long token) {
        long seen = highest.getOrDefault(name, Long.MIN_VALUE);
        if (token < seen) {
            return false;
        }
        highest.put(name, token);
        return true;
    }
}
