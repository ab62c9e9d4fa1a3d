package io.holdfast.simulation.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Commands out of a grammar, over so few keys that types and members meet. One in twenty has a word too many or too few. */
final class RandomCommands {
    private static final List<String> TEMPLATES = List.of(
            "GET k",
            "SET k v",
            "SET k v setopt",
            "SET k v setopt setopt",
            "SET k n",
            "GETSET k v",
            "GETDEL k",
            "SETNX k v",
            "SETEX k far v",
            "PSETEX k farms v",
            "MGET k k k",
            "STRLEN k",
            "GETRANGE k i i",
            "APPEND k v",
            "DEL k",
            "DEL k k",
            "UNLINK k",
            "EXISTS k",
            "EXISTS k k k",
            "TYPE k",
            "EXPIRE k far",
            "PEXPIRE k farms",
            "PEXPIRE k farms once",
            "EXPIREAT k at",
            "PEXPIREAT k atms",
            "PEXPIREAT k atms cond",
            "PEXPIREAT k atms cond cond",
            "PEXPIREAT k 1000",
            "PERSIST k",
            "TTL k",
            "PTTL k",
            "EXPIRETIME k",
            "PEXPIRETIME k",
            "INCR k",
            "DECR k",
            "INCRBY k i",
            "DECRBY k i",
            "HSET k m v",
            "HSET k m n",
            "HSET k m v m v",
            "HSETNX k m v",
            "HGET k m",
            "HDEL k m",
            "HDEL k m m",
            "HLEN k",
            "HGETALL k",
            "HEXISTS k m",
            "HINCRBY k m i",
            "HMGET k m m",
            "HKEYS k",
            "HVALS k",
            "ZADD k s m",
            "ZADD k s m s m",
            "ZADD k zopt s m",
            "ZADD k zopt zopt s m",
            "ZADD k zopt zopt s m s m",
            "ZREM k m",
            "ZREM k m m",
            "ZSCORE k m",
            "ZRANK k m",
            "ZREVRANK k m",
            "ZCARD k",
            "ZPOPMIN k",
            "ZPOPMAX k",
            "ZPOPMIN k c",
            "ZINCRBY k s m",
            "ZRANGE k i i",
            "ZRANGE k i i ropt",
            "ZRANGE k i i ropt ropt",
            "ZRANGE k b b BYSCORE",
            "ZRANGE k b b BYSCORE ropt",
            "ZRANGE k b b BYSCORE LIMIT i i ropt",
            "ZREVRANGE k i i",
            "ZREVRANGE k i i WITHSCORES",
            "ZRANGEBYSCORE k b b",
            "ZRANGEBYSCORE k b b WITHSCORES LIMIT i i",
            "ZCOUNT k b b",
            "ZREMRANGEBYSCORE k b b",
            "ZREMRANGEBYRANK k i i",
            "LPUSH k m",
            "RPUSH k m v",
            "LPOP k",
            "RPOP k",
            "LPOP k c",
            "RPOP k c",
            "LRANGE k i i",
            "LLEN k",
            "LINDEX k i",
            "LREM k i m",
            "SADD k m",
            "SADD k m m",
            "SREM k m",
            "SISMEMBER k m",
            "SMEMBERS k",
            "SCARD k",
            "PUBLISH inbox:a v",
            "PUBLISH other v",
            "PUBSUB NUMSUB",
            "PUBSUB NUMSUB inbox:a other",
            "SCAN 0 MATCH g COUNT 100",
            "SCAN 0 COUNT 100 TYPE type",
            "KEYS g",
            "DBSIZE",
            "PING",
            "PING v",
            "ECHO v",
            "NOSUCH v k",
            "nosuch",
            "get k",
            "Set k v");

