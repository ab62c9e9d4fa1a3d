package io.holdfast.internal;

import static java.util.Objects.requireNonNull;

import io.holdfast.FencingGate;
import io.holdfast.StaleTokenException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Remembers the highest token of each resource in a map. */
public final class MemoryFencingGate implements FencingGate {
    private final ConcurrentMap<String, Long> newest = new ConcurrentHashMap<>();

    @Override
    public void admit(String resource, long token) {
        long seen = newest.merge(requireNonNull(resource, "resource"), token, Math::max);
        if (seen > token) {
            throw new StaleTokenException(resource, token, seen);
        }
    }
}
