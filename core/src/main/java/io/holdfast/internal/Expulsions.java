package io.holdfast.internal;

import io.holdfast.Loss;
import io.holdfast.spi.Platform;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * What an operator has taken away lately, by owner. The news may come before what was taken: the answer that it is granted may
 * still be under way, or on its way from one thread to another. Whoever comes to hold it looks here.
 */
final class Expulsions {
    private record Expulsion(Loss loss, long nanos) {}

    private final Platform platform;
    private final long patienceNanos;
    private final ConcurrentMap<String, Expulsion> lately = new ConcurrentHashMap<>();

    /** @param patienceNanos an answer comes within that time, or not at all */
    Expulsions(Platform platform, long patienceNanos) {
        this.platform = platform;
        this.patienceNanos = patienceNanos;
    }

    void add(String owner, Loss loss) {
        lately.values().removeIf(this::isOver);
        lately.put(owner, new Expulsion(loss, platform.nanoTime()));
    }

    private boolean isOver(Expulsion expulsion) {
        return platform.nanoTime() - expulsion.nanos() > patienceNanos;
    }

    /** That owner asks once more: what it is given from now on is its own. */
    void forget(String owner) {
        if (!lately.isEmpty()) {
            lately.remove(owner);
        }
    }

    /** Why this lease is none; null if it is one. */
    @Nullable
    Loss of(HeldLease lease) {
        if (lately.isEmpty()) {
            return null;
        }
        Expulsion expulsion = lately.get(lease.owner());
        return expulsion == null || isOver(expulsion) ? null : expulsion.loss();
    }
}
