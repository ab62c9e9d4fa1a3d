package io.holdfast.simulation.mutants;

import io.holdfast.simulation.Campaign;
import io.holdfast.simulation.Run;
import io.holdfast.simulation.Shrinker;
import io.holdfast.simulation.load.Mask;
import io.holdfast.simulation.load.Topology;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Looks for the first seed that finds a planted bug. */
public final class Hunt {
    /**
     * What was found.
     *
     * @param seed the first that fails; zero if none did
     * @param message the promise that is broken, and how
     */
    record Trophy(long seed, String message) {
        String invariant() {
            return message.substring(0, Math.max(0, message.indexOf(':')));
        }
    }

    private Hunt() {}

    static Trophy hunt(Path root, Mutant mutant, long from, long seeds, int threads) {
        String found = call(root, mutant, "first", from, seeds, threads);
        if (found == null) {
            return new Trophy(0, "");
        }
        int bar = found.indexOf('|');
        return new Trophy(Long.parseLong(found.substring(0, bar)), found.substring(bar + 1));
    }

    static @Nullable String shrunk(Path root, Mutant mutant, long seed) {
        return call(root, mutant, "shrink", seed, 1L, 1);
    }

    /** Calls one of the methods below, in a mutant's own classes. Only types of the JDK may cross. */
    private static @Nullable String call(Path root, Mutant mutant, String method, long from, long seeds, int threads) {
        try {
            return (String) new MutantLoader(root, mutant)
                    .loadClass(Hunt.class.getName())
                    .getMethod(method, String.class, long.class, long.class, int.class)
                    .invoke(null, mutant.on(), from, seeds, threads);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the planted bug '" + mutant.name() + "' cannot be run", e);
        }
    }

    /** The first failing seed and its message, with a bar between; null if all pass. */
    public static @Nullable String first(String on, long from, long seeds, int threads) throws InterruptedException {
        Run.Result failed =
                Campaign.run(topology(on), from, seeds, threads, null).failed();
        return failed == null ? null : failed.seed() + "|" + failed.invariant() + ": " + text(failed.problem());
    }

    /** How small the failure of a seed can be made. */
    public static String shrink(String on, long seed, long seeds, int threads) {
        Run.Result failed = Run.of(seed, topology(on), Mask.NONE, false);
        Run.Result small = Shrinker.shrink(failed);
        boolean same = Run.of(seed, topology(on), Mask.parse(small.mask().toString()), false)
                .invariant()
                .equals(failed.invariant());
        return "failed " + (same ? "in the same way" : "in another way") + ", " + small.calls() + " of "
                + failed.calls() + " calls";
    }

    private static Topology topology(String on) {
        return Topology.valueOf(on.toUpperCase(Locale.ROOT));
    }

    private static String text(@Nullable Throwable problem) {
        return problem == null ? "" : String.valueOf(problem.getMessage());
    }
}
