package io.holdfast.redis;

import static io.holdfast.redis.RedisStore.number;
import static io.holdfast.redis.RedisStore.text;

import io.holdfast.spi.LockInfo;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import io.holdfast.spi.StoreHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Reads what stands in Redis, for people. Key by key, so a busy lock may change between two readings. */
final class Inspection {
    private final RedisLink link;
    private final Keys keys;
    private final Duration timeout;

    Inspection(RedisLink link, Keys keys, Duration timeout) {
        this.link = link;
        this.keys = keys;
        this.timeout = timeout;
    }

    CompletionStage<List<LockInfo>> locks(String pattern) {
        String glob = escaped(keys.lock("")) + escaped(pattern);
        return scan(glob, "0", new ArrayList<>());
    }

    private CompletionStage<List<LockInfo>> scan(String glob, String cursor, List<LockInfo> found) {
        return link.command(timeout, "SCAN", cursor, "MATCH", glob, "COUNT", "500")
                .thenCompose(answer -> {
                    List<?> page = (List<?>) answer.value();
                    CompletionStage<List<LockInfo>> all = CompletableFuture.completedFuture(found);
                    for (Object key : (List<?>) page.get(1)) {
                        if (keys.isLock(text(key))) {
                            all = all.thenCompose(sofar -> read(text(key), sofar));
                        }
                    }
                    String next = text(page.get(0));
                    return next.equals("0") ? all : all.thenCompose(sofar -> scan(glob, next, sofar));
                });
    }

    private CompletionStage<List<LockInfo>> read(String key, List<LockInfo> found) {
        String name = keys.name(key);
        return link.command(timeout, "GET", key)
                .thenCompose(value -> link.command(timeout, "PTTL", key)
                        .thenCompose(ttl -> link.command(timeout, "ZRANGE", keys.queue(name), "0", "-1")
                                .thenApply(queue -> {
                                    if (value.value() instanceof byte[] held) {
                                        found.add(describe(
                                                name, text(held), number(ttl.value()), (List<?>) queue.value()));
                                    }
                                    return found;
                                })));
    }

    private static LockInfo describe(String name, String value, long ttl, List<?> queue) {
        int mark = value.lastIndexOf(':');
        boolean ours = value.startsWith("hf1:")
                && mark > 4
                && value.substring(mark + 1).matches("[0-9]{1,18}");
        return new LockInfo(
                name,
                Optional.of(ours ? value.substring(4, mark) : value),
                ours ? OptionalLong.of(Long.parseLong(value.substring(mark + 1))) : OptionalLong.empty(),
                Duration.ofMillis(Math.max(0, ttl)),
                queue.stream().map(RedisStore::text).toList());
    }

    CompletionStage<StoreHealth> health(Platform platform) {
        long sent = platform.nanoTime();
        return link.command(timeout, "PING")
                .handle((answer, error) -> {
                    if (error != null) {
                        String reason = error.getMessage() == null ? error.toString() : error.getMessage();
                        return CompletableFuture.completedFuture(
                                new StoreHealth(false, Duration.ZERO, List.of(reason)));
                    }
                    Duration roundTrip = Duration.ofNanos(platform.nanoTime() - sent);
                    return link.command(timeout, "INFO", "memory")
                            .handle((info, denied) -> denied == null
                                    ? new StoreHealth(true, roundTrip, eviction(text(info.value())))
                                    : new StoreHealth(true, roundTrip, List.of(unreadable(denied))));
                })
                .thenCompose(health -> health);
    }

    private static List<String> eviction(String info) {
        String policy = field(info, "maxmemory_policy");
        boolean limited = !field(info, "maxmemory").equals("0");
        if (!limited || policy.equals("noeviction") || policy.isEmpty()) {
            return List.of();
        }
        return List.of(
                "maxmemory-policy is " + policy + ": when memory runs out the server may evict a lock that is held,"
                        + " and two may hold it at once; set maxmemory-policy noeviction");
    }

    private static String unreadable(Throwable denied) {
        String reason = denied instanceof StoreFailure failure ? failure.reason() : denied.toString();
        return "the eviction policy cannot be read (" + reason + "): see that it is noeviction";
    }

    private static String field(String info, String name) {
        return info.lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).trim())
                .findFirst()
                .orElse("");
    }

    /** Only * means more than itself. */
    private static String escaped(String text) {
        return text.replaceAll("[?\\[\\]^\\\\]", "\\\\$0");
    }
}
