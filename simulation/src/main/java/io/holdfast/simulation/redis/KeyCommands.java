package io.holdfast.simulation.redis;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** What is done to keys of any type. */
final class KeyCommands {
    private static final long ABSENT = -2;

    private KeyCommands() {}

    static void addTo(Commands all) {
        all.reduce("del", -2, KeyCommands::delete);
        all.reduce("unlink", -2, KeyCommands::delete);
        all.read("exists", -2, KeyCommands::exists);
        all.read("type", 2, KeyCommands::type);
        all.reduce("expire", -3, (redis, argv) -> Expiry.expire(redis, argv, true, false));
        all.reduce("pexpire", -3, (redis, argv) -> Expiry.expire(redis, argv, false, false));
        all.reduce("expireat", -3, (redis, argv) -> Expiry.expire(redis, argv, true, true));
        all.reduce("pexpireat", -3, (redis, argv) -> Expiry.expire(redis, argv, false, true));
        all.reduce("persist", 2, KeyCommands::persist);
        all.read("ttl", 2, (redis, argv) -> seconds(left(redis, argv[1])));
        all.read("pttl", 2, (redis, argv) -> left(redis, argv[1]));
        all.read("expiretime", 2, (redis, argv) -> seconds(end(redis, argv[1])));
        all.read("pexpiretime", 2, (redis, argv) -> end(redis, argv[1]));
        all.read("keys", 2, KeyCommands::keys);
        all.read("scan", -2, KeyCommands::scan);
        all.read("dbsize", 1, (redis, argv) -> (long) redis.db().size());
        all.reduce("flushall", -1, KeyCommands::flush);
        all.reduce("flushdb", -1, KeyCommands::flush);
    }

    private static Object delete(RedisModel redis, String[] argv) {
        long deleted = 0;
        for (int i = 1; i < argv.length; i++) {
            deleted += redis.db().remove(argv[i]) ? 1 : 0;
        }
        return deleted;
    }

    private static Object exists(RedisModel redis, String[] argv) {
        long present = 0;
        for (int i = 1; i < argv.length; i++) {
            present += redis.db().entry(argv[i]) == null ? 0 : 1;
        }
        return present;
    }

    private static Object type(RedisModel redis, String[] argv) {
        Database.Entry entry = redis.db().entry(argv[1]);
        return new RedisModel.Status(entry == null ? "none" : entry.type());
    }

    private static Object persist(RedisModel redis, String[] argv) {
        Database.Entry entry = redis.db().entry(argv[1]);
        if (entry == null || entry.expiresAt == Database.NEVER) {
            return 0L;
        }
        entry.expiresAt = Database.NEVER;
        return 1L;
    }

    private static long end(RedisModel redis, String key) {
        Database.Entry entry = redis.db().entry(key);
        return entry == null ? ABSENT : entry.expiresAt;
    }

    private static long left(RedisModel redis, String key) {
        long end = end(redis, key);
        return end < 0 ? end : Math.max(0, end - redis.db().now());
    }

    private static long seconds(long millis) {
        return millis < 0 ? millis : (millis + 500) / 1000;
    }

    private static Object keys(RedisModel redis, String[] argv) {
        return matching(redis, argv[1]).toList();
    }

    private static Stream<String> matching(RedisModel redis, String pattern) {
        return redis.db().keys(redis.db().now()).stream().filter(key -> Glob.matches(pattern, key));
    }

    /** Everything on one page. */
    private static Object scan(RedisModel redis, String[] argv) {
        if (argv[1].isEmpty() || !argv[1].chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new RedisError("ERR invalid cursor");
        }
        String pattern = "*";
        String type = "";
        for (int i = 2; i < argv.length; i += 2) {
            if (i + 1 == argv.length) {
                throw RedisError.syntax();
            }
            switch (argv[i].toUpperCase(Locale.ROOT)) {
                case "MATCH" -> pattern = argv[i + 1];
                case "TYPE" -> type = argv[i + 1].toLowerCase(Locale.ROOT);
                case "COUNT" -> {
                    if (Numbers.parseLong(argv[i + 1]) < 1) {
                        throw RedisError.syntax();
                    }
                }
                default -> throw RedisError.syntax();
            }
        }
        String wanted = type;
        return List.of(
                "0",
                matching(redis, pattern)
                        .filter(key -> wanted.isEmpty() || wanted.equals(typeOf(redis, key)))
                        .toList());
    }

    private static String typeOf(RedisModel redis, String key) {
        Database.Entry entry = redis.db().entry(key);
        return entry == null ? "none" : entry.type();
    }

    private static Object flush(RedisModel redis, String[] argv) {
        boolean understood = argv.length == 1
                || (argv.length == 2 && (argv[1].equalsIgnoreCase("ASYNC") || argv[1].equalsIgnoreCase("SYNC")));
        if (!understood) {
            throw RedisError.syntax();
        }
        redis.db().clear();
        return RedisModel.OK;
    }
}
