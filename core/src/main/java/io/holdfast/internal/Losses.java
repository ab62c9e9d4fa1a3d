package io.holdfast.internal;

import io.holdfast.Loss;
import io.holdfast.OnLoss;
import io.holdfast.internal.HeldLease.Phase;
import io.holdfast.spi.Platform;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Declares leases lost: once for each, to the holder, the listeners and the log. */
final class Losses {
    private static final Logger log = LoggerFactory.getLogger("io.holdfast.lost");

    private final Platform platform;
    private final Notices notices;
    private final Consumer<HeldLease> next;

    /** @param next is told of a lease that is held no longer, so that others go on */
    Losses(Platform platform, Notices notices, Consumer<HeldLease> next) {
        this.platform = platform;
        this.notices = notices;
        this.next = next;
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
        if (lease.options.onLoss() == OnLoss.INTERRUPT && lease.thread != null) {
            platform.interrupt(lease.thread);
        }
        platform.callbacks().execute(() -> lease.lost().complete(loss));
        notices.tell(listener -> listener.lost(lease.hold(), loss));
        next.accept(lease);
        log.warn(
                "lock '{}' lost by owner {} with token {}: {} ({})",
                lease.name(),
                lease.owner(),
                lease.token(),
                loss.detail(),
                loss.cause());
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
        String failure = lease.lastFailure;
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
