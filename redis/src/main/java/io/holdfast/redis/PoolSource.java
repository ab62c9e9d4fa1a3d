package io.holdfast.redis;

import static java.util.Objects.requireNonNull;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import java.io.Closeable;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/** Connections borrowed from a pool of the application's, for as long as the client lives. */
final class PoolSource<T> implements ConnectionSource {
    private record Lent<T>(Pool<T> by, T borrowed) {}

    private final Supplier<? extends Pool<T>> pool;
    private final Function<T, Connection> asConnection;
    private final String address;
    private final Platform platform;
    private final Map<Connection, Lent<T>> lent = Collections.synchronizedMap(new IdentityHashMap<>());

    private PoolSource(
            Supplier<? extends Pool<T>> pool, Function<T, Connection> asConnection, String address, Platform platform) {
        this.pool = pool;
        this.asConnection = asConnection;
        this.address = address;
        this.platform = platform;
    }

    static ConnectionSource of(Pool<Jedis> pool, String address, Platform platform) {
        return new PoolSource<>(() -> pool, Jedis::getConnection, address, platform);
    }

    /**
     * Connections of a pool that has them bare.
     *
     * @param pool looked up for each of them; may fail with an exception of Jedis
     */
    static ConnectionSource ofBare(Supplier<? extends Pool<Connection>> pool, String address, Platform platform) {
        return new PoolSource<>(pool, borrowed -> borrowed, address, platform);
    }

    /** Refuses a pool that is too small to lend. */
    static void check(Pool<?> pool) {
        if (isSmallerThan(4, requireNonNull(pool, "pool"))) {
            throw new IllegalArgumentException("the pool has " + pool.getMaxTotal()
                    + " connections, fewer than 4: Holdfast keeps three of them and the application needs one");
        }
    }

    /** Refuses a pool that is too small to lend the one connection for the inbox. */
    static void checkForInbox(Pool<?> pool) {
        if (isSmallerThan(2, pool)) {
            throw new IllegalArgumentException("the pool has " + pool.getMaxTotal()
                    + " connections, fewer than 2: Holdfast keeps one of them while it is told of locks, and commands"
                    + " need one");
        }
    }

    @Override
    public void checkForReplicas() {
        Pool<T> by = pool.get();
        if (isSmallerThan(5, by)) {
            throw StoreFailure.refused(
                    address + " has " + by.getMaxTotal()
                            + " connections, fewer than 5: with minReplicas Holdfast keeps four of them and the application"
                            + " needs one; set maxTotal to 5 or more",
                    null);
        }
    }

    private static boolean isSmallerThan(int least, Pool<?> pool) {
        int size = pool.getMaxTotal();
        return size >= 0 && size < least;
    }

    @Override
    public Connection open(Duration timeout, Consumer<Closeable> opening) {
        Pool<T> by = pool.get();
        boolean interrupted = false;
        long until = platform.nanoTime() + timeout.toNanos();
        try {
            while (true) {
                try {
                    long left = (until - platform.nanoTime() + 999_999) / 1_000_000;
                    // Not getResource: that waits for as long as the pool's owner likes, which may be for ever.
                    T borrowed = by.borrowObject(Math.max(1, left));
                    Connection connection = asConnection.apply(borrowed);
                    lent.put(connection, new Lent<>(by, borrowed));
                    opening.accept(() -> Cut.now(connection));
                    return connection;
                } catch (InterruptedException e) {
                    // Whether an interrupt ends the wait for a lock is decided elsewhere.
                    interrupted = true;
                }
            }
        } catch (NoSuchElementException e) {
            throw new JedisConnectionException(whyNone(e, timeout), e);
        } catch (RuntimeException e) {
            throw JedisErrors.unsaid(e, null);
        } catch (Exception e) {
            throw new JedisException(e);
        } finally {
            if (interrupted) {
                platform.interrupt(platform.currentThread());
            }
        }
    }

    private static String whyNone(NoSuchElementException e, Duration timeout) {
        // So says the pool about a new connection on which its own PING fails.
        return String.valueOf(e.getMessage()).startsWith("Unable to validate")
                ? "a new connection of the pool fails its test; if the server wants a password, the pool may lack it"
                : "no connection came free in the pool within " + timeout.toMillis() + " ms";
    }

    @Override
    public void drop(Connection connection) {
        Lent<T> back = lent.remove(connection);
        if (back != null) {
            try {
                // What is in doubt is not to be sent, and the pool would flush it.
                Cut.now(connection);
            } finally {
                back.by().returnBrokenResource(back.borrowed());
            }
        }
    }

    @Override
    public String address() {
        return address;
    }
}
