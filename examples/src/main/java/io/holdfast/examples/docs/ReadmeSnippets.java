package io.holdfast.examples.docs;

import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.StaleTokenException;
import io.holdfast.redis.JedisConfig;
import io.holdfast.redis.RedisDistributedLock;
import io.holdfast.redis.RedisFencingGate;
import redis.clients.jedis.JedisPool;

/** What the README shows; the rest of the application is left open. */
public abstract class ReadmeSnippets {

    abstract void ship(String order);

    abstract void undo(String order);

    abstract int count(String article);

    abstract void tryAgainLater(String article);

    void firstLook() throws InterruptedException {
        Holdfast locks = Holdfast.connect("redis://localhost:6379"); // one for the whole process
        DistributedLock lock = locks.lock("shop:order:12345");
        if (lock.tryLock(5, SECONDS)) {
            boolean safe;
            try {
                ship("12345"); // takes as long as it takes: the lease is renewed
            } finally {
                safe = lock.unlock();
            }
            if (!safe) {
                undo("12345"); // the lock was lost on the way, and another may have been in
            }
        }
        locks.close();
    }

    void fencedWrite(Holdfast locks, JedisPool pool) throws InterruptedException {
        RedisFencingGate gate = RedisFencingGate.on(pool, "shop:");
        try (Lease lease = locks.lock("shop:stock:apples").acquire(ofSeconds(5))) {
            int left = count("apples");
            gate.write("shop:stock:apples", String.valueOf(left - 1), lease.token());
        } catch (StaleTokenException e) {
            tryAgainLater("apples"); // a newer holder has written, and this write has changed nothing
        }
    }

    static Holdfast ownDefaults(String uri) {
        return Holdfast.builder()
                .uri(uri)
                .options(LockOptions.builder().lease(ofSeconds(10)).build())
                .commandTimeout(ofSeconds(1))
                .build();
    }

    static DistributedLock shortForm() {
        JedisConfig.init("localhost", 6379, null); // not needed if these are the server's host and port
        DistributedLock lock = new RedisDistributedLock("shop:order:12345");
        return lock;
    }

    static DistributedLock shortFormOnOwnPool(JedisPool pool) {
        long expireMs = 10_000;
        boolean enableWatchdog = true;
        DistributedLock lock = new RedisDistributedLock(pool, "shop:order:12345", expireMs, enableWatchdog);
        return lock;
    }
}
