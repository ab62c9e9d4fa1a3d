package io.holdfast.internal;

import io.holdfast.spi.Platform;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The blocking edge. A caller that waits for a stage runs, meanwhile, the requests that are made on its behalf, so that
 * they need no other thread. Once it has left, what is left to run goes to the worker.
 *
 * <p>A caller that must not block on a socket hands everything to the worker and only waits.
 */
final class Caller implements Executor {
    private final Platform platform;
    private final Executor worker;
    private final Object thread;
    private final boolean runs;
    private @Nullable ArrayDeque<Runnable> tasks;
    private boolean here = true;

    Caller(Platform platform, Executor worker) {
        this.platform = platform;
        this.worker = worker;
        this.thread = platform.currentThread();
        this.runs = platform.mayBlockHere();
    }

    /** Whether the caller runs its own requests. */
    boolean runs() {
        return runs;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (this) {
            if (runs && here) {
                if (tasks == null) {
                    tasks = new ArrayDeque<>(2);
                }
                tasks.add(task);
                platform.unpark(thread);
                return;
            }
        }
        worker.execute(task);
    }

    /**
     * Waits for the stage, and runs what has to be run until then.
     *
     * @param whenInterrupted called, and the wait ended, if the thread is interrupted; null: wait on, and leave the flag
     *     set
     */
    <T> T await(CompletableFuture<T> stage, @Nullable Runnable whenInterrupted) throws InterruptedException {
        boolean interrupted = false;
        if (!stage.isDone()) {
            stage.whenComplete((value, error) -> platform.unpark(thread));
        }
        try {
            while (!stage.isDone()) {
                Runnable task = next();
                if (task != null) {
                    task.run();
                    continue;
                }
                if (platform.interrupted()) {
                    if (whenInterrupted != null) {
                        whenInterrupted.run();
                        throw new InterruptedException();
                    }
                    interrupted = true;
                }
                platform.park(Long.MAX_VALUE);
            }
            return result(stage);
        } finally {
            leave();
            if (interrupted) {
                platform.interrupt(thread);
            }
        }
    }

    /** As {@link #await}, whatever interrupts come; they are still set afterwards. */
    <T> T awaitUninterruptibly(CompletableFuture<T> stage) {
        try {
            return await(stage, null);
        } catch (InterruptedException e) {
            throw new AssertionError("was told not to throw", e);
        }
    }

    private <T> T result(CompletableFuture<T> stage) {
        try {
            return stage.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                if (!runs) {
                    // The trace of the thread that waited is the one its reader looks for.
                    cause.addSuppressed(new Throwable("waited for here"));
                }
                throw cause;
            }
            throw e;
        }
    }

    private synchronized @Nullable Runnable next() {
        return tasks == null ? null : tasks.poll();
    }

    private void leave() {
        synchronized (this) {
            here = false;
        }
        for (Runnable task = next(); task != null; task = next()) {
            worker.execute(task);
        }
    }
}
