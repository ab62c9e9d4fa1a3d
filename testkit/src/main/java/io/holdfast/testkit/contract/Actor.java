package io.holdfast.testkit.contract;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A thread of a test, with what became of it. */
final class Actor<T> {
    private final Thread thread;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    Actor(Callable<T> script) {
        thread = new Thread(() -> perform(script), "actor");
        thread.setDaemon(true);
        thread.start();
    }

    private void perform(Callable<T> script) {
        try {
            result.complete(script.call());
        } catch (Throwable e) {
            result.completeExceptionally(e);
        }
    }

    boolean isDone() {
        return result.isDone();
    }

    void interrupt() {
        thread.interrupt();
    }

    /** Whether it waits for something: a lock, as a rule. */
    boolean rests() {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }

    /** Waits for the end of the thread, and answers with what it returned; fails with what it threw. */
    T join() {
        try {
            T value = result.get(Bench.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            thread.join();
            return value;
        } catch (java.util.concurrent.ExecutionException e) {
            throw new CompletionException(e.getCause());
        } catch (TimeoutException e) {
            AssertionError late = new AssertionError("a thread of the test has not ended within " + Bench.PATIENCE);
            late.setStackTrace(thread.getStackTrace());
            throw late;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while another thread was waited for", e);
        }
    }

    /** Waits for the end of the thread, and answers with what it threw. */
    Throwable failure() {
        try {
            T value = join();
            throw new AssertionError("expected the thread to fail, but it returned " + value);
        } catch (CompletionException e) {
            return e.getCause() == null ? e : e.getCause();
        }
    }
}
