package io.holdfast.redis;

import io.holdfast.spi.Platform;
import java.io.Closeable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisSentinelPool;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * Connections borrowed from the application's {@link JedisSentinelPool}, which listens to the Sentinels. It leaves alone
 * what is borrowed when the master changes, and an old master that is cut off from the Sentinels, but not from us, would go
 * on answering. So it is looked at twice a second who its master is; that costs no command.
 */
final class SentinelPoolSource implements ConnectionSource {
    private static final Logger log = LoggerFactory.getLogger(SentinelPoolSource.class);

    private static final long LOOK_NANOS = 500_000_000L;

    /**
     * A connection that was borrowed within such a time of a change may lead to the one before: the pool tells of another
     * master just before it goes there itself.
     */
    private static final long SETTLED_NANOS = 1_000_000_000L;

    private record Open(Connection connection, HostAndPort master, long sinceNanos) {}

    private final JedisSentinelPool pool;
    private final ConnectionSource connections;
    private final Platform platform;

    // Guarded by this.
    private final List<Open> open = new ArrayList<>();
    private @Nullable HostAndPort present;
    private long changedNanos;
    private boolean unsettled;
    private boolean looking;
    private boolean closed;
    private @Nullable Runnable moved;

    SentinelPoolSource(JedisSentinelPool pool, String address, Platform platform) {
        this.pool = pool;
        this.connections = PoolSource.of(pool, address, platform);
        this.platform = platform;
    }

    @Override
    public synchronized void whenMoved(Runnable renounce) {
        moved = renounce;
    }

    @Override
    public Connection open(Duration timeout, Consumer<Closeable> opening) {
        HostAndPort master = pool.getCurrentHostMaster();
        Connection opened = connections.open(timeout, opening);
        boolean good = false;
        try {
            String role = SentinelSource.role(opened);
            if (role != null && !role.equals("master")) {
                throw new JedisConnectionException(
                        "the pool calls " + master + " the master, which says of itself that it is a " + role);
            }
            good = true;
        } finally {
            if (!good) {
                connections.drop(opened);
            }
        }
        synchronized (this) {
            see(master);
            open.add(new Open(opened, master, platform.nanoTime()));
            if (!looking && !closed) {
                looking = true;
                platform.schedule(LOOK_NANOS, this::look);
            }
        }
        return opened;
    }

    private void see(HostAndPort master) {
        if (!master.equals(present)) {
            unsettled = present != null;
            present = master;
            changedNanos = platform.nanoTime();
        }
    }

    /** Has those who use a connection to another than the master let go of it. */
    private synchronized void look() {
        looking = !closed && !open.isEmpty() && !pool.isClosed();
        if (!looking) {
            return;
        }
        platform.schedule(LOOK_NANOS, this::look);
        HostAndPort master = pool.getCurrentHostMaster();
        see(master);
        boolean settled = unsettled && platform.nanoTime() - changedNanos > SETTLED_NANOS;
        // Told once: whoever does not use it keeps it for the time being.
        boolean elsewhere = open.removeIf(
                each -> !each.master().equals(master) || (settled && each.sinceNanos() - changedNanos < SETTLED_NANOS));
        if (settled) {
            unsettled = false;
        }
        if (elsewhere && moved != null) {
            log.info("{} has another master, {}; connections to the one before are given up", address(), master);
            platform.callbacks().execute(moved);
        }
    }

    @Override
    public void checkForReplicas() {
        connections.checkForReplicas();
    }

    @Override
    public void drop(Connection connection) {
        synchronized (this) {
            open.removeIf(each -> each.connection() == connection);
        }
        connections.drop(connection);
    }

    @Override
    public String address() {
        return connections.address();
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}
