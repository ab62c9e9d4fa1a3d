package io.holdfast.simulation.redis;

import io.holdfast.simulation.redis.Database.Sequence;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists. */
final class ListCommands {
    private static final Sequence NONE = new Sequence();

    private ListCommands() {}

    static void addTo(Commands all) {
        all.write("lpush", -3, (redis, argv) -> push(redis, argv, true));
        all.write("rpush", -3, (redis, argv) -> push(redis, argv, false));
        all.reduce("lpop", -2, (redis, argv) -> pop(redis, argv, true));
        all.reduce("rpop", -2, (redis, argv) -> pop(redis, argv, false));
        all.read("llen", 2, (redis, argv) -> (long) list(redis, argv).size());
        all.read("lrange", 4, ListCommands::range);
        all.read("lindex", 3, ListCommands::index);
        all.reduce("lrem", 4, ListCommands::remove);
    }

    private static Sequence list(RedisModel redis, String[] argv) {
        Sequence list = redis.db().get(argv[1], Sequence.class);
        return list == null ? NONE : list;
    }

    private static Object push(RedisModel redis, String[] argv, boolean left) {
        Sequence list = redis.db().getOrCreate(argv[1], Sequence.class, Sequence::new);
        for (int i = 2; i < argv.length; i++) {
            list.add(left ? 0 : list.size(), argv[i]);
        }
        return (long) list.size();
    }

    private static @Nullable Object pop(RedisModel redis, String[] argv, boolean left) {
        if (argv.length > 3) {
            throw RedisError.arguments(left ? "lpop" : "rpop");
        }
        long count = argv.length == 3 ? count(argv[2]) : 1;
        Sequence list = redis.db().get(argv[1], Sequence.class);
        if (list == null) {
            return null;
        }
        List<Object> popped = new ArrayList<>();
        while (popped.size() < count && !list.isEmpty()) {
            popped.add(list.remove(left ? 0 : list.size() - 1));
        }
        redis.db().removeIf(argv[1], list.isEmpty());
        return argv.length == 3 ? popped : popped.get(0);
    }

    static long count(String text) {
        Long count = Numbers.longOrNull(text);
        if (count == null || count < 0) {
            throw new RedisError("ERR value is out of range, must be positive");
        }
        return count;
    }

    private static Object range(RedisModel redis, String[] argv) {
        long start = Numbers.parseLong(argv[2]);
        long end = Numbers.parseLong(argv[3]);
        Sequence list = list(redis, argv);
        Slice slice = Slice.of(start, end, list.size());
        return List.copyOf(list.subList(slice.from(), slice.to()));
    }

    private static @Nullable Object index(RedisModel redis, String[] argv) {
        Sequence list = list(redis, argv);
        if (list.isEmpty()) {
            return null;
        }
        long index = Numbers.parseLong(argv[2]);
        long at = index < 0 ? index + list.size() : index;
        return at < 0 || at >= list.size() ? null : list.get((int) at);
    }

    private static Object remove(RedisModel redis, String[] argv) {
        long count = Numbers.parseLong(argv[2]);
        Sequence list = redis.db().get(argv[1], Sequence.class);
        if (list == null) {
            return 0L;
        }
        // The lowest number has no opposite, and to Redis then is no limit.
        long most = count == 0 || count == Long.MIN_VALUE ? Long.MAX_VALUE : Math.abs(count);
        long removed = 0;
        for (int at; removed < most && (at = find(list, argv[3], count < 0)) >= 0; removed++) {
            list.remove(at);
        }
        redis.db().removeIf(argv[1], list.isEmpty());
        return removed;
    }

    private static int find(Sequence list, String element, boolean fromTheEnd) {
        return fromTheEnd ? list.lastIndexOf(element) : list.indexOf(element);
    }

    /** From the first to before the last, for bounds that may count from the end or lie outside. */
    record Slice(int from, int to) {
        static Slice of(long start, long end, int size) {
            long from = Math.max(0, start < 0 ? start + size : start);
            long to = Math.min(size - 1L, end < 0 ? end + size : end);
            return from > to ? new Slice(0, 0) : new Slice((int) from, (int) to + 1);
        }
    }
}
