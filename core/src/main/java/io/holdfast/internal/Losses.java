package io.holdfast.internal;

import io.holdfast.Loss;
import io.holdfast.OnLoss;
import io.holdfast.internal.HeldLease.Phase;
import io.holdfast.spi.Platform;
import java.util.function.Consumer;

/** Declares leases lost: once for each, to the holder, the listeners and the log. */
final class Losses {
    private final Platform platform;
    private final Consumer<HeldLease> next;
    private final Consumer<HeldLease> stops;

    /**
     * @param next is told of a lease that is held no longer, so that others go on
     * @param stops is told of a lease whose release has begun, and which is not to be passed on any more
     */
    Losses(Platform platform, Consumer<HeldLease> next, Consumer<HeldLease> stops) {
        this.platform = platform;
        this.next = next;
        this.stops = stops;
    }

    /** The store does not have it any more. One whose release has begun may lie ready for the next, who is not to have it. */
    void gone(HeldLease lease, Loss loss) {
        if (!declare(lease, loss)) {
            stops.accept(lease);
        }
    }

    /** A lease that is held is lost; one that was lost or given back stays what it is. */
    boolean declare(HeldLease lease, Loss loss) {
        return declare(lease, Phase.HELD, loss);
    }

    boolean declare(HeldLease lease, Phase from, Loss loss) {
        if (!lease.loses(from, loss)) {
            return false;
        }
        // The interrupt goes first: it is what stops the work.
        Object thread = lease.thread();
        if (lease.options.onLoss() == OnLoss.INTERRUPT && thread != null && lease.wasSeen()) {
            platform.interrupt(thread);
        }
        platform.callbacks().execute(() -> lease.lost().complete(loss));
        Trail trail = lease.trail();
        if (trail != null) {
            trail.over(Trail.text(loss.cause()));
            trail.tell(listener -> listener.lost(lease.hold(), loss));
        }
        next.accept(lease);
        Journal.lost(lease, loss);
        return true;
    }

    /** Why a lease whose deadline has passed was not renewed. */
    static Loss expired(HeldLease lease, long now) {
        if (lease.options.renewal() && lease.isPastMaxHold(now)) {
            return new Loss(
                    Loss.Cause.MAX_HOLD,
                    "it was held longer than its maxHold of "
                            + lease.options.maxHold().orElseThrow());
        }
        String failure = lease.lastFailure();
        String detail;
        if (!lease.options.renewal()) {
            detail = "it was taken for " + lease.options.lease().toMillis() + " ms without renewal, and they are over";
        } else if (failure != null) {
            detail = "no renewal was confirmed before its deadline; the last one failed: " + failure;
        } else {
            detail = "no renewal was confirmed before its deadline; this process or host may have been paused";
        }
        return new Loss(Loss.Cause.EXPIRED, detail);
    }
}
