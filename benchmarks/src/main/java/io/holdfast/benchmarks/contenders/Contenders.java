package io.holdfast.benchmarks.contenders;

import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;

/** All there are. */
public final class Contenders {
    /** The name that ratios refer to. */
    public static final String OURS = "holdfast";

    private static final List<Contender> ALL = List.of(
            new HoldfastContender(),
            new RedissonContender(),
            new JedisContender(),
            new PingContender(),
            new ReentrantContender());

    private Contenders() {}

    public static List<Contender> all() {
        return ALL;
    }

    /** Those that need Redis: what an application chooses between, and the limit of the wire. */
    public static List<Contender> quick() {
        return ALL.stream()
                .filter(contender -> contender.reach() != Contender.Reach.THREADS)
                .toList();
    }

    /** The one of that name. */
    public static Contender named(String name) {
        return ALL.stream()
                .filter(contender -> contender.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no contender is called '" + name + "'"));
    }

    /** The jar a class comes from, such as {@code jedis-7.5.3}: says what really ran. */
    static String jarOf(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        if (source == null || source.getLocation() == null) {
            return type.getName();
        }
        Path file = Path.of(source.getLocation().getPath()).getFileName();
        return file == null ? type.getName() : file.toString().replaceFirst("\\.jar$", "");
    }
}
