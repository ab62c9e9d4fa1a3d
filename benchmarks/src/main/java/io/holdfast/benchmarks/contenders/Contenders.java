package io.holdfast.benchmarks.contenders;

import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;

/** All there are. */
public final class Contenders {
    /** Our lock. The names of our other primitives start with it. */
    public static final String OURS = "holdfast";

    private static final List<String> QUICK = List.of(OURS, "redisson", "jedis", "ping", "reentrant");

    private static final List<String> ALL = List.of(
            OURS,
            "redisson",
            "holdfast-fair",
            "redisson-fair",
            "redisson-fenced",
            "spring-spin",
            "spring-pubsub",
            "jedis",
            "lettuce",
            "curator",
            "ping",
            "reentrant",
            "holdfast-read",
            "redisson-read",
            "holdfast-write",
            "redisson-write",
            "holdfast-permit",
            "redisson-permit",
            "redisson-leased",
            "holdfast-quorum",
            "redisson-redlock",
            "five-calls");

    private Contenders() {}

    /** Whether ratios refer to it. Of one primitive there is one of ours. */
    public static boolean isOurs(String name) {
        return name.equals(OURS) || name.startsWith(OURS + "-");
    }

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
            case OURS -> new HoldfastContender(Primitive.LOCK);
            case "holdfast-fair" -> new HoldfastContender(Primitive.FAIR);
            case "holdfast-read" -> new HoldfastContender(Primitive.READ);
            case "holdfast-write" -> new HoldfastContender(Primitive.WRITE);
            case "holdfast-permit" -> new HoldfastContender(Primitive.PERMIT);
            case "redisson" -> new RedissonContender(RedissonContender.Kind.PLAIN);
            case "redisson-fair" -> new RedissonContender(RedissonContender.Kind.FAIR);
            case "redisson-fenced" -> new RedissonContender(RedissonContender.Kind.FENCED);
            case "redisson-read" -> new RedissonContender(RedissonContender.Kind.READ);
            case "redisson-write" -> new RedissonContender(RedissonContender.Kind.WRITE);
            case "redisson-permit" -> new RedissonContender(RedissonContender.Kind.PERMIT);
            case "redisson-leased" -> new RedissonContender(RedissonContender.Kind.LEASED);
            case "holdfast-quorum" -> new HoldfastContender(Primitive.QUORUM);
            case "redisson-redlock" -> new RedissonQuorum();
            case "five-calls" -> new FiveCalls();
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
