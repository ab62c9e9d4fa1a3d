package io.holdfast.internal;

import io.holdfast.spi.Platform;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The machine itself. All threads are daemons, named after their role, and started when first needed. */
public final class SystemPlatform implements Platform {
    private static final SecureRandom SECURE = new SecureRandom();
    private static final @Nullable MethodHandle IS_VIRTUAL = isVirtualHandle();

    /** Nothing is dropped, since somebody may wait for it; what comes after the end runs where it comes from. */
    private static final RejectedExecutionHandler RUN_HERE = (task, pool) -> task.run();

    /** A worker that has had nothing to do for so long needs no thread: the node it was for may be gone for good. */
    private static final long IDLE_SECONDS = 60;

    /** When to try again if the system has no thread to give: it may have one soon, and somebody waits. */
    private static final long SHORTAGE_MILLIS = 50;

    private final AtomicBoolean closed = new AtomicBoolean();
    /** What could not be begun, since there was no thread for it. */
    private final ConcurrentLinkedDeque<Runnable> owed = new ConcurrentLinkedDeque<>();

    private final AtomicBoolean triesAgain = new AtomicBoolean();
    private final Function<Runnable, Thread> maker;
    private final ScheduledThreadPoolExecutor timer;
    private final ThreadPoolExecutor callbacks;

    public SystemPlatform() {
        this(Thread::new);
    }

    /** @param maker makes the threads */
    SystemPlatform(Function<Runnable, Thread> maker) {
        this.maker = maker;
        timer = new ScheduledThreadPoolExecutor(1, threads("timer"));
        timer.setRemoveOnCancelPolicy(true);
        callbacks = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), threads("callback"));
        callbacks.setRejectedExecutionHandler(RUN_HERE);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public long random(long bound) {
        return ThreadLocalRandom.current().nextLong(bound);
    }

    @Override
    public long draw() {
        // In one go: nextLong would draw twice, each time behind the source's lock.
        byte[] drawn = new byte[Long.BYTES];
        SECURE.nextBytes(drawn);
        return ByteBuffer.wrap(drawn).getLong();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        try {
            var scheduled = timer.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
            return () -> scheduled.cancel(false);
        } catch (RejectedExecutionException closed) {
            return () -> {};
        }
    }

    @Override
    public Worker worker(String role) {
        ThreadPoolExecutor thread = new ThreadPoolExecutor(
                1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads(role));
        thread.allowCoreThreadTimeOut(true);
        thread.setRejectedExecutionHandler(RUN_HERE);
        return new Worker() {
            /** Whether there are tasks for which there is no thread. */
            private final AtomicBoolean waits = new AtomicBoolean();

            @Override
            public void execute(Runnable task) {
                if (waits.get()) {
                    add(task);
                    return;
                }
                try {
                    thread.execute(task);
                } catch (OutOfMemoryError e) {
                    waits.set(true);
                    if (!thread.getQueue().contains(task)) {
                        add(task);
                    }
                    later(() -> {
                        thread.prestartCoreThread();
                        waits.set(false);
                    });
                }
            }

            private void add(Runnable task) {
                thread.getQueue().add(task);
                if (thread.isShutdown() && thread.getQueue().remove(task)) {
                    task.run();
                }
            }

            @Override
            public List<Runnable> finish(long nanos) {
                thread.shutdown();
                long until = System.nanoTime() + nanos;
                boolean interrupted = false;
                // An interrupt must not keep the last releases from being sent.
                while (!thread.isTerminated() && System.nanoTime() - until < 0) {
                    try {
                        if (thread.awaitTermination(until - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                            break;
                        }
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                return thread.shutdownNow();
            }
        };
    }

    @Override
    public Executor callbacks() {
        return task -> whenThereIsAThread(() -> callbacks.execute(task));
    }

    @Override
    public void daemon(String role, Runnable task) {
        whenThereIsAThread(() -> threads(role).newThread(task).start());
    }

    /** Whoever calls must not be harmed by a shortage: it may have the lock already, and others wait for what it does next. */
    private void whenThereIsAThread(Runnable start) {
        try {
            start.run();
        } catch (OutOfMemoryError e) {
            later(start);
        }
    }

    private void later(Runnable start) {
        owed.add(start);
        tryAgainSoon();
    }

    private void tryAgainSoon() {
        if (triesAgain.compareAndSet(false, true)) {
            try {
                timer.schedule(this::tryAgain, SHORTAGE_MILLIS, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException closed) {
                tryAgain(); // after the end what is to run runs where it comes from
            }
        }
    }

    private void tryAgain() {
        triesAgain.set(false);
        for (Runnable start = owed.poll(); start != null; start = owed.poll()) {
            try {
                start.run();
            } catch (OutOfMemoryError e) {
                if (!closed.get()) {
                    owed.addFirst(start);
                    tryAgainSoon();
                    return;
                }
            }
        }
    }

    @Override
    public Object currentThread() {
        return Thread.currentThread();
    }

    @Override
    @SuppressWarnings("deprecation") // threadId() came with 19; getId() is the same number
    public long threadId(Object thread) {
        return ((Thread) thread).getId();
    }

    @Override
    public boolean isAlive(Object thread) {
        return ((Thread) thread).isAlive();
    }

    @Override
    public void interrupt(Object thread) {
        ((Thread) thread).interrupt();
    }

    @Override
    public boolean interrupted() {
        return Thread.interrupted();
    }

    @Override
    public void park(long nanos) {
        LockSupport.parkNanos(this, nanos);
    }

    @Override
    public void unpark(Object thread) {
        LockSupport.unpark((Thread) thread);
    }

    @Override
    public boolean mayBlockHere() {
        if (IS_VIRTUAL == null) {
            return true;
        }
        try {
            return !(boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
        } catch (Throwable e) {
            throw new IllegalStateException("Thread.isVirtual failed", e);
        }
    }

    @Override
    public <T> Supplier<T> perThread(Supplier<T> initial) {
        return ThreadLocal.withInitial(initial)::get;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            timer.shutdownNow();
            callbacks.shutdown();
            tryAgain();
        }
    }

    private ThreadFactory threads(String role) {
        return task -> {
            Thread thread = maker.apply(task);
            thread.setName("holdfast-" + role);
            thread.setDaemon(true);
            return thread;
        };
    }

    private static @Nullable MethodHandle isVirtualHandle() {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (NoSuchMethodException | IllegalAccessException beforeJdk21) {
            return null;
        }
    }
}
