package io.holdfast.examples.docs;

import static java.time.Duration.ofMinutes;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import java.util.concurrent.locks.Lock;

/** What {@code docs/migrating.md} shows. */
public final class MigratingSnippets {
    private MigratingSnippets() {}

    /** A client whose locks have the keys of ShedLock. */
    public static Holdfast onTheKeysOfShedLock() {
        return Holdfast.builder()
                .uri("redis://localhost:6379")
                .keyPrefix("job-lock:default:") // ShedLock's prefix, and its environment
                .build();
    }

    /** A scheduled job. */
    public static void nightly(Holdfast locks, Runnable report) {
        DistributedLock lock = locks.lock("nightlyReport", options -> options.maxHold(ofMinutes(10)));
        if (lock.tryLock()) { // another instance is at it otherwise
            try {
                report.run();
            } finally {
                lock.unlock();
            }
        }
    }

    /** A client whose locks have the keys of Spring Integration. */
    public static Holdfast onTheKeysOfSpringIntegration() {
        return Holdfast.builder()
                .uri("redis://localhost:6379")
                .keyPrefix("orders:") // the registry's key, and a colon
                .build();
    }

    /** For code that wants the lock of the JDK. */
    public static void asTheJdkKnowsIt(Holdfast locks, Runnable ship) {
        Lock lock = locks.lock("42").asLock();
        lock.lock();
        try {
            ship.run();
        } finally {
            lock.unlock(); // throws if the lock was lost on the way
        }
    }

    /** A lock that is waited for. */
    public static boolean ship(Holdfast locks, Runnable ship) throws InterruptedException {
        DistributedLock lock = locks.lock("order:42");
        if (!lock.tryLock(5, SECONDS)) {
            return false;
        }
        boolean safe;
        try {
            ship.run();
        } finally {
            safe = lock.unlock();
        }
        if (!safe) {
            throw new IllegalStateException("order 42 was not protected to the end");
        }
        return true;
    }

    /** Under both locks, while old instances still run: the old one first, everywhere. */
    public static boolean shipUnderBoth(Lock redisson, Holdfast locks, Runnable ship) throws InterruptedException {
        if (!redisson.tryLock(5, SECONDS)) {
            return false;
        }
        try {
            return ship(locks, ship);
        } finally {
            redisson.unlock();
        }
    }
}
