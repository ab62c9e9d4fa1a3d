package io.holdfast.simulation.load;

import io.holdfast.internal.Peek;
import io.holdfast.simulation.audit.Party;
import io.holdfast.simulation.audit.Violation;
import java.util.List;

/** Looks whether a call returned by its deadline (L3): its own wait and one command time-out. */
final class Patience {
    private static final long SLACK_NANOS = 60_000_000L;

    private final Party party;
    private final Scene scene;
    private final long startNanos;
    private final List<String> names;
    private final boolean held;
    private final boolean behind;
    private final long refusals;
    private final long grants;

    Patience(Scene scene, Party party, List<String> names) {
        this.scene = scene;
        this.party = party;
        this.names = names;
        this.held = isHeld();
        this.behind = names.stream().anyMatch(name -> Peek.hasLine(party.engine(), name));
        this.grants = scene.auditor().grants(party);
        this.startNanos = party.platform().nanoTime();
        this.refusals = party.link().refusals();
    }

    /**
     * Whoever is told that another holds the lock was told so by the store, or another thread of the same client held it
     * meanwhile, or stood before it, and the store did not take long.
     */
    void heldByAnother() {
        boolean toldSo = held || isHeld() || party.link().refusals() != refusals;
        boolean here = scene.auditor().grants(party) != grants;
        boolean soon = behind && party.platform().nanoTime() - startNanos < 100_000_000L + SLACK_NANOS;
        if (!toldSo && !here && !soon) {
            throw new Violation(
                    "I5",
                    "'held by another' was said of " + names + " to "
                            + party.host().name() + " after "
                            + (party.platform().nanoTime() - startNanos) / 1_000_000
                            + " ms, and the store had not said so");
        }
    }

    /** Whether a thread of this client holds one of them, or was told that another does. */
    private boolean isHeld() {
        return names.stream()
                .anyMatch(name -> Peek.holdsLock(party.engine(), name) || Peek.isRefused(party.engine(), name));
    }

    /** True, or a violation. */
    boolean kept(long waitNanos) {
        long took = party.platform().nanoTime() - startNanos;
        long bound = waitNanos + scene.stage().callNanos() + SLACK_NANOS;
        boolean slept = scene.world().now() - party.host().sleptUntil() < took + SLACK_NANOS;
        if (took > bound && !slept) {
            throw new Violation("L3", "a wait of " + waitNanos / 1_000_000 + " ms took " + took / 1_000_000 + " ms");
        }
        return true;
    }
}
