package io.holdfast.redis;

import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.function.Function;
import redis.clients.jedis.Connection;

/** A connection for one question, which is thrown away afterwards. */
final class Question {
    private Question() {}

    /**
     * Asks, and fails with an exception of Jedis.
     *
     * @param timeout after which the connection is cut, wherever it is stuck
     */
    static <T> T ask(ConnectionSource source, Platform platform, Duration timeout, Function<Connection, T> question) {
        Guard guard = new Guard(platform);
        guard.begin(platform.nanoTime() + timeout.toNanos());
        try {
            Connection opened = source.open(timeout, guard::watch);
            try {
                return question.apply(opened);
            } finally {
                source.drop(opened);
            }
        } finally {
            guard.dismiss();
        }
    }
}
