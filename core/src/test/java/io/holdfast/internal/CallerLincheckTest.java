package io.holdfast.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is handed to a caller who is about to leave runs once, there or at the worker. */
@Tag("lincheck")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
public class CallerLincheckTest {
    private final AtomicInteger handed = new AtomicInteger();
    private final AtomicInteger ran = new AtomicInteger();
    private final Caller caller = new Caller(new ModelPlatform(), Runnable::run);

    @Operation
    public void hand() {
        handed.incrementAndGet();
        caller.execute(ran::incrementAndGet);
    }

    @Operation(nonParallelGroup = "caller")
    public boolean leave() {
        return caller.awaitUninterruptibly(CompletableFuture.completedFuture(true));
    }

    @Validate
    public void allRanOnce() {
        leave();
        Models.require(ran.get() == handed.get(), handed + " handed over, " + ran + " run");
    }

    @Test
    void tasks_runOnce() {
        Models.check(CallerLincheckTest.class);
    }
}
