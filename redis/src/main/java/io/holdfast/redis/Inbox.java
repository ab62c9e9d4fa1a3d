package io.holdfast.redis;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.spi.Platform;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.JedisPubSub;

/**
 * One subscription to one channel, on a thread of its own, renewed after every break. Nobody depends on it for anything
 * but speed: whoever waits re-checks anyway. A connection that is dead without saying so is found by a ping, if it may be
 * thrown away.
 */
final class Inbox {
    private static final Logger log = LoggerFactory.getLogger(Inbox.class);
    private static final long PING_NANOS = 5_000_000_000L;
    private static final long FIRST_PAUSE_NANOS = 50_000_000L;
    private static final long LONGEST_PAUSE_NANOS = 2_000_000_000L;

    private final Platform platform;
    private final String channel;
    private final RedisLink.Listener listener;
    private final Line line;
    private volatile boolean closed;
    private @Nullable Subscription present;

    /** How to subscribe: blocks until the subscription has ended. */
    interface Line {
        void subscribe(Subscription subscription, String channel);

        /** Breaks the connection under the subscription, from another thread. */
        void cut();

        /**
         * Whether the connection is closed in the end, whatever it was left with. If somebody else uses it next, nothing may
         * be sent over it that could be refused: Jedis would give it back at once, with the subscription still on.
         */
        boolean isThrownAway();
    }

    Inbox(Platform platform, Line line, String channel, RedisLink.Listener listener) {
        this.platform = platform;
        this.line = line;
        this.channel = channel;
        this.listener = listener;
    }

    void start() {
        platform.daemon("inbox", this::listen);
        if (line.isThrownAway()) {
            platform.schedule(PING_NANOS, this::ping);
        }
    }

    void close() {
        closed = true;
        cut();
    }

    /** Subscribes anew, since the server at the other end is no longer the right one. */
    void renounce() {
        cut();
    }

    private void cut() {
        try {
            line.cut();
        } catch (RuntimeException e) {
            // It is broken already, and whoever listens finds out.
            log.debug("the inbox '{}' cannot be cut: {}", channel, told(e));
        }
    }

    private void listen() {
        int breaks = 0;
        while (!closed) {
            Subscription subscription = new Subscription();
            synchronized (this) {
                present = subscription;
            }
            try {
                line.subscribe(subscription, channel);
            } catch (RuntimeException e) {
                if (!closed) {
                    log.debug("the inbox '{}' broke, and is opened again: {}", channel, told(e));
                }
            } catch (Error e) {
                // Without it every hand-over would wait for somebody to look again.
                log.warn("the inbox '{}' broke of an error, and is opened again", channel, e);
            } finally {
                synchronized (this) {
                    present = null;
                }
            }
            breaks = subscription.confirmed ? 1 : breaks + 1;
            if (!closed) {
                platform.park(Math.min(FIRST_PAUSE_NANOS << Math.min(breaks - 1, 6), LONGEST_PAUSE_NANOS));
            }
        }
        cut();
    }

    /** Not on the timer's thread, since a write may block. */
    private void ping() {
        if (!closed) {
            platform.callbacks().execute(this::look);
            platform.schedule(PING_NANOS, this::ping);
        }
    }

    private void look() {
        Subscription subscription;
        synchronized (this) {
            subscription = present;
        }
        if (subscription == null || closed) {
            return;
        }
        if (subscription.silent) {
            cut();
            return;
        }
        try {
            subscription.silent = true;
            if (subscription.confirmed) {
                subscription.ping();
            }
        } catch (RuntimeException e) {
            log.debug("the inbox '{}' cannot be pinged: {}", channel, told(e));
        }
    }

    private static String told(RuntimeException error) {
        return JedisErrors.unsaid(error, null).toString();
    }

    final class Subscription extends JedisPubSub {
        private volatile boolean confirmed;
        /** Nothing was heard since the last look. */
        private volatile boolean silent;

        private volatile @Nullable String life;

        /** The server has confirmed it. */
        boolean isConfirmed() {
            return confirmed;
        }

        /** Nobody listens any more; whoever is connected from now on is cut. */
        boolean isUnwanted() {
            return closed;
        }

        /** Which life of which server the messages will come from. */
        void from(@Nullable String server) {
            life = server;
        }

        @Override
        public void onSubscribe(String to, int subscribedChannels) {
            confirmed = true;
            silent = false;
            if (closed) {
                // Whoever closed found nothing to cut: the connection was just being made.
                cut();
            } else {
                tell(listener::subscribed);
            }
        }

        @Override
        public void onMessage(String from, String message) {
            silent = false;
            tell(() -> listener.message(message, life));
        }

        @Override
        public void onPong(String pattern) {
            silent = false;
        }

        /** What the listener throws would end the subscription for Jedis, but not for the server. */
        private void tell(Runnable news) {
            try {
                news.run();
            } catch (RuntimeException | Error e) {
                log.warn("what came into the inbox '{}' was not taken", channel, e);
            }
        }
    }
}
