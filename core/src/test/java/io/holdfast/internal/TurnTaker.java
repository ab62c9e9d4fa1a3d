package io.holdfast.internal;

import static java.time.Duration.ofHours;
import static java.util.Objects.requireNonNull;

import io.holdfast.LockOptions;
import io.holdfast.spi.Share;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A thread that wants the lock "x", and comes to what it was called for when it is told to. */
final class TurnTaker implements Executor {
    private final Engine engine;
    private final StepPlatform platform;
    private final String name;
    private final LockOptions options;
    private final Share share;
    private final Order order;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private @Nullable Acquisition attempt;

    TurnTaker(Engine engine, StepPlatform platform, String name, LockOptions options, Share share, Order order) {
        this.engine = engine;
        this.platform = platform;
        this.name = name;
        this.options = options;
        this.share = share;
        this.order = order;
    }

    TurnTaker asks(long waitNanos) {
        platform.turns()
                .as(
                        name,
                        () -> attempt = engine.acquire(
                                new Wish(engine, "x", options, name, waitNanos, share, order), this, true));
        return this;
    }

    TurnTaker asks() {
        return asks(ofHours(1).toNanos());
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    boolean isCalled() {
        return !tasks.isEmpty();
    }

    void comes() {
        platform.turns().as(name, () -> {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
        });
    }

    boolean has() {
        Optional<HeldLease> lease = attempt().result().isCompletedExceptionally()
                ? Optional.empty()
                : attempt().result().getNow(Optional.empty());
        return lease.isPresent() && engine.isValid(lease.get());
    }

    long token() {
        return lease().token();
    }

    Acquisition attempt() {
        return requireNonNull(attempt, "has not asked");
    }

    HeldLease lease() {
        return attempt().result().join().orElseThrow();
    }

    boolean unlocks() {
        boolean[] good = new boolean[1];
        platform.turns().as(name, () -> good[0] = engine.endings().release(lease()));
        return good[0];
    }
}
