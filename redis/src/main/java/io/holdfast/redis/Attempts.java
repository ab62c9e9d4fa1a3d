package io.holdfast.redis;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** What came of asking one server after the other. */
final class Attempts {
    private final StringBuilder reasons = new StringBuilder();
    private @Nullable RuntimeException last;
    private boolean mayGoBy;

    /** One could not be reached, or has refused. */
    void failed(String address, RuntimeException e) {
        add(JedisErrors.failure(address, e).reason());
        last = e;
        mayGoBy |= !(e instanceof JedisDataException error && JedisErrors.isFinal(error));
    }

    /** One was of no use, for a reason that may go by. */
    void failed(String reason) {
        add(reason);
        mayGoBy = true;
    }

    /** One was of no use, for a reason that does not go by. */
    void refused(String reason) {
        add(reason);
    }

    private void add(String reason) {
        reasons.append(reasons.isEmpty() ? "" : "; ").append(reason);
    }

    /** What to fail with: an error of the servers only if none of them will say anything else. */
    JedisException failure() {
        return mayGoBy
                ? new JedisConnectionException(reasons.toString(), last)
                : new JedisDataException(reasons.toString(), last);
    }
}
