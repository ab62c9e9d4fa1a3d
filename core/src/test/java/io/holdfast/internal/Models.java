package io.holdfast.internal;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/** How much the model checker looks at: so many scenarios, each in so many interleavings. */
final class Models {
    private Models() {}

    static void check(Class<?> structure) {
        check(structure, 10, 200);
    }

    static void check(Class<?> structure, int scenarios, int interleavings) {
        new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0)
                .iterations(Integer.getInteger("lincheck.iterations", scenarios))
                .invocationsPerIteration(Integer.getInteger("lincheck.invocations", interleavings))
                .check(structure);
    }

    static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException(what);
        }
    }
}