    private static final List<String> KEYS = List.of("k1", "k2", "k3", "k4", "ключ");
    private static final List<String> MEMBERS = List.of("a", "b", "c", "ab", "é", "");
    private static final List<String> VALUES = List.of("v", "", "10", "-3", "hello world", "é", "1.5", "01");
    private static final List<String> INTEGERS = List.of(
            "0",
            "1",
            "2",
            "-1",
            "-2",
            "5",
            "100",
            "abc",
            "1.5",
            "",
            "+1",
            " 1",
            "01",
            "-0",
            "9223372036854775807",
            "-9223372036854775808",
            "99999999999999999999");
    private static final List<String> SCORES = List.of(
            "0",
            "1",
            "2",
            "-1",
            "1.5",
            "0.1",
            "1e3",
            "1794744602781641",
            "9007199254740993",
            "1e17",
            "-0",
            "inf",
            "-inf",
            "+inf",
            "abc",
            "",
            "nan",
            " 1",
            "1e400",
            "3.0",
            "123456789.125");
    private static final List<String> BOUNDS =
            List.of("-inf", "+inf", "0", "1", "(1", "2", "(2", "1.5", "abc", "(", "1000");
    private static final List<String> SET_OPTIONS =
            List.of("NX", "XX", "GET", "KEEPTTL", "PX farms", "EX far", "PXAT atms", "EXAT at", "nx", "FOO", "PX");
    private static final List<String> GLOBS =
            List.of("*", "k*", "k?", "k[12]", "k[^1]", "[j-l]3", "\\k1", "*4", "x", "k[1", "**2");
    private static final List<String> TIMES =
            List.of("-1", "0", "abc", "1.5", "9223372036854775807", "-9223372036854775808");

    private final Random random;
    private final long base = System.currentTimeMillis() / 1000;

    RandomCommands(Random random) {
        this.random = random;
    }

    String[] next() {
        List<String> words = new ArrayList<>();
        for (String word : pick(TEMPLATES).split(" ", -1)) {
            words.add(fill(word));
        }
        int slip = random.nextInt(40);
        if (slip == 0) {
            words.add(pick(VALUES));
        } else if (slip == 1 && words.size() > 1) {
            words.remove(words.size() - 1);
        }
        return words.stream().flatMap(RandomCommands::split).toArray(String[]::new);
    }

    /** An option may be of several words; no value is that begins like one. */
    private static Stream<String> split(String word) {
        return word.matches("(PX|EX|PXAT|EXAT|LIMIT) .*") ? Stream.of(word.split(" ", -1)) : Stream.of(word);
    }

    String key() {
        return pick(KEYS);
    }

    private String fill(String word) {
        return switch (word) {
            case "k" -> key();
            case "m" -> pick(MEMBERS);
            case "v" -> pick(VALUES);
            case "n" -> Integer.toString(random.nextInt(100));
            case "i" -> pick(INTEGERS);
            case "c" -> pick(List.of("0", "1", "2", "-1", "x"));
            case "s" -> pick(SCORES);
            case "b" -> pick(BOUNDS);
            case "g" -> pick(GLOBS);
            case "type" -> pick(List.of("string", "hash", "ZSET", "list", "set", "none"));
            // Relative and absolute times are never near each other, so that what is longer does not depend on the
            // clock.
            case "far" -> time(1000, 0);
            case "farms" -> time(1_000_000, 0);
            case "at" -> time(1000, base + 500);
            case "atms" -> time(1_000_000, 1000 * base + 500_000);
            case "once" -> pick(List.of("NX", "XX", "nx", "FOO"));
            case "cond" -> pick(List.of("NX", "XX", "GT", "LT"));
            case "zopt" -> pick(List.of("NX", "XX", "GT", "LT", "CH", "INCR", "ch"));
            case "ropt" -> pick(List.of("REV", "WITHSCORES", "rev", "BYSCORE", "LIMIT 0 1", "FOO"));
            case "setopt" -> option(pick(SET_OPTIONS));
            default -> word;
        };
    }

    private String option(String option) {
        int space = option.indexOf(' ');
        return space < 0 ? option : option.substring(0, space + 1) + fill(option.substring(space + 1));
    }

    private String time(long unit, long from) {
        return random.nextInt(8) == 0 ? pick(TIMES) : Long.toString(from + unit * (1 + random.nextInt(9)));
    }

    <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
