package io.holdfast.simulation.redis;

import io.holdfast.simulation.redis.ListCommands.Slice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** Sorted sets, range by range. */
final class SortedSetRanges {
    private SortedSetRanges() {}

    static void addTo(Commands all) {
        all.read("zrange", -4, (redis, argv) -> range(redis, argv, new Options(false, false, true)));
        all.read("zrevrange", -4, (redis, argv) -> range(redis, argv, new Options(false, true, false)));
        all.read("zrangebyscore", -4, (redis, argv) -> range(redis, argv, new Options(true, false, false)));
        all.read("zcount", 4, SortedSetRanges::count);
        all.reduce("zremrangebyscore", 4, SortedSetRanges::removeByScore);
        all.reduce("zremrangebyrank", 4, SortedSetRanges::removeByRank);
    }

    private static Object range(RedisModel redis, String[] argv, Options options) {
        options.parse(argv);
        List<SortedSet.Item> found =
                options.byScore ? byScore(redis, argv, options) : byRank(redis, argv, options.reverse);
        List<Object> reply = new ArrayList<>();
        for (SortedSet.Item item : found) {
            reply.add(item.member());
            if (options.withScores) {
                reply.add(Numbers.precise(item.score()));
            }
        }
        return reply;
    }

    private static List<SortedSet.Item> byRank(RedisModel redis, String[] argv, boolean reverse) {
        long start = Numbers.parseLong(argv[2]);
        long end = Numbers.parseLong(argv[3]);
        List<SortedSet.Item> items = SortedSetCommands.zset(redis, argv[1]).items();
        if (reverse) {
            items = new ArrayList<>(items);
            Collections.reverse(items);
        }
        Slice slice = Slice.of(start, end, items.size());
        return items.subList(slice.from(), slice.to());
    }

    private static List<SortedSet.Item> byScore(RedisModel redis, String[] argv, Options options) {
        Scores scores = options.reverse ? Scores.parse(argv[3], argv[2]) : Scores.parse(argv[2], argv[3]);
        List<SortedSet.Item> items = scores.in(SortedSetCommands.zset(redis, argv[1]));
        if (options.reverse) {
            Collections.reverse(items);
        }
        if (options.offset < 0 || options.offset >= items.size()) {
            return List.of();
        }
        long left = items.size() - options.offset;
        long to = options.offset + (options.limit < 0 ? left : Math.min(left, options.limit));
        return items.subList((int) options.offset, (int) to);
    }

    private static Object count(RedisModel redis, String[] argv) {
        Scores scores = Scores.parse(argv[2], argv[3]);
        return (long) scores.in(SortedSetCommands.zset(redis, argv[1])).size();
    }

    private static Object removeByScore(RedisModel redis, String[] argv) {
        Scores scores = Scores.parse(argv[2], argv[3]);
        return remove(redis, argv[1], scores.in(SortedSetCommands.zset(redis, argv[1])));
    }

    private static Object removeByRank(RedisModel redis, String[] argv) {
        return remove(redis, argv[1], new ArrayList<>(byRank(redis, argv, false)));
    }

    private static Object remove(RedisModel redis, String key, List<SortedSet.Item> items) {
        SortedSet zset = SortedSetCommands.zset(redis, key);
        items.forEach(item -> zset.remove(item.member()));
        redis.db().removeIf(key, zset.isEmpty());
        return (long) items.size();
    }

    /** From a score to a score, each with or without itself. */
    private record Scores(double min, boolean aboveMin, double max, boolean belowMax) {
        private static final String ERROR = "ERR min or max is not a float";

        static Scores parse(String min, String max) {
            boolean aboveMin = min.startsWith("(");
            boolean belowMax = max.startsWith("(");
            return new Scores(
                    bound(aboveMin ? min.substring(1) : min),
                    aboveMin,
                    bound(belowMax ? max.substring(1) : max),
                    belowMax);
        }

        /** Read with less care than a score: nothing is 0. */
        private static double bound(String text) {
            return text.isEmpty() ? 0 : Numbers.parseScore(text.stripLeading(), ERROR);
        }

        List<SortedSet.Item> in(SortedSet zset) {
            List<SortedSet.Item> found = new ArrayList<>();
            for (SortedSet.Item item : zset.items()) {
                double score = item.score();
                if ((aboveMin ? score > min : score >= min) && (belowMax ? score < max : score <= max)) {
                    found.add(item);
                }
            }
            return found;
        }
    }

    private static final class Options {
        boolean byScore;
        boolean reverse;
        final boolean free;
        boolean withScores;
        long offset;
        long limit = -1;
        private boolean limited;

        /**
         * What the command itself says.
         *
         * @param free whether words may say more: only those of ZRANGE may
         */
        Options(boolean byScore, boolean reverse, boolean free) {
            this.byScore = byScore;
            this.reverse = reverse;
            this.free = free;
        }

        void parse(String[] argv) {
            for (int i = 4; i < argv.length; i++) {
                String word = argv[i].toUpperCase(Locale.ROOT);
                if (word.equals("WITHSCORES")) {
                    withScores = true;
                } else if (word.equals("LIMIT") && i + 2 < argv.length) {
                    offset = Numbers.parseLong(argv[i + 1]);
                    limit = Numbers.parseLong(argv[i + 2]);
                    limited = true;
                    i += 2;
                } else if (free && !reverse && word.equals("REV")) {
                    reverse = true;
                } else if (free && !byScore && word.equals("BYSCORE")) {
                    byScore = true;
                } else {
                    throw RedisError.syntax();
                }
            }
            if (limited && !byScore) {
                throw new RedisError(
                        "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or" + " BYLEX");
            }
        }
    }
}
