package io.holdfast.simulation.load;

import io.holdfast.simulation.audit.Party;
import io.holdfast.simulation.audit.Violation;

/** Looks whether a call returned by its deadline (L3): its own wait and one command time-out. */
final class Patience {
    private static final long SLACK_NANOS = 60_000_000L;

    private final Party party;
    private final Scene scene;
    private final long startNanos;
    private final long refusals;

    Patience(Scene scene, Party party) {
        this.scene = scene;
        this.party = party;
        this.startNanos = party.platform().nanoTime();
        this.refusals = party.link().refusals();
    }

    /** Whoever is told that another holds the lock was told so by the store. */
    void heldByAnother() {
        if (party.link().refusals() == refusals) {
            throw new Violation("I5", "'held by another' was said, and the store had not said so");
        }
    }

    /** True, or a violation. */
    boolean kept(long waitNanos) {
        long took = party.platform().nanoTime() - startNanos;
        long bound = waitNanos + party.timeoutNanos() + SLACK_NANOS;
        boolean slept = scene.world().now() - party.host().sleptUntil() < took + SLACK_NANOS;
        if (took > bound && !slept) {
            throw new Violation("L3", "a wait of " + waitNanos / 1_000_000 + " ms took " + took / 1_000_000 + " ms");
        }
        return true;
    }
}
