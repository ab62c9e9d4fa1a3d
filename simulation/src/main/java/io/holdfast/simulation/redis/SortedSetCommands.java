package io.holdfast.simulation.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Sorted sets, member by member. */
final class SortedSetCommands {
    static final SortedSet NONE = new SortedSet();

    private SortedSetCommands() {}

    static void addTo(Commands all) {
        all.write("zadd", -4, SortedSetCommands::add);
        all.write("zincrby", 4, SortedSetCommands::increase);
        all.reduce("zrem", -3, SortedSetCommands::remove);
        all.read("zscore", 3, (redis, argv) -> text(zset(redis, argv[1]).score(argv[2])));
        all.read("zrank", 3, (redis, argv) -> rank(zset(redis, argv[1]).rank(argv[2])));
        all.read("zrevrank", 3, SortedSetCommands::reverseRank);
        all.read("zcard", 2, (redis, argv) -> (long) zset(redis, argv[1]).size());
        all.reduce("zpopmin", -2, (redis, argv) -> pop(redis, argv, false));
        all.reduce("zpopmax", -2, (redis, argv) -> pop(redis, argv, true));
    }

    static SortedSet zset(RedisModel redis, String key) {
        SortedSet zset = redis.db().get(key, SortedSet.class);
        return zset == null ? NONE : zset;
    }

    static @Nullable String text(@Nullable Double score) {
        return score == null ? null : Numbers.precise(score);
    }

    private static @Nullable Object rank(int rank) {
        return rank < 0 ? null : (long) rank;
    }

    private static @Nullable Object reverseRank(RedisModel redis, String[] argv) {
        SortedSet zset = zset(redis, argv[1]);
        int rank = zset.rank(argv[2]);
        return rank < 0 ? null : (long) zset.size() - 1 - rank;
    }

    private static @Nullable Object add(RedisModel redis, String[] argv) {
        AddOptions options = AddOptions.parse(argv);
        double[] scores = new double[(argv.length - options.first) / 2];
        for (int i = 0; i < scores.length; i++) {
            scores[i] = Numbers.parseScore(argv[options.first + 2 * i], "ERR value is not a valid float");
        }
        SortedSet zset = redis.db().get(argv[1], SortedSet.class);
        if (zset == null) {
            if (options.xx) {
                return options.incr ? null : 0L;
            }
            zset = redis.db().getOrCreate(argv[1], SortedSet.class, SortedSet::new);
        }
        long added = 0;
        long updated = 0;
        Double result = null;
        for (int i = 0; i < scores.length; i++) {
            String member = argv[options.first + 2 * i + 1];
            Double old = zset.score(member);
            double score = options.incr && old != null ? sum(old, scores[i]) : scores[i];
            if (!options.allow(old, score)) {
                continue;
            }
            result = score;
            if (old == null) {
                added++;
                zset.put(member, score);
            } else if (old != score) {
                updated++;
                zset.put(member, score);
            }
        }
        redis.db().removeIf(argv[1], zset.isEmpty());
        return options.incr ? text(result) : (Object) (options.ch ? added + updated : added);
    }

    private static double sum(double a, double b) {
        if (Double.isNaN(a + b)) {
            throw new RedisError("ERR resulting score is not a number (NaN)");
        }
        return a + b;
    }

    private static @Nullable Object increase(RedisModel redis, String[] argv) {
        return add(redis, new String[] {"zadd", argv[1], "INCR", argv[2], argv[3]});
    }

    private static Object remove(RedisModel redis, String[] argv) {
        SortedSet zset = redis.db().get(argv[1], SortedSet.class);
        if (zset == null) {
            return 0L;
        }
        long removed = 0;
        for (int i = 2; i < argv.length; i++) {
            removed += zset.remove(argv[i]) ? 1 : 0;
        }
        redis.db().removeIf(argv[1], zset.isEmpty());
        return removed;
    }

    private static Object pop(RedisModel redis, String[] argv, boolean highest) {
        if (argv.length > 3) {
            throw RedisError.syntax();
        }
        long count = argv.length == 3 ? ListCommands.count(argv[2]) : 1;
        List<Object> popped = new ArrayList<>();
        SortedSet zset = redis.db().get(argv[1], SortedSet.class);
        if (zset == null) {
            return popped;
        }
        while (count-- > 0 && !zset.isEmpty()) {
            SortedSet.Item item = zset.at(highest ? zset.size() - 1 : 0);
            zset.remove(item.member());
            popped.add(item.member());
            popped.add(Numbers.precise(item.score()));
        }
        redis.db().removeIf(argv[1], zset.isEmpty());
        return popped;
    }

    private static final class AddOptions {
        boolean nx;
        boolean xx;
        boolean gt;
        boolean lt;
        boolean ch;
        boolean incr;
        int first = 2;

        static AddOptions parse(String[] argv) {
            AddOptions options = new AddOptions();
            while (options.first < argv.length && options.take(argv[options.first])) {
                options.first++;
            }
            int words = argv.length - options.first;
            if (words == 0 || words % 2 != 0) {
                throw RedisError.syntax();
            }
            if (options.nx && options.xx) {
                throw new RedisError("ERR XX and NX options at the same time are not compatible");
            }
            if ((options.gt && (options.nx || options.lt)) || (options.lt && options.nx)) {
                throw new RedisError("ERR GT, LT, and/or NX options at the same time are not compatible");
            }
            if (options.incr && words > 2) {
                throw new RedisError("ERR INCR option supports a single increment-element pair");
            }
            return options;
        }

        private boolean take(String word) {
            switch (word.toUpperCase(Locale.ROOT)) {
                case "NX" -> nx = true;
                case "XX" -> xx = true;
                case "GT" -> gt = true;
                case "LT" -> lt = true;
                case "CH" -> ch = true;
                case "INCR" -> incr = true;
                default -> {
                    return false;
                }
            }
            return true;
        }

        boolean allow(@Nullable Double old, double score) {
            if (old == null) {
                return !xx;
            }
            return !(nx || (gt && score <= old) || (lt && score >= old));
        }
    }
}
