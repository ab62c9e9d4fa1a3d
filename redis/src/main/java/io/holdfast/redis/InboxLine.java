package io.holdfast.redis;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;

/** A connection of its own for a subscription. */
final class InboxLine implements Inbox.Line {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final ConnectionSource source;
    private final boolean fromOneServer;
    private @Nullable Connection connection;

    /**
     * A line over connections from there.
     *
     * @param fromOneServer whether what comes over a connection was written by the server at its other end, and by nobody
     *     else
     */
    InboxLine(ConnectionSource source, boolean fromOneServer) {
        this.source = source;
        this.fromOneServer = fromOneServer;
    }

    @Override
    public void subscribe(Inbox.Subscription subscription, String channel) {
        Connection opened = source.open(TIMEOUT, socket -> {});
        synchronized (this) {
            connection = opened;
        }
        try {
            if (subscription.isUnwanted()) {
                // Whoever closed found nothing to cut, and a server that is silent would be waited for without end.
                return;
            }
            if (fromOneServer) {
                subscription.from(JedisLink.life(opened));
            }
            opened.setTimeoutInfinite();
            subscription.proceed(opened, channel);
        } finally {
            synchronized (this) {
                connection = null;
            }
            source.drop(opened);
        }
    }

    @Override
    public synchronized void cut() {
        if (connection != null) {
            Cut.now(connection);
        }
    }

    @Override
    public boolean isThrownAway() {
        return true;
    }
}
