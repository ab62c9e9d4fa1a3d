package io.holdfast.redis;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockInfo.Party;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
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

    private static final Pattern TOKEN_FIRST = Pattern.compile("([0-9]{1,18})(?:\\+[0-9]{1,9})? .*");

    /** What others have put there may be of any size, and no more than this of it is read; ours is shorter. */
    static final String LONGEST_VALUE = "1023";

    private static final long GONE = -2;

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
            if (pattern.indexOf('*') < 0) {
                // One name needs no look at all the others.
                String key = keys.lock(pattern);
                return CompletableFuture.completedFuture(
                        keys.isLock(key) ? read(key).stream().toList() : List.of());
            }
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
            Reply value = ask("GETRANGE", key, "0", LONGEST_VALUE);
            long ttl = ask("PTTL", key).number();
            if (ttl == GONE) {
                return Optional.empty();
            }
            List<Party> line = line(name);
            return Optional.of(describe(name, value.text(), ttl, line, micros()));
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
        long now = micros();
        List<String> holders = ask("ZRANGE", key, "(" + now / 1_000, "+inf", "BYSCORE").list(0).stream()
                .map(Reply::text)
                .toList();
        List<Party> shares = new ArrayList<>();
        for (String holder : holders) {
            Reply share = ask("HGET", keys.holds(name), holder);
            Matcher token = TOKEN_FIRST.matcher(share.isNothing() ? "" : share.text());
            shares.add(token.matches() ? holder(holder, Long.parseLong(token.group(1)), now) : Party.of(holder));
        }
        List<Party> line = line(name);
        return Optional.of(new LockInfo(
                name,
                Optional.empty(),
                OptionalLong.empty(),
                Duration.ofMillis(Math.max(0, ask("PTTL", key).number())),
                line.stream().map(Party::owner).toList(),
                holders,
                List.copyOf(shares),
                line));
    }

    private long micros() {
        Reply time = ask("TIME");
        return 1_000_000 * time.part(0).count() + time.part(1).count();
    }

    /** Those who wait. Their places are the times of their coming, unless two came at once. */
    private List<Party> line(String name) {
        Reply queue = ask("ZRANGE", keys.queue(name), "0", "-1", "WITHSCORES");
        long now = micros();
        List<Party> line = new ArrayList<>();
        List<?> parts = queue.list(0);
        // By the older protocol as one row, by the newer one as pairs.
        boolean pairs = !parts.isEmpty() && parts.get(0) instanceof List<?>;
        for (int i = 0; i < parts.size(); i += pairs ? 1 : 2) {
            Reply owner = pairs ? queue.part(i).part(0) : queue.part(i);
            Reply place = pairs ? queue.part(i).part(1) : queue.part(i + 1);
            line.add(party(owner.text(), OptionalLong.empty(), place.score(), now));
        }
        return List.copyOf(line);
    }

    /**
     * A token is the server's time in microseconds at which it was given, unless the counter was ahead of the clock: by less
     * than two seconds, after it was lost or has given many in a row. Renewal does not change it.
     */
    private static Party holder(String owner, long token, long now) {
        return party(owner, OptionalLong.of(token), token, now);
    }

    private static Party party(String owner, OptionalLong token, long sinceMicros, long now) {
        long since = Math.min(sinceMicros, now);
        return new Party(
                owner,
                token,
                Optional.of(Instant.EPOCH.plus(since, ChronoUnit.MICROS)),
                Optional.of(Duration.of(now - since, ChronoUnit.MICROS)));
    }

    private Reply ask(String... command) {
        return new Reply(
                link, link.command(timeout, command).toCompletableFuture().join());
    }

    private static LockInfo describe(String name, String value, long ttl, List<Party> line, long now) {
        Matcher ours = OURS.matcher(value);
        boolean isOurs = ours.matches();
        Party holder = isOurs ? holder(ours.group(1), Long.parseLong(ours.group(2)), now) : Party.of(value);
        return new LockInfo(
                name,
                Optional.of(holder.owner()),
                holder.token(),
                Duration.ofMillis(Math.max(0, ttl)),
                line.stream().map(Party::owner).toList(),
                List.of(),
                List.of(holder),
                line);
    }

    /** Only * means more than itself. */
    private static String escaped(String text) {
        return text.replaceAll("[?\\[\\]^\\\\]", "\\\\$0");
    }
}
