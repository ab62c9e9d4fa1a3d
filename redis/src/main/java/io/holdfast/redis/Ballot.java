package io.holdfast.redis;

import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One question to all servers, and the thread that waits for what comes of it. It is over as soon as the votes decide, or
 * when every server has answered, failed or run out of time. What comes later is heard by whoever wants to.
 */
final class Ballot<T> {
    private final Platform platform;
    private final Object caller;
    private final int fewest;
    private final long deadline;
    private final Predicate<List<@Nullable Vote<T>>> decides;
    private final List<@Nullable NodeCall> calls = new ArrayList<>();

    // Guarded by this.
    private final List<@Nullable Vote<T>> votes = new ArrayList<>();
    private @Nullable BiConsumer<Integer, T> late;
    private volatile boolean awaited;
    private volatile boolean over;
    private volatile boolean forgotten;

    /**
     * A question.
     *
     * @param deadline when it is over at the latest, whatever time its calls have
     * @param decides whether these votes, null where there is none yet, are enough
     */
    Ballot(Platform platform, Quorum quorum, long deadline, Predicate<List<@Nullable Vote<T>>> decides) {
        this.deadline = deadline;
        this.platform = platform;
        // Fewer decide nothing, neither for nor against.
        this.fewest = Math.min(quorum.majority(), quorum.blocking());
        this.caller = platform.currentThread();
        this.decides = decides;
        for (int i = 0; i < quorum.nodes(); i++) {
            votes.add(null);
            calls.add(null);
        }
    }

    /** The call that asks a server; before it is sent. */
    void asks(int node, NodeCall call) {
        calls.set(node, call);
    }

    boolean isOver() {
        return over;
    }

    /** What it asks for is not wanted any more. */
    void forget() {
        forgotten = true;
    }

    boolean isForgotten() {
        return forgotten;
    }

    /** Whether its thread waits for answers by now. */
    boolean isAwaited() {
        return awaited && !over;
    }

    /** Runs it unless the question is over, and keeps it from being over meanwhile. */
    synchronized void whileOpen(Runnable action) {
        if (!over) {
            action.run();
        }
    }

    void answer(int node, T answer) {
        BiConsumer<Integer, T> hears;
        synchronized (this) {
            if (!over) {
                vote(node, Vote.of(answer));
                return;
            }
            hears = late;
        }
        if (hears != null) {
            hears.accept(node, answer);
        }
    }

    synchronized void fail(int node, StoreFailure failure) {
        if (!over) {
            vote(node, Vote.failed(failure));
        }
    }

    private void vote(int node, Vote<T> vote) {
        if (votes.get(node) == null) {
            votes.set(node, vote);
            if (isDecided() && platform.currentThread() != caller) {
                platform.unpark(caller);
            }
        }
    }

    private boolean isDecided() {
        int open = 0;
        for (Vote<T> vote : votes) {
            open += vote == null ? 1 : 0;
        }
        return open == 0 || (votes.size() - open >= fewest && decides.test(votes));
    }

    private synchronized boolean canEnd() {
        return isDecided();
    }

    /** Waits until it is over: first for one server after the other, as long as they are quick, then for any. */
    List<@Nullable Vote<T>> await() {
        awaited = true;
        for (NodeCall call : calls) {
            if (call != null && !canEnd()) {
                call.read();
            }
        }
        boolean interrupted = false;
        try {
            while (true) {
                long left;
                synchronized (this) {
                    left = timeLeft();
                    if (isDecided()) {
                        over = true;
                        return new ArrayList<>(votes);
                    }
                }
                platform.park(left);
                // Whether an interrupt ends the wait for a lock is decided above; a question is not cut short.
                interrupted |= platform.interrupted();
            }
        } finally {
            if (interrupted) {
                platform.interrupt(caller);
            }
        }
    }

    /** Counts those out whose time is over; how long the next has. */
    private long timeLeft() {
        long now = platform.nanoTime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < votes.size(); i++) {
            NodeCall call = calls.get(i);
            if (votes.get(i) == null && call != null) {
                long left = Math.min(call.limitNanos() - now, deadline - now);
                if (left <= 0) {
                    votes.set(i, Vote.failed(call.late()));
                } else {
                    least = Math.min(least, left);
                }
            }
        }
        return least;
    }

    /** From now on hears what comes after the end. */
    synchronized void late(BiConsumer<Integer, T> hears) {
        late = hears;
    }
}
