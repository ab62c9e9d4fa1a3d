package io.holdfast.redis;

import static java.util.Objects.requireNonNull;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.spi.Names;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.JedisPool;

/**
 * The short form: a lock on Redis in one class.
 *
 * <pre>{@code
 * DistributedLock lock = new RedisDistributedLock("order:12345");
 * }</pre>
 *
 * <p>It is a thin front on the same engine as {@link Holdfast}. All instances with the same pool share one client, so two
 * of one name are the same lock, and one instance may be used by many threads.
 */
public final class RedisDistributedLock implements DistributedLock {
    /** 30 s. */
    public static final long DEFAULT_EXPIRE_MS = 30_000;

    private final @Nullable JedisPool pool;
    private final String name;
    private final Duration lease;
    private final boolean watchdog;

    /** A lock of 30 s, renewed while it is held, over {@link JedisConfig}'s pool. */
    public RedisDistributedLock(String lockName) {
        this(lockName, DEFAULT_EXPIRE_MS);
    }

    /** A lock of {@code expireMs}, renewed while it is held, over {@link JedisConfig}'s pool. */
    public RedisDistributedLock(String lockName, long expireMs) {
        this(lockName, expireMs, true);
    }

    /** A lock over {@link JedisConfig}'s pool. */
    public RedisDistributedLock(String lockName, long expireMs, boolean enableWatchdog) {
        this(lockName, expireMs, enableWatchdog, null);
    }

    /**
     * A lock over the application's own pool, which is never closed here.
     *
     * @param expireMs how long Redis keeps the lock without a renewal, from 100 ms to 24 h
     * @param enableWatchdog whether it is renewed, every third of that time, while it is held
     */
    public RedisDistributedLock(JedisPool jedisPool, String lockName, long expireMs, boolean enableWatchdog) {
        this(lockName, expireMs, enableWatchdog, requireNonNull(jedisPool, "jedisPool"));
    }

    private RedisDistributedLock(String lockName, long expireMs, boolean enableWatchdog, @Nullable JedisPool pool) {
        this.name = Names.check(lockName);
        this.lease = Duration.ofMillis(expireMs);
        this.watchdog = enableWatchdog;
        this.pool = pool;
        try {
            options(LockOptions.builder());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(e.getMessage() + " (lock '" + name + "')", e);
        }
        if (pool != null) {
            PoolSource.check(pool);
        }
    }

    private void options(LockOptions.Builder options) {
        options.lease(lease).renewal(watchdog);
    }

    /** Looked up for each call: the pool behind it may have been closed and opened again. */
    private DistributedLock lockOnPool() {
        JedisPool present = pool == null ? JedisConfig.getJedisPool() : pool;
        return PoolClients.of(present).lock(name, this::options);
    }

    @Override
    public String getLockName() {
        return name;
    }

    @Override
    public boolean tryLock() {
        return lockOnPool().tryLock();
    }

    @Override
    public boolean tryLock(long waitTime, TimeUnit unit) throws InterruptedException {
        return lockOnPool().tryLock(waitTime, unit);
    }

    @Override
    public boolean tryLock(Duration waitTime) throws InterruptedException {
        return lockOnPool().tryLock(waitTime);
    }

    @Override
    public boolean tryLock(long waitTime, long leaseTime, TimeUnit unit) throws InterruptedException {
        return lockOnPool().tryLock(waitTime, leaseTime, unit);
    }

    @Override
    public void lock() {
        lockOnPool().lock();
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        lockOnPool().lockInterruptibly();
    }

    @Override
    public boolean unlock() {
        return lockOnPool().unlock();
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return lockOnPool().isHeldByCurrentThread();
    }

    @Override
    public int getHoldCount() {
        return lockOnPool().getHoldCount();
    }

    @Override
    public Lease acquire(Duration wait) throws InterruptedException {
        return lockOnPool().acquire(wait);
    }

    @Override
    public Optional<Lease> tryAcquire() {
        return lockOnPool().tryAcquire();
    }

    @Override
    public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
        return lockOnPool().tryAcquire(wait);
    }

    @Override
    public CompletionStage<Lease> acquireAsync(Duration wait) {
        return lockOnPool().acquireAsync(wait);
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync() {
        return lockOnPool().tryAcquireAsync();
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync(Duration wait) {
        return lockOnPool().tryAcquireAsync(wait);
    }

    @Override
    public Lock asLock() {
        return lockOnPool().asLock();
    }

    @Override
    public String toString() {
        return "RedisDistributedLock['" + name + "']";
    }
}
