package io.holdfast.internal;

import static java.util.Objects.requireNonNull;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.Loss;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Several leases in one hand: lost when the first of them is. */
final class JointLease implements Lease {
    private final Engine engine;
    private final String name;
    private final List<HeldLease> leases;
    private final List<String> names;
    private final CompletableFuture<Loss> lost;

    /** @param leases in the order of their names */
    JointLease(Engine engine, String name, List<HeldLease> leases) {
        this.engine = engine;
        this.name = name;
        this.leases = leases;
        this.names = leases.stream().map(HeldLease::name).toList();
        CompletableFuture<Loss> first = new CompletableFuture<>();
        for (HeldLease lease : leases) {
            lease.follow(this, engine);
            // Not this: the leases must not keep the handle.
            lease.lost().thenAccept(first::complete);
        }
        this.lost = first;
    }

    @Override
    public String lockName() {
        return name;
    }

    @Override
    public long token() {
        throw new UnsupportedOperationException(
                "a lease of several locks has a token for each of them, and none that would"
                        + " protect what all of them guard: call token(lockName) with one of '" + name + "'");
    }

    @Override
    public long token(String lockName) {
        requireNonNull(lockName, "lockName");
        int index = Collections.binarySearch(names, lockName);
        if (index < 0) {
            throw new IllegalArgumentException(
                    "this is a lease of '" + name + "', and '" + lockName + "' is not one of them");
        }
        return leases.get(index).token();
    }

    @Override
    public boolean isValid() {
        return leases.stream().allMatch(engine::isValid);
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(
                leases.stream().mapToLong(engine::remaining).min().orElseThrow());
    }

    @Override
    public void ensureValid() {
        leases.forEach(engine::ensureValid);
    }

    @Override
    public CompletionStage<Loss> lost() {
        return lost.minimalCompletionStage();
    }

    @Override
    public void extend(Duration duration) {
        LockForms.checkLease(duration, name);
        try {
            engine.extend(leases, duration);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public boolean release() {
        try {
            return engine.endings().release(leases);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public void close() {
        release();
        for (HeldLease lease : leases) {
            Loss loss = lease.loss();
            if (loss != null) {
                throw new LeaseLostException(lease.name(), lease.token(), loss);
            }
        }
    }

    @Override
    public String toString() {
        return "Lease['" + name + "', " + remaining().toMillis() + " ms left]";
    }
}
