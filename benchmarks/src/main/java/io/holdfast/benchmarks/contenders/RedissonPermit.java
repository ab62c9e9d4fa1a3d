package io.holdfast.benchmarks.contenders;

import java.util.concurrent.TimeUnit;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

/** Redisson's semaphores. How many permits there are is set by whoever comes first. */
final class RedissonPermit {
    /** As long as one of Holdfast. */
    static final long LEASE_SECONDS = 30;

    private RedissonPermit() {}

    /** A number that is counted down and up again. */
    static BenchLock unleased(RedissonClient client, String name, int permits) {
        RSemaphore semaphore = client.getSemaphore(name);
        semaphore.trySetPermits(permits);
        return new Unleased(semaphore);
    }

    /** Each permit has an id and an end. */
    static BenchLock leased(RedissonClient client, String name, int permits) {
        RPermitExpirableSemaphore semaphore = client.getPermitExpirableSemaphore(name);
        semaphore.trySetPermits(permits);
        return new Leased(semaphore);
    }

    private record Unleased(RSemaphore it) implements BenchLock {
        @Override
        public void lock() {
            try {
                it.acquire();
            } catch (InterruptedException e) {
                throw Interrupts.of(it.getName(), e);
            }
        }

        @Override
        public void unlock() {
            it.release();
        }
    }

    private static final class Leased implements BenchLock {
        private final RPermitExpirableSemaphore it;
        private String id = "";

        Leased(RPermitExpirableSemaphore it) {
            this.it = it;
        }

        @Override
        public void lock() {
            try {
                id = it.acquire(LEASE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw Interrupts.of(it.getName(), e);
            }
        }

        /** Fails if the permit has run out meanwhile. */
        @Override
        public void unlock() {
            it.release(id);
        }
    }
}
