package io.holdfast.simulation.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Strings and counters. */
final class StringCommands {
    private StringCommands() {}

    static void addTo(Commands all) {
        all.read("get", 2, (redis, argv) -> redis.db().get(argv[1], String.class));
        all.write("set", -3, StringCommands::set);
        all.write("getset", 3, StringCommands::getSet);
        all.write("setnx", 3, StringCommands::setIfAbsent);
        all.write("setex", 4, (redis, argv) -> setWithExpiry(redis, argv, true));
        all.write("psetex", 4, (redis, argv) -> setWithExpiry(redis, argv, false));
        all.reduce("getdel", 2, StringCommands::getDel);
        all.read("mget", -2, StringCommands::getAll);
        all.read("strlen", 2, StringCommands::length);
        all.read("getrange", 4, StringCommands::range);
        all.write("append", 3, StringCommands::append);
        all.write("incr", 2, (redis, argv) -> add(redis, argv[1], 1));
        all.write("decr", 2, (redis, argv) -> add(redis, argv[1], -1));
        all.write("incrby", 3, (redis, argv) -> add(redis, argv[1], Numbers.parseLong(argv[2])));
        all.write("decrby", 3, StringCommands::subtract);
    }

    private static @Nullable Object set(RedisModel redis, String[] argv) {
        SetOptions options = SetOptions.parse(argv);
        long expiresAt = options.expiresAt(redis.db().now());
        String key = argv[1];
        String old = options.get ? redis.db().get(key, String.class) : null;
        Database.Entry present = redis.db().entry(key);
        if (present == null ? options.onlyIfPresent : options.onlyIfAbsent) {
            return old;
        }
        long kept = options.keepExpiry && present != null ? present.expiresAt : Database.NEVER;
        redis.db().put(key, argv[2]).expiresAt = expiresAt == Database.NEVER ? kept : expiresAt;
        return options.get ? old : RedisModel.OK;
    }

    private static @Nullable Object getSet(RedisModel redis, String[] argv) {
        String old = redis.db().get(argv[1], String.class);
        redis.db().put(argv[1], argv[2]);
        return old;
    }

    private static Object setIfAbsent(RedisModel redis, String[] argv) {
        if (redis.db().entry(argv[1]) != null) {
            return 0L;
        }
        redis.db().put(argv[1], argv[2]);
        return 1L;
    }

    private static Object setWithExpiry(RedisModel redis, String[] argv, boolean seconds) {
        long at =
                Expiry.absolute(Numbers.parseLong(argv[2]), seconds, redis.db().now(), command(argv));
        redis.db().put(argv[1], argv[3]).expiresAt = at;
        return RedisModel.OK;
    }

    private static String command(String[] argv) {
        return argv[0].toLowerCase(Locale.ROOT);
    }

    private static @Nullable Object getDel(RedisModel redis, String[] argv) {
        String old = redis.db().get(argv[1], String.class);
        redis.db().remove(argv[1]);
        return old;
    }

    private static Object getAll(RedisModel redis, String[] argv) {
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 1; i < argv.length; i++) {
            Database.Entry entry = redis.db().entry(argv[i]);
            values.add(entry != null && entry.value instanceof String text ? text : null);
        }
        return values;
    }

    private static Object length(RedisModel redis, String[] argv) {
        String value = redis.db().get(argv[1], String.class);
        return value == null ? 0L : (long) value.length();
    }

    private static Object range(RedisModel redis, String[] argv) {
        long from = Numbers.parseLong(argv[2]);
        long to = Numbers.parseLong(argv[3]);
        String value = redis.db().get(argv[1], String.class);
        if (value == null || (from < 0 && to < 0 && from > to)) {
            return "";
        }
        long first = Math.max(0, from < 0 ? from + value.length() : from);
        long last = Math.min(value.length() - 1, Math.max(0, to < 0 ? to + value.length() : to));
        return first > last ? "" : value.substring((int) first, (int) last + 1);
    }

    private static Object append(RedisModel redis, String[] argv) {
        String value = redis.db().getOrCreate(argv[1], String.class, () -> "") + argv[2];
        replace(redis, argv[1], value);
        return (long) value.length();
    }

    private static Object subtract(RedisModel redis, String[] argv) {
        long by = Numbers.parseLong(argv[2]);
        if (by == Long.MIN_VALUE) {
            throw new RedisError("ERR decrement would overflow");
        }
        return add(redis, argv[1], -by);
    }

    private static Object add(RedisModel redis, String key, long by) {
        String old = redis.db().get(key, String.class);
        long sum = sum(old == null ? 0 : Numbers.parseLong(old), by);
        replace(redis, key, Long.toString(sum));
        return sum;
    }

    static long sum(long a, long b) {
        try {
            return Math.addExact(a, b);
        } catch (ArithmeticException e) {
            throw new RedisError("ERR increment or decrement would overflow");
        }
    }

    /** Changes the value and leaves the expiry. */
    private static void replace(RedisModel redis, String key, String value) {
        Database.Entry entry = redis.db().entry(key);
        if (entry == null) {
            redis.db().put(key, value);
        } else {
            entry.value = value;
        }
    }
}
