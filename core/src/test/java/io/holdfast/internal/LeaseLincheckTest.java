package io.holdfast.internal;

import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.internal.HeldLease.Phase;
import io.holdfast.internal.HeldLease.Validity;
import java.util.concurrent.TimeUnit;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The state of a lease behaves as if its operations came one after the other, in every interleaving there is. */
@Tag("lincheck")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
public class LeaseLincheckTest {
    private static final Loss LOSS = new Loss(Loss.Cause.GONE, "gone");

    private final HeldLease lease =
            new HeldLease("x", new OwnerId("client", 1, 2), 1, LockOptions.DEFAULT, null, 0, new Validity(0, 100, 100));

    @Operation
    public boolean releases() {
        return lease.moves(Phase.HELD, Phase.RELEASING);
    }

    @Operation
    public boolean released() {
        return lease.moves(Phase.RELEASING, Phase.RELEASED);
    }

    @Operation
    public boolean losesWhileHeld() {
        return lease.loses(Phase.HELD, LOSS);
    }

    @Operation
    public boolean losesAtItsRelease() {
        return lease.loses(Phase.RELEASING, LOSS);
    }

    @Operation
    public String state() {
        return lease.phase().toString();
    }

    @Operation
    public boolean isLost() {
        return lease.loss() != null;
    }

    @Operation
    public void proves(@Param(gen = IntGen.class, conf = "90:110") int until) {
        lease.prove(new Validity(0, until, until));
    }

    @Operation
    public long validity() {
        return lease.validity().untilNanos();
    }

    @Test
    void interleavings_areLikeSomeOrder() {
        Models.check(LeaseLincheckTest.class);
    }
}
