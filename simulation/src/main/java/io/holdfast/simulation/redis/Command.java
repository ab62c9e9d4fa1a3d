package io.holdfast.simulation.redis;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One command.
 *
 * @param name in small letters
 * @param arity how many words it has; negative: at least so many
 */
record Command(
        String name,
        int arity,
        boolean writes,
        boolean denyOom,
        boolean inScripts,
        boolean whileLoading,
        Handler handler) {

    /** How the command is done. */
    @FunctionalInterface
    interface Handler {
        /** Returns Long, String, Status, List or null, and throws {@link RedisError}. */
        @Nullable
        Object run(RedisModel redis, String[] argv);
    }

    private static final Set<String> CONTAINERS = Set.of("script");

    boolean accepts(int words) {
        return arity < 0 ? words >= -arity : words == arity;
    }

    /** With the subcommand, as a server names it in errors. */
    String fullName(String[] argv) {
        return CONTAINERS.contains(name) ? name + "|" + argv[1].toLowerCase(Locale.ROOT) : name;
    }
}
