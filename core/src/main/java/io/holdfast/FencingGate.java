package io.holdfast;

import io.holdfast.internal.MemoryFencingGate;

/**
 * The guard on the resource's side. It remembers the highest token it has seen for a resource and refuses a lower one,
 * which is what makes a holder that slept through its lease harmless. Without a gate a token is only a number.
 *
 * <p>A gate protects what happens atomically with its answer: ask it inside the transaction, or the script, that does
 * the write. Gates are thread safe.
 */
public interface FencingGate {

    /**
     * Admits a write that carries {@code token}, and from now on refuses lower ones for {@code resource}. The same token
     * may come again: a holder writes more than once.
     *
     * @throws StaleTokenException if a higher token was seen before
     */
    void admit(String resource, long token);

    /** A gate inside this JVM; it remembers until it is collected. */
    static FencingGate inMemory() {
        return new MemoryFencingGate();
    }
}
