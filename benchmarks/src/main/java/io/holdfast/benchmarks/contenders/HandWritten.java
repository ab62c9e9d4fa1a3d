package io.holdfast.benchmarks.contenders;

import java.util.UUID;

/** The lock that is written by hand everywhere: SET NX PX, polling, compare and delete. */
abstract class HandWritten implements BenchLock {
    static final long LEASE_MILLIS = 30_000;
    static final long RETRY_MILLIS = 1;
    static final String RELEASE =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";
    static final String DESCRIPTION = ", polls every " + RETRY_MILLIS + " ms; no watchdog, neither fenced nor fair";

    private final String name;
    private String token = "";

    HandWritten(String name) {
        this.name = name;
    }

    /** SET NX PX; whether the lock was free. */
    abstract boolean set(String name, String token);

    /** The script above; how many keys it deleted. */
    abstract long delete(String name, String token);

    @Override
    public final void lock() {
        token = UUID.randomUUID().toString();
        while (!set(name, token)) {
            try {
                Thread.sleep(RETRY_MILLIS);
            } catch (InterruptedException e) {
                throw Interrupts.of(name, e);
            }
        }
    }

    @Override
    public final void unlock() {
        if (delete(name, token) != 1) {
            throw new IllegalStateException("the lease of " + name + " was lost");
        }
    }
}
