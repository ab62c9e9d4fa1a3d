package io.holdfast.internal;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The next moment of one lease, or of several that were renewed together: they stay together, so that many leases cost little
 * more than few. Guarded as {@link Moments} are, which alone change it.
 */
final class Moment {
    private long nanos;
    private boolean renewal;
    private @Nullable HeldLease[] leases = new @Nullable HeldLease[1];
    private int size;

    /** Where it stands among the others. */
    int place;

    Moment(long nanos, boolean renewal) {
        isAt(nanos, renewal);
    }

    void isAt(long time, boolean forRenewal) {
        nanos = time;
        renewal = forRenewal;
    }

    long nanos() {
        return nanos;
    }

    /** Whether they are to be renewed then. Otherwise one of them may be over. */
    boolean isForRenewal() {
        return renewal;
    }

    int size() {
        return size;
    }

    /** In no order: who goes leaves its place to the last. */
    HeldLease lease(int index) {
        return requireNonNull(leases[index], "no lease there");
    }

    /** For one more. */
    void makeRoom() {
        if (size == leases.length) {
            leases = Arrays.copyOf(leases, 2 * size);
        }
    }

    void takes(HeldLease lease) {
        lease.moment = this;
        lease.seat = size;
        leases[size++] = lease;
    }

    void leaves(HeldLease lease) {
        HeldLease last = lease(--size);
        leases[lease.seat] = last;
        last.seat = lease.seat;
        leases[size] = null;
        lease.moment = null;
    }
}
