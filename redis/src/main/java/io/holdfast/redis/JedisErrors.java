package io.holdfast.redis;

import io.holdfast.redis.link.RedisErrors;
import io.holdfast.spi.StoreFailure;
import java.net.SocketTimeoutException;
import java.util.StringJoiner;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** What Jedis throws, as a store's failure. */
final class JedisErrors {
    private JedisErrors() {}

    /** Whether, after this error of the server, another connection may do better. */
    static boolean wantsNewConnection(JedisDataException error) {
        return RedisErrors.answer(String.valueOf(error.getMessage())) == RedisErrors.Answer.RECONNECT;
    }

    static boolean isFinal(JedisDataException error) {
        return RedisErrors.answer(String.valueOf(error.getMessage())) == RedisErrors.Answer.REFUSE;
    }

    /** The server refused, was not reached, or its answer did not come. */
    static StoreFailure failure(String address, RuntimeException error) {
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
            // Where Jedis has tried several addresses, the reasons stand beside the chain.
            for (Throwable tried : cause.getSuppressed()) {
                messages.add(String.valueOf(tried.getMessage()));
            }
        }
        return messages.toString();
    }
}
