package io.holdfast.simulation.redis;

import io.holdfast.simulation.redis.Database.Members;
import java.util.List;

/** Sets. */
final class SetCommands {
    private static final Members NONE = new Members();

    private SetCommands() {}

    static void addTo(Commands all) {
        all.write("sadd", -3, SetCommands::add);
        all.reduce("srem", -3, SetCommands::remove);
        all.read("sismember", 3, (redis, argv) -> set(redis, argv).contains(argv[2]) ? 1L : 0L);
        all.read("smembers", 2, (redis, argv) -> List.copyOf(set(redis, argv)));
        all.read("scard", 2, (redis, argv) -> (long) set(redis, argv).size());
    }

    private static Members set(RedisModel redis, String[] argv) {
        Members set = redis.db().get(argv[1], Members.class);
        return set == null ? NONE : set;
    }

    private static Object add(RedisModel redis, String[] argv) {
        Members set = redis.db().getOrCreate(argv[1], Members.class, Members::new);
        long added = 0;
        for (int i = 2; i < argv.length; i++) {
            added += set.add(argv[i]) ? 1 : 0;
        }
        return added;
    }

    private static Object remove(RedisModel redis, String[] argv) {
        Members set = redis.db().get(argv[1], Members.class);
        if (set == null) {
            return 0L;
        }
        long removed = 0;
        for (int i = 2; i < argv.length; i++) {
            removed += set.remove(argv[i]) ? 1 : 0;
        }
        redis.db().removeIf(argv[1], set.isEmpty());
        return removed;
    }
}
