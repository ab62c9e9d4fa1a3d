package io.holdfast.simulation.redis;

import io.holdfast.simulation.redis.Database.Hash;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Hashes. */
final class HashCommands {
    private static final Hash NONE = new Hash();

    private HashCommands() {}

    static void addTo(Commands all) {
        all.write("hset", -4, HashCommands::set);
        all.write("hsetnx", 4, HashCommands::setIfAbsent);
        all.read("hget", 3, (redis, argv) -> hash(redis, argv).get(argv[2]));
        all.read("hmget", -3, HashCommands::getSome);
        all.read("hgetall", 2, HashCommands::getAll);
        all.read("hkeys", 2, (redis, argv) -> List.copyOf(hash(redis, argv).keySet()));
        all.read("hvals", 2, (redis, argv) -> List.copyOf(hash(redis, argv).values()));
        all.read("hlen", 2, (redis, argv) -> (long) hash(redis, argv).size());
        all.read("hexists", 3, (redis, argv) -> hash(redis, argv).containsKey(argv[2]) ? 1L : 0L);
        all.reduce("hdel", -3, HashCommands::delete);
        all.write("hincrby", 4, HashCommands::add);
    }

    private static Hash hash(RedisModel redis, String[] argv) {
        Hash hash = redis.db().get(argv[1], Hash.class);
        return hash == null ? NONE : hash;
    }

    private static Object set(RedisModel redis, String[] argv) {
        if (argv.length % 2 != 0) {
            throw RedisError.arguments("hset");
        }
        Hash hash = redis.db().getOrCreate(argv[1], Hash.class, Hash::new);
        long added = 0;
        for (int i = 2; i < argv.length; i += 2) {
            added += hash.put(argv[i], argv[i + 1]) == null ? 1 : 0;
        }
        return added;
    }

    private static Object setIfAbsent(RedisModel redis, String[] argv) {
        Hash hash = redis.db().getOrCreate(argv[1], Hash.class, Hash::new);
        return hash.putIfAbsent(argv[2], argv[3]) == null ? 1L : 0L;
    }

    private static Object getSome(RedisModel redis, String[] argv) {
        Hash hash = hash(redis, argv);
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 2; i < argv.length; i++) {
            values.add(hash.get(argv[i]));
        }
        return values;
    }

    private static Object getAll(RedisModel redis, String[] argv) {
        List<Object> all = new ArrayList<>();
        hash(redis, argv).forEach((field, value) -> {
            all.add(field);
            all.add(value);
        });
        return all;
    }

    private static Object delete(RedisModel redis, String[] argv) {
        Hash hash = redis.db().get(argv[1], Hash.class);
        if (hash == null) {
            return 0L;
        }
        long deleted = 0;
        for (int i = 2; i < argv.length; i++) {
            deleted += hash.remove(argv[i]) == null ? 0 : 1;
        }
        redis.db().removeIf(argv[1], hash.isEmpty());
        return deleted;
    }

    private static Object add(RedisModel redis, String[] argv) {
        long by = Numbers.parseLong(argv[3]);
        String old = hash(redis, argv).get(argv[2]);
        Long value = old == null ? Long.valueOf(0) : Numbers.longOrNull(old);
        if (value == null) {
            throw new RedisError("ERR hash value is not an integer");
        }
        long sum = StringCommands.sum(value, by);
        redis.db().getOrCreate(argv[1], Hash.class, Hash::new).put(argv[2], Long.toString(sum));
        return sum;
    }
}
