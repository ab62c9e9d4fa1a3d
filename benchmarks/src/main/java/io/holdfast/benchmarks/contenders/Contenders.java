package io.holdfast.benchmarks.contenders;

import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;

/** All there are. */
public final class Contenders {
    /** The name that ratios refer to. */
    public static final String OURS = "holdfast";

    private static final List<String> QUICK = List.of(OURS, "redisson", "jedis", "ping", "reentrant");

    private static final List<String> ALL = List.of(
            OURS,
            "redisson",
            "redisson-fair",
            "redisson-fenced",
            "spring-spin",
            "spring-pubsub",
            "jedis",
            "lettuce",
            "curator",
            "ping",
            "reentrant");

    private Contenders() {}

    public static List<Contender> all() {
        return ALL.stream().map(Contenders::named).toList();
    }

    /** What an application chooses between in the first place, and the limits: the wire, and a lock without one. */
    public static List<Contender> quick() {
        return QUICK.stream().map(Contenders::named).toList();
    }

    /** The one of that name. Loads the classes of no other, whose jars may not be there. */
    public static Contender named(String name) {
        return switch (name) {
            case OURS -> new HoldfastContender();
            case "redisson" -> new RedissonContender(RedissonContender.Kind.PLAIN);
            case "redisson-fair" -> new RedissonContender(RedissonContender.Kind.FAIR);
            case "redisson-fenced" -> new RedissonContender(RedissonContender.Kind.FENCED);
            case "spring-spin" -> new SpringContender(false);
            case "spring-pubsub" -> new SpringContender(true);
            case "jedis" -> new JedisContender();
            case "lettuce" -> new LettuceContender();
            case "curator" -> new CuratorContender();
            case "ping" -> new PingContender();
            case "reentrant" -> new ReentrantContender();
            default -> throw new IllegalArgumentException("no contender is called '" + name + "'; there are " + ALL);
        };
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
