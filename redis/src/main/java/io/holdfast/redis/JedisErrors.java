package io.holdfast.redis;

import io.holdfast.redis.link.RedisErrors;
import io.holdfast.spi.StoreFailure;
import java.net.SocketTimeoutException;
import java.util.HashSet;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** What Jedis throws, as a store's failure. */
final class JedisErrors {
    /** Behind this a server repeats what it does not understand. */
    private static final String ARGUMENTS = ", with args beginning with";

    private JedisErrors() {}

    /** Whether, after this error of the server, another connection may do better. */
    static boolean wantsNewConnection(JedisDataException error) {
        return RedisErrors.answer(String.valueOf(error.getMessage())) == RedisErrors.Answer.RECONNECT;
    }

    static boolean isFinal(JedisDataException error) {
        return RedisErrors.answer(String.valueOf(error.getMessage())) == RedisErrors.Answer.REFUSE;
    }

    /** The server refused, was not reached, or its answer did not come. */
    static StoreFailure failure(String address, RuntimeException thrown) {
        RuntimeException error = unsaid(thrown, null);
        if (error instanceof JedisDataException) {
            return RedisErrors.failure(address, String.valueOf(error.getMessage()), error);
        }
        if (isMisread(error)) {
            return StoreFailure.unavailable(address + " answered something that Jedis cannot read", error);
        }
        return StoreFailure.unavailable(
                "cannot " + (error instanceof JedisConnectionException ? "reach " : "use ") + address + ": "
                        + chain(error),
                error);
    }

    /**
     * Where Jedis takes the kind of a reply for granted, such as in its greeting, one of another kind ends in these. Their
     * messages speak of classes, or are missing: once it has happened often enough, the JVM leaves them out.
     */
    private static boolean isMisread(RuntimeException error) {
        return error instanceof ClassCastException
                || error instanceof IndexOutOfBoundsException
                || error instanceof NegativeArraySizeException
                || error instanceof NullPointerException
                || error instanceof NumberFormatException;
    }

    /**
     * The same error without what was said to the server. One that does not know a command answers with its arguments, and
     * those of a login are secrets; so an error that has them is made anew, without its causes.
     *
     * @param secret what the server was told, if that is known
     */
    static RuntimeException unsaid(RuntimeException error, @Nullable String secret) {
        if (!tells(error, secret, new HashSet<>())) {
            return error;
        }
        String message = withoutSecrets(String.valueOf(error.getMessage()), secret);
        JedisException safe = error instanceof JedisDataException
                ? new JedisDataException(message)
                : error instanceof JedisConnectionException
                        ? new JedisConnectionException(message)
                        : new JedisException(message);
        safe.setStackTrace(error.getStackTrace());
        return safe;
    }

    private static boolean tells(Throwable error, @Nullable String secret, Set<Throwable> seen) {
        if (!seen.add(error)) {
            return false;
        }
        String text = String.valueOf(error.getMessage());
        // The server's own words only: a word of a sentence of Jedis may be somebody's password.
        if (error instanceof JedisDataException && !withoutSecrets(text, secret).equals(text)) {
            return true;
        }
        for (Throwable beside : error.getSuppressed()) {
            if (tells(beside, secret, seen)) {
                return true;
            }
        }
        return error.getCause() != null && tells(error.getCause(), secret, seen);
    }

    private static String withoutSecrets(String text, @Nullable String secret) {
        int arguments = text.indexOf(ARGUMENTS);
        String cut = arguments < 0 ? text : text.substring(0, arguments);
        return secret == null || secret.isEmpty() ? cut : cut.replace(secret, "***");
    }

    static boolean isTimeout(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof SocketTimeoutException) {
                return true;
            }
        }
        return false;
    }

    /** The messages of the chain, each once: Jedis names the address in one and the reason in another. */
    private static String chain(Throwable error) {
        StringJoiner messages = new StringJoiner(": ");
        String last = "";
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            String message = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
            if (!last.contains(message)) {
                messages.add(message);
                last = message;
            }
            // Where several addresses were tried, the reasons stand beside the chain.
            for (Throwable tried : cause.getSuppressed()) {
                messages.add(String.valueOf(tried.getMessage()));
            }
        }
        return messages.toString();
    }
}
