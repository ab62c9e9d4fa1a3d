package io.holdfast.redis;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what stands in Redis, for people. Key by key, so a busy lock may change between two readings. */
final class Inspection {
    /** Owner and token; the tokens that are reserved behind it are nobody's yet. */
    private static final Pattern OURS = Pattern.compile("hf1:(.+):([0-9]{1,18})(?:\\+[0-9]{1,9})?", Pattern.DOTALL);

    private final RedisLink link;
    private final Keys keys;
    private final Duration timeout;

    Inspection(RedisLink link, Keys keys, Duration timeout) {
        this.link = link;
        this.keys = keys;
        this.timeout = timeout;
    }

    /** Blocks for as long as it reads: a chain of stages would be as deep as there are pages. */
    CompletionStage<List<LockInfo>> locks(String pattern) {
        try {
            return CompletableFuture.completedFuture(scan(escaped(keys.lock("")) + escaped(pattern)));
        } catch (CompletionException e) {
            return CompletableFuture.failedFuture(e.getCause() == null ? e : e.getCause());
        } catch (StoreFailure e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private List<LockInfo> scan(String glob) {
        // A scan may list a key twice.
        Map<String, LockInfo> found = new LinkedHashMap<>();
        Set<String> passed = new HashSet<>();
        String cursor = "0";
        do {
            Reply page = ask("SCAN", cursor, "MATCH", glob, "COUNT", "500");
            for (Object listed : page.part(1).list(0)) {
                String key = Reply.text(listed);
                if (keys.isLock(key)) {
                    read(key).ifPresent(lock -> found.put(lock.name(), lock));
                }
            }
            cursor = page.part(0).text();
            if (!passed.add(cursor)) {
                // A scan goes forward; one that comes round again would never end.
                throw page.nonsense();
            }
        } while (!cursor.equals("0"));
        return List.copyOf(found.values());
    }

    private Optional<LockInfo> read(String key) {
        String name = keys.name(key);
        try {
            Reply value = ask("GET", key);
            if (value.isNothing()) {
                return Optional.empty();
            }
            long ttl = ask("PTTL", key).number();
            List<?> queue = ask("ZRANGE", keys.queue(name), "0", "-1").list(0);
            return Optional.of(describe(name, value.text(), ttl, queue));
        } catch (CompletionException e) {
            if (e.getCause() instanceof StoreFailure failure && failure.reason().contains("WRONGTYPE")) {
                return shared(key);
            }
            throw e;
        }
    }

    private Optional<LockInfo> shared(String key) {
        String name = keys.name(key);
        if (ask("HGET", keys.holds(name), "=").isNothing()) {
            return Optional.empty(); // whatever it is, it is no lock
        }
        Reply time = ask("TIME");
        long millis = 1_000 * time.part(0).count() + time.part(1).count() / 1_000;
        List<?> holders = ask("ZRANGE", key, "(" + millis, "+inf", "BYSCORE").list(0);
        List<?> queue = ask("ZRANGE", keys.queue(name), "0", "-1").list(0);
        return Optional.of(new LockInfo(
                name,
                Optional.empty(),
                OptionalLong.empty(),
                Duration.ofMillis(Math.max(0, ask("PTTL", key).number())),
                queue.stream().map(Reply::text).toList(),
                holders.stream().map(Reply::text).toList()));
    }

    private Reply ask(String... command) {
        return new Reply(
                link, link.command(timeout, command).toCompletableFuture().join());
    }

    private static LockInfo describe(String name, String value, long ttl, List<?> queue) {
        Matcher ours = OURS.matcher(value);
        boolean isOurs = ours.matches();
        return new LockInfo(
                name,
                Optional.of(isOurs ? ours.group(1) : value),
                isOurs ? OptionalLong.of(Long.parseLong(ours.group(2))) : OptionalLong.empty(),
                Duration.ofMillis(Math.max(0, ttl)),
                queue.stream().map(Reply::text).toList());
    }

    /** Only * means more than itself. */
    private static String escaped(String text) {
        return text.replaceAll("[?\\[\\]^\\\\]", "\\\\$0");
    }
}
