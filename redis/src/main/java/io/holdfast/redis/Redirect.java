package io.holdfast.redis;

import io.holdfast.redis.link.RedisErrors;
import io.holdfast.spi.StoreFailure;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * A node's word that another one has the slot.
 *
 * @param once whether that holds for one command only, since the slot is still on its way
 */
record Redirect(boolean once, int slot, HostAndPort to) {
    private static final Pattern WORDS = Pattern.compile("(MOVED|ASK) ([0-9]{1,5}) (.*):([0-9]{1,5})");

    /** What the failure says; null if it is something else. */
    static @Nullable Redirect of(StoreFailure failure, HostAndPort asked) {
        String error = error(failure);
        if (error == null || RedisErrors.answer(error) != RedisErrors.Answer.REDIRECT) {
            return null;
        }
        Matcher words = WORDS.matcher(error);
        if (!words.matches() || Integer.parseInt(words.group(2)) >= Slots.COUNT) {
            return null;
        }
        // A node that does not know its own name leaves it out: it is where the question went.
        String host = words.group(3).isEmpty() ? asked.getHost() : words.group(3);
        return new Redirect(
                words.group(1).equals("ASK"),
                Integer.parseInt(words.group(2)),
                new HostAndPort(host, Integer.parseInt(words.group(4))));
    }

    /** The words of the server; null if it has said none. */
    static @Nullable String error(StoreFailure failure) {
        return failure.getCause() instanceof JedisDataException error ? String.valueOf(error.getMessage()) : null;
    }
}
