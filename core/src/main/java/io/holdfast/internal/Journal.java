package io.holdfast.internal;

import io.holdfast.Loss;
import io.holdfast.internal.flight.Flight;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.Origin;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log: one line for each event that matters, with its facts as key-value pairs.
 *
 * <p>A lost lease is one WARN and no more. Renewals that fail are told when they begin to fail and when they work again, for all
 * leases of a client together: an outage with ten thousand leases is two lines, not ten thousand.
 */
final class Journal {
    private static final Logger lost = LoggerFactory.getLogger("io.holdfast.lost");
    private static final Logger renewal = LoggerFactory.getLogger("io.holdfast.renewal");
    private static final Logger stalled = LoggerFactory.getLogger("io.holdfast.stalled");

    private static final Logger forced = LoggerFactory.getLogger("io.holdfast.forced");

    private final String store;
    private boolean failing;

    Journal(String store) {
        this.store = store;
    }

    static void lost(HeldLease lease, Loss loss) {
        String owner = lease.owner();
        Flight.lost(lease.name(), owner, lease.token(), Trail.text(loss.cause()), loss.detail());
        lost.atWarn()
                .addKeyValue("lock", lease.name())
                .addKeyValue("owner", owner)
                .addKeyValue("token", lease.token())
                .addKeyValue("cause", loss.cause())
                // The name once more: many layouts leave the pairs out.
                .log("lock '{}' lost: {}", lease.name(), loss.detail());
    }

    /** A batch of renewals was answered. */
    void renewed(int leases, int failed, String reason) {
        boolean begins;
        boolean ends;
        synchronized (this) {
            begins = failed > 0 && !failing;
            ends = failed == 0 && failing;
            failing = failed > 0;
        }
        if (begins) {
            renewal.atInfo()
                    .addKeyValue("store", store)
                    .addKeyValue("leases", failed)
                    .addKeyValue("reason", reason)
                    .log("renewals fail, and are tried again until the leases end");
        } else if (ends) {
            renewal.atInfo()
                    .addKeyValue("store", store)
                    .addKeyValue("leases", leases)
                    .log("renewals work again");
        }
    }

    static void stalled(HeldLease lease, String detail) {
        String owner = lease.owner();
        Flight.stalled(lease.name(), owner, lease.token(), detail);
        stalled.atWarn()
                .addKeyValue("lock", lease.name())
                .addKeyValue("owner", owner)
                .addKeyValue("token", lease.token())
                .log("lock '{}': {}", lease.name(), detail);
    }

    /** This client has released another's lock by force. */
    static void forced(String name, LockInfo.Party holder, @Nullable Origin by) {
        String who = by == null ? "this process" : by.toString();
        forced.atWarn()
                .addKeyValue("lock", name)
                .addKeyValue("owner", holder.owner())
                .addKeyValue(
                        "token", holder.token().isPresent() ? holder.token().getAsLong() : "none")
                .addKeyValue("by", who)
                .log("lock '{}' was released by force, by {}, and taken from {}", name, who, holder.owner());
    }
}
