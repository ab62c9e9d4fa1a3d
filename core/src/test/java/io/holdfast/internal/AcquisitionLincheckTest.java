package io.holdfast.internal;

import io.holdfast.LockOptions;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A wait ends once, by the grant, its deadline, its caller or the client's end, and leaves nothing but what it says. */
@Tag("lincheck")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
public class AcquisitionLincheckTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final ModelPlatform platform = new ModelPlatform();
    private final StoreFactory shared = MemoryStore.isolated();
    private final LockStore rival = shared.open(new StoreContext("rival", "p:", TIMEOUT, platform, new DeafEvents()));
    private final Engine engine = Engine.open(shared, "p:", TIMEOUT, platform, List.of());
    private final AtomicInteger ends = new AtomicInteger();
    private final Acquisition acquisition;

    public AcquisitionLincheckTest() {
        rival.acquire(new AcquireRequest("x", "rival", Duration.ofHours(1), false));
        acquisition = engine.acquireAsync(
                new Wish(engine, "x", LockOptions.DEFAULT, null, 5_000_000_000L, Share.WHOLE, Order.LINE));
        platform.work();
        acquisition.result().whenComplete((lease, error) -> ends.incrementAndGet());
    }

    @Operation(runOnce = true)
    public void rivalLeaves() {
        rival.release("x", "rival");
        platform.work();
    }

    @Operation
    public void wake() {
        acquisition.wake();
        platform.work();
    }

    @Operation(runOnce = true)
    public void deadline() {
        platform.timers().stream().findFirst().ifPresent(Runnable::run);
        platform.work();
    }

    @Operation(runOnce = true)
    public void abandon() {
        acquisition.abandon();
        platform.work();
    }

    @Operation(runOnce = true)
    public void closed() {
        acquisition.closed();
        platform.work();
    }

    @Validate
    public void endedOnceAndLeftNothing() {
        abandon();
        Models.require(ends.get() == 1, "ended " + ends + " times");
        rivalLeaves();
        Models.require(rival.inspect("*").toCompletableFuture().join().isEmpty(), "something is left in the store");
    }

    @Test
    void wait_endsOnceAndLeavesNothing() {
        // Each of them builds an engine.
        Models.check(AcquisitionLincheckTest.class, 3, 50);
    }
}
