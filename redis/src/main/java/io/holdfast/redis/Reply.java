package io.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.StoreFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A reply, read with distrust: whatever is not what the command is answered with is a failure, and never taken for an
 * answer.
 */
final class Reply {
    /** No whole number of a script is larger: Lua could not tell it from its neighbours. */
    private static final long LARGEST = (1L << 53) - 1;

    private static final int SHOWN = 100;

    private final RedisLink from;
    private final @Nullable Object value;

    Reply(RedisLink from, @Nullable Object value) {
        this.from = from;
        this.value = value;
    }

    Reply(RedisLink from, RedisLink.Answer answer) {
        this(from, answer.value());
    }

    /**
     * The answer to an acquire as a list, also if it was as short as can be: what the owner has the lock by, the token being
     * the server's time.
     */
    Reply acquired(String owner) {
        if (!(value instanceof byte[] || value instanceof String)) {
            return this;
        }
        String held = text();
        String mine = "hf1:" + owner + ":";
        if (!held.startsWith(mine)) {
            throw nonsense();
        }
        Long time = new Reply(from, held.substring(mine.length())).count();
        return new Reply(from, List.of(1L, time, 0L, time, 1L));
    }

    /** The answer to a release as a list, also if it was a number alone. */
    Reply released() {
        return value instanceof Long ? new Reply(from, List.of(value)) : this;
    }

    /** The parts of a list, of which there must be at least so many. */
    List<?> list(int least) {
        if (value instanceof List<?> parts && parts.size() >= least) {
            return parts;
        }
        throw nonsense();
    }

    Reply part(int index) {
        return new Reply(from, list(index + 1).get(index));
    }

    /** A whole number from zero up, whether it came as a number or as text. */
    long count() {
        long number = number();
        if (number < 0 || number > LARGEST) {
            throw nonsense();
        }
        return number;
    }

    long number() {
        if (value instanceof Long number) {
            return number;
        }
        try {
            return Long.parseLong(text());
        } catch (NumberFormatException e) {
            throw nonsense();
        }
    }

    /** The score of a member of a sorted set, without what stands behind the point. */
    long score() {
        try {
            double score = value instanceof Double number ? number : Double.parseDouble(text());
            if (Math.abs(score) <= LARGEST) {
                return (long) score;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw nonsense();
    }

    String text() {
        if (value instanceof byte[] || value instanceof String) {
            return text(value);
        }
        throw nonsense();
    }

    boolean isNothing() {
        return value == null;
    }

    /** Whatever it is, as text. */
    static String text(@Nullable Object reply) {
        return reply instanceof byte[] bytes ? new String(bytes, UTF_8) : String.valueOf(reply);
    }

    /** What to fail with; what comes behind it is not trusted either. */
    StoreFailure nonsense() {
        from.distrust();
        String shown = value instanceof List<?> parts ? "a list of " + parts.size() : "'" + text(value) + "'";
        return StoreFailure.unavailable(
                from.address() + " answered " + (shown.length() > SHOWN ? shown.substring(0, SHOWN) + "…" : shown)
                        + ", which is no answer to what it was asked",
                null);
    }
}
