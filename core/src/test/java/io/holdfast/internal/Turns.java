package io.holdfast.internal;

import org.jspecify.annotations.Nullable;

/** Two threads that never run at the same time: the one whose turn it is goes on until it yields or ends. */
final class Turns {
    static final String CALLER = "caller";
    private static final long PATIENCE_MILLIS = 20_000;

    private final StepPlatform platform;
    private final Thread caller = Thread.currentThread();
    private final ThreadLocal<String> identity = ThreadLocal.withInitial(() -> CALLER);
    private @Nullable Thread other;
    private Thread turn = caller;
    private boolean otherEnded;
    private @Nullable Throwable failure;

    Turns(StepPlatform platform) {
        this.platform = platform;
    }

    /** Who the present thread plays. */
    String identity() {
        return identity.get();
    }

    void as(String role, Runnable task) {
        String before = identity.get();
        identity.set(role);
        try {
            task.run();
        } finally {
            identity.set(before);
        }
    }

    /** Starts the second thread, whose turn it is then. */
    void start(String role, Runnable task) {
        Thread started = new Thread(() -> {
            try {
                as(role, task);
            } catch (Throwable e) {
                failure = e;
            }
            pass(caller, true);
        });
        started.setDaemon(true);
        other = started;
        synchronized (this) {
            turn = started;
        }
        started.start();
        awaitTurn();
    }

    /** Lets the other one go on; false if there is none. */
    boolean giveWay() {
        Thread next = Thread.currentThread() == caller ? other : caller;
        if (next == null || otherEnded) {
            return false;
        }
        pass(next, false);
        awaitTurn();
        return true;
    }

    /** Lets the other one come to its end. */
    void joinOther() {
        while (giveWay()) {}
        if (failure != null) {
            throw new AssertionError("the second thread failed", failure);
        }
        platform.settle();
    }

    private synchronized void pass(Thread next, boolean ended) {
        otherEnded |= ended;
        turn = next;
        notifyAll();
    }

    private synchronized void awaitTurn() {
        long until = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
        while (turn != Thread.currentThread()) {
            long left = (until - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new AssertionError("the other thread does not come to its end");
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                throw new AssertionError("flags are make-believe here", e);
            }
        }
    }
}
