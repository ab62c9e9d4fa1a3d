package io.holdfast.simulation.mutants;

import io.holdfast.simulation.Campaign;
import io.holdfast.simulation.Run;
import java.nio.file.Path;
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
        try {
            // Only types of the JDK may cross: there, every class of ours is another one.
            Object found = new MutantLoader(root, mutant)
                    .loadClass(Hunt.class.getName())
                    .getMethod("first", long.class, long.class, int.class)
                    .invoke(null, from, seeds, threads);
            if (found == null) {
                return new Trophy(0, "");
            }
            String text = (String) found;
            int bar = text.indexOf('|');
            return new Trophy(Long.parseLong(text.substring(0, bar)), text.substring(bar + 1));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the planted bug '" + mutant.name() + "' cannot be run", e);
        }
    }

    /** The first failing seed and its message, with a bar between; null if all pass. Called in a mutant's own classes. */
    public static @Nullable String first(long from, long seeds, int threads) throws InterruptedException {
        Run.Result failed = Campaign.run(from, seeds, threads, null).failed();
        return failed == null ? null : failed.seed() + "|" + failed.invariant() + ": " + text(failed.problem());
    }

    private static String text(@Nullable Throwable problem) {
        return problem == null ? "" : String.valueOf(problem.getMessage());
    }
}
