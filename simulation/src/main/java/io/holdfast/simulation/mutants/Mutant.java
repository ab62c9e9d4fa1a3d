package io.holdfast.simulation.mutants;

import java.util.List;

/**
 * A bug: what to change in the sources.
 *
 * @param name what it does wrong
 * @param on the topology that shows it, as the command line names it
 * @param edits all are made; each text must stand exactly once in its file
 */
record Mutant(String name, String on, List<Edit> edits) {

    /**
     * A change of one file.
     *
     * @param file from the root of the repository
     */
    record Edit(String file, String from, String to) {
        String apply(String source) {
            int at = source.indexOf(from);
            if (at < 0 || source.indexOf(from, at + 1) >= 0) {
                throw new IllegalStateException(
                        "a planted bug must be adapted, since this does not stand exactly once in " + file + ": "
                                + from);
            }
            return source.substring(0, at) + to + source.substring(at + from.length());
        }
    }

    static Mutant of(String name, Edit... edits) {
        return new Mutant(name, "single", List.of(edits));
    }

    /** The same, on another topology. */
    Mutant on(String topology) {
        return new Mutant(name, topology, edits);
    }
}
