package io.holdfast.internal;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.Loss;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** What the application holds in its hand; renewal goes on while it does. */
final class LeaseHandle implements Lease {
    private final HeldLease lease;

    LeaseHandle(Engine engine, HeldLease lease) {
        this.lease = lease;
        lease.follow(this, engine);
    }

    @Override
    public String lockName() {
        return lease.name();
    }

    @Override
    public long token() {
        return lease.token();
    }

    @Override
    public boolean isValid() {
        return lease.engine().isValid(lease);
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(lease.engine().remaining(lease));
    }

    @Override
    public void ensureValid() {
        lease.engine().ensureValid(lease);
    }

    @Override
    public CompletionStage<Loss> lost() {
        return lease.lost().minimalCompletionStage();
    }

    @Override
    public void extend(Duration duration) {
        LockForms.checkLease(duration, lockName());
        try {
            lease.engine().extend(List.of(lease), duration);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public boolean release() {
        try {
            return lease.engine().endings().release(lease);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @Override
    public void close() {
        release();
        Loss loss = lease.loss();
        if (loss != null) {
            throw new LeaseLostException(lockName(), token(), loss);
        }
    }

    @Override
    public String toString() {
        return "Lease['" + lockName() + "' token " + token() + ", "
                + remaining().toMillis() + " ms left]";
    }
}
