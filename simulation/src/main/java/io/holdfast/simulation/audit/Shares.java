package io.holdfast.simulation.audit;

import io.holdfast.simulation.redis.RedisModel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How several share a lock, as the server has it.
 *
 * @param expiries until when, by owner
 * @param holds token and weight by owner, and under {@code =} what goes for all
 */
record Shares(Map<String, Long> expiries, Map<String, String> holds) {

    static Shares of(RedisModel model, String lock, String queue) {
        if (!model.type(lock).equals("zset")) {
            return new Shares(Map.of(), Map.of());
        }
        Map<String, Long> expiries = new LinkedHashMap<>();
        model.sortedSet(lock).forEach((owner, expiry) -> expiries.put(owner, (long) (double) expiry));
        return new Shares(expiries, model.hash(queue.replaceFirst("~queue:", "~holds:")));
    }

    long token(String owner) {
        String hold = holds.get(owner);
        return hold == null
                ? 0
                : Long.parseLong(hold.substring(0, hold.indexOf(' ')).split("\\+", -1)[0]);
    }

    /** The last of the tokens that came with it. */
    long lastToken(String owner) {
        String hold = holds.getOrDefault(owner, "0 0");
        String[] tokens = hold.substring(0, hold.indexOf(' ')).split("\\+", -1);
        return Long.parseLong(tokens[0]) + (tokens.length > 1 ? Long.parseLong(tokens[1]) : 0);
    }

    boolean covers(String owner, long token, long nowMillis) {
        return expiries.getOrDefault(owner, 0L) > nowMillis && token(owner) <= token && token <= lastToken(owner);
    }

    /** Added up, not as the server has written it down. */
    private long weights(List<String> living) {
        return living.stream()
                .mapToLong(owner -> {
                    String hold = holds.getOrDefault(owner, "0 0");
                    return Long.parseLong(hold.substring(hold.indexOf(' ') + 1));
                })
                .sum();
    }

    /** Those whose time is not over. */
    List<String> living(long nowMillis) {
        return expiries.keySet().stream()
                .filter(owner -> expiries.getOrDefault(owner, 0L) > nowMillis)
                .toList();
    }

    /** Whether what is held leaves room for what a ticket asks for. */
    boolean fits(@Nullable String whole, String ticket, long nowMillis) {
        if (whole != null) {
            return false;
        }
        String state = holds.get("=");
        List<String> living = living(nowMillis);
        if (living.isEmpty() || state == null) {
            return true;
        }
        String[] held = state.split(" ", -1);
        String[] wanted = ticket.split(" ", -1);
        String kind = wanted.length > 3 ? wanted[3] : "x";
        return kind.equals(held[0])
                && (kind.equals("r") || weights(living) + Long.parseLong(wanted[4]) <= Long.parseLong(held[2]));
    }
}
