package io.holdfast.redis.faults;

import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * This machine with clocks that are wrong: they may run too slow, the wall clock may be set, and the host may be
 * suspended, whereupon its monotonic clock and its timers stand still. Thread safe.
 */
class Machine implements Platform {
    private final Platform real = Platform.system();
    private final double rate;
    private final long startNanos = System.nanoTime();
    private final long startMillis = System.currentTimeMillis();

    // Guarded by this.
    private long wallSetMillis;
    private long suspendedNanos;
    private boolean suspended;
    private long suspendedAtNanos;

    Machine() {
        this(1);
    }

    /** A machine whose clocks and timers run at that rate: one below 1 is too slow. */
    Machine(double rate) {
        this.rate = rate;
    }

    /** Moves the wall clock, forward or back. */
    synchronized void setWall(Duration by) {
        wallSetMillis += by.toMillis();
    }

    synchronized void suspend() {
        suspended = true;
        suspendedAtNanos = System.nanoTime();
    }

    synchronized void resume() {
        suspended = false;
        suspendedNanos += System.nanoTime() - suspendedAtNanos;
    }

    @Override
    public synchronized long nanoTime() {
        long now = suspended ? suspendedAtNanos : System.nanoTime();
        return (long) ((now - startNanos - suspendedNanos) * rate);
    }

    @Override
    public synchronized long wallMillis() {
        return startMillis + wallSetMillis + (long) ((System.nanoTime() - startNanos) * rate / 1e6);
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        return real.schedule((long) (delayNanos / rate), () -> whenAwake(task));
    }

    /** A timer that would go off during the sleep goes off after it; the one that waits stands for all others. */
    private void whenAwake(Runnable task) {
        while (isSuspended()) {
            LockSupport.parkNanos(1_000_000);
        }
        task.run();
    }

    private synchronized boolean isSuspended() {
        return suspended;
    }

    @Override
    public long random(long bound) {
        return real.random(bound);
    }

    @Override
    public long draw() {
        return real.draw();
    }

    @Override
    public Worker worker(String role) {
        return real.worker(role);
    }

    @Override
    public Executor callbacks() {
        return real.callbacks();
    }

    @Override
    public void daemon(String role, Runnable task) {
        real.daemon(role, task);
    }

    @Override
    public Object currentThread() {
        return real.currentThread();
    }

    @Override
    public long threadId(Object thread) {
        return real.threadId(thread);
    }

    @Override
    public boolean isAlive(Object thread) {
        return real.isAlive(thread);
    }

    @Override
    public void interrupt(Object thread) {
        real.interrupt(thread);
    }

    @Override
    public boolean interrupted() {
        return real.interrupted();
    }

    @Override
    public void park(long nanos) {
        real.park(nanos);
    }

    @Override
    public void unpark(Object thread) {
        real.unpark(thread);
    }

    @Override
    public boolean mayBlockHere() {
        return real.mayBlockHere();
    }

    @Override
    public <T> Supplier<T> perThread(Supplier<T> initial) {
        return real.perThread(initial);
    }

    @Override
    public void close() {
        real.close();
    }
}
