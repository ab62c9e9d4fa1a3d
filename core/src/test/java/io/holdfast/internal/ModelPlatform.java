package io.holdfast.internal;

import io.holdfast.spi.Platform;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Ports for a model checker: time stands still; timers go off, and what is handed over runs, when told. */
final class ModelPlatform implements Platform {
    private final List<Runnable> timers = new ArrayList<>();
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private long draws;

    /** The timers that were set and not taken back. */
    synchronized List<Runnable> timers() {
        return List.copyOf(timers);
    }

    /** Runs what workers and callbacks were given. */
    void work() {
        for (Runnable task = next(); task != null; task = next()) {
            task.run();
        }
    }

    private synchronized @Nullable Runnable next() {
        return tasks.poll();
    }

    private synchronized void hand(Runnable task) {
        tasks.add(task);
    }

    @Override
    public long nanoTime() {
        return 1;
    }

    @Override
    public long wallMillis() {
        return 1;
    }

    @Override
    public long random(long bound) {
        return 0;
    }

    @Override
    public synchronized long draw() {
        return ++draws;
    }

    @Override
    public synchronized Timer schedule(long delayNanos, Runnable task) {
        timers.add(task);
        return () -> {
            synchronized (this) {
                timers.remove(task);
            }
        };
    }

    @Override
    public Worker worker(String role) {
        return new Worker() {
            @Override
            public void execute(Runnable task) {
                hand(task);
            }

            @Override
            public List<Runnable> finish(long nanos) {
                return List.of();
            }
        };
    }

    @Override
    public Executor callbacks() {
        return this::hand;
    }

    @Override
    public void daemon(String role, Runnable task) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Object currentThread() {
        return Thread.currentThread();
    }

    @Override
    public long threadId(Object thread) {
        return 1;
    }

    @Override
    public boolean isAlive(Object thread) {
        return true;
    }

    @Override
    public void interrupt(Object thread) {
        ((Thread) thread).interrupt();
    }

    @Override
    public boolean interrupted() {
        return false;
    }

    @Override
    public void park(long nanos) {
        LockSupport.park();
    }

    @Override
    public void unpark(Object thread) {
        LockSupport.unpark((Thread) thread);
    }

    @Override
    public boolean mayBlockHere() {
        return true;
    }

    @Override
    public <T> Supplier<T> perThread(Supplier<T> initial) {
        return initial;
    }

    @Override
    public void close() {}
}
