package io.holdfast.simulation;

import io.holdfast.simulation.load.Mask;
import io.holdfast.simulation.load.Setup;
import java.util.ArrayList;
import java.util.List;

/** Leaves out of a failing run whatever it fails without, in the same way. */
public final class Shrinker {
    private static final int MOST_RUNS = 300;

    private final Setup setup;
    private final String invariant;
    private Run.Result best;
    private int runs;

    private Shrinker(Run.Result failed) {
        this.setup = Setup.of(failed.seed(), failed.topology());
        this.invariant = failed.invariant();
        this.best = failed;
    }

    /** The smallest run found that breaks the same promise. */
    public static Run.Result shrink(Run.Result failed) {
        Shrinker shrinker = new Shrinker(failed);
        shrinker.work();
        return shrinker.best;
    }

    private void work() {
        for (int i = 0; i < setup.faults().size(); i++) {
            attempt(best.mask().withoutFault(i));
        }
        for (int i = 0; i < setup.clients(); i++) {
            for (int j = 0; j < setup.actors(); j++) {
                attempt(best.mask().withoutActor(i * 10 + j));
            }
        }
        // Large parts first, then single steps.
        for (int size = setup.steps(); size >= 1; size /= 2) {
            for (int i = 0; i < setup.clients(); i++) {
                for (int j = 0; j < setup.actors(); j++) {
                    for (int from = 0; from < 4 * setup.steps(); from += size) {
                        leaveOut(i * 10 + j, from, from + size);
                    }
                }
            }
        }
        for (int i = 0; i < setup.faults().size(); i++) {
            attempt(best.mask().withoutFault(i));
        }
    }

    private void leaveOut(int actor, int from, int to) {
        Mask mask = best.mask();
        if (!mask.keepsActor(actor)) {
            return;
        }
        List<Integer> left = new ArrayList<>();
        for (int step = from; step < to; step++) {
            if (mask.keepsStep(actor, step)) {
                left.add(step);
            }
        }
        for (int step : left) {
            mask = mask.withoutStep(actor, step);
        }
        if (!left.isEmpty()) {
            attempt(mask);
        }
    }

    private void attempt(Mask mask) {
        if (runs++ >= MOST_RUNS || mask.toString().equals(best.mask().toString())) {
            return;
        }
        Run.Result result = Run.of(best.seed(), best.topology(), mask, false);
        if (result.failed() && result.invariant().equals(invariant)) {
            best = result;
        }
    }
}
