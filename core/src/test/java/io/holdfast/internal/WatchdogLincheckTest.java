package io.holdfast.internal;

import io.holdfast.Hold;
import io.holdfast.LockListener;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.internal.HeldLease.Phase;
import io.holdfast.internal.HeldLease.Validity;
import io.holdfast.spi.RenewReply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lease is watched once at most, not renewed once it has been removed, and lost once at most. */
@Tag("lincheck")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
public class WatchdogLincheckTest {
    private static final Loss CLOSED = new Loss(Loss.Cause.CLIENT_CLOSED, "closed");

    private final ModelPlatform platform = new ModelPlatform();
    private final AtomicInteger told = new AtomicInteger();
    private final AtomicInteger renewals = new AtomicInteger();
    private final RenewingStore store = new RenewingStore(renewals);
    private final Notices notices = new Notices(
            List.of(new LockListener() {
                @Override
                public void lost(Hold hold, Loss loss) {
                    told.incrementAndGet();
                }
            }),
            Runnable::run);
    private final Losses losses = new Losses(platform, lease -> {}, lease -> {});
    private final Watchdog watchdog = new Watchdog(platform, store, Duration.ofSeconds(2), losses);
    // Its renewal is due: twenty of its thirty seconds are left.
    private final HeldLease lease = new HeldLease(
            "x",
            new OwnerId("client", 1, 2),
            1,
            LockOptions.DEFAULT,
            null,
            1,
            notices.trail("x"),
            new Validity(0, 19_000_000_000L, 19_000));

    public WatchdogLincheckTest() {
        watchdog.add(lease);
    }

    @Operation
    public void tick() {
        platform.timers().forEach(Runnable::run);
        platform.work();
    }

    @Operation
    public void release() {
        lease.moves(Phase.HELD, Phase.RELEASING);
        watchdog.remove(lease);
    }

    @Operation
    public void lose() {
        watchdog.remove(lease);
        losses.declare(lease, CLOSED);
    }

    @Operation
    public void goesInTheStore() {
        store.answer(new RenewReply.Gone());
    }

    @Validate
    public void watchedAndLostOnceAtMost() {
        boolean held = lease.phase() == Phase.HELD;
        Models.require(
                watchdog.held().size() == (held ? 1 : 0),
                "watched " + watchdog.held().size());
        Models.require(told.get() == (lease.phase() == Phase.LOST ? 1 : 0), "lost " + told + " times");
        int before = renewals.get();
        tick();
        Models.require(held || renewals.get() == before, "renewed after it had gone");
    }

    @Test
    void lease_isWatchedAndLostOnceAtMost() {
        Models.check(WatchdogLincheckTest.class);
    }
}
