package io.holdfast.simulation.net;

import io.holdfast.redis.link.RedisLink;
import io.holdfast.simulation.world.SimPlatform;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A subscription that is made again after every break, and pinged, as the real one is. */
final class SimInbox {
    private static final long PING_NANOS = 5_000_000_000L;
    private static final long FIRST_PAUSE_NANOS = 50_000_000L;
    private static final long LONGEST_PAUSE_NANOS = 2_000_000_000L;

    private final SimPlatform platform;
    private final Network network;
    private final Server server;
    private final String channel;
    private final RedisLink.Listener listener;
    private @Nullable Connection connection;
    private boolean confirmed;
    private boolean silent;
    private int breaks;
    private boolean closed;
    private long confirmedAt;

    SimInbox(SimPlatform platform, Network network, Server server, String channel, RedisLink.Listener listener) {
        this.platform = platform;
        this.network = network;
        this.server = server;
        this.channel = channel;
        this.listener = listener;
    }

    void open() {
        subscribe();
        platform.schedule(PING_NANOS, this::look);
    }

    private void subscribe() {
        if (closed) {
            return;
        }
        Line line = new Line();
        Connection opened = new Connection(network, server, platform.host(), line);
        line.own = opened;
        connection = opened;
        confirmed = false;
        silent = false;
        opened.send(List.of("SUBSCRIBE", channel));
    }

    private void look() {
        if (closed) {
            return;
        }
        platform.schedule(PING_NANOS, this::look);
        Connection present = connection;
        if (present == null) {
            return;
        }
        if (silent) {
            present.drop();
            broke();
            return;
        }
        silent = true;
        if (confirmed) {
            present.send(List.of("PING"));
        }
    }

    private void broke() {
        connection = null;
        breaks = confirmed ? 1 : breaks + 1;
        long pause = Math.min(FIRST_PAUSE_NANOS << Math.min(breaks - 1, 6), LONGEST_PAUSE_NANOS);
        platform.schedule(pause, this::subscribe);
    }

    long confirmedSince() {
        return confirmed && connection != null && connection.isSound() ? confirmedAt : Long.MAX_VALUE;
    }

    void close() {
        closed = true;
        if (connection != null) {
            connection.drop();
        }
    }

    private final class Line implements Connection.Ear {
        @Nullable
        Connection own;

        @Override
        public void reply(@Nullable Object value) {
            if (own != connection || closed) {
                return;
            }
            silent = false;
            if ("subscribed".equals(value)) {
                if (breaks > 0) {
                    network.hits().hit(42);
                }
                confirmed = true;
                confirmedAt = network.world().now();
                listener.subscribed();
            }
        }

        @Override
        public void pushed(String to, String message) {
            if (own == connection && !closed) {
                silent = false;
                listener.message(message, own == null ? null : "life " + own.life);
                network.wasTold(message);
            }
        }

        @Override
        public void broken() {
            if (own == connection && !closed) {
                broke();
            }
        }
    }
}
