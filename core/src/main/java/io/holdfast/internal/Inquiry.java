package io.holdfast.internal;

import io.holdfast.ClientClosedException;
import io.holdfast.LockException;
import io.holdfast.LockOptions;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Platform;
import io.holdfast.spi.StoreFailure;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A question that is asked until its answer decides something: again when there are news, after a while if there are none, and
 * after a pause if the store cannot be reached, which it puts up with as long as the client does. It has to be one that can be
 * repeated.
 *
 * @param <T> an answer
 * @param <R> what is decided
 */
final class Inquiry<T, R> implements Attempt<R>, Waiter {
    private static final long RECHECK_NANOS = 2_000_000_000L;

    private final Engine engine;
    private final Platform platform;
    private final String name;
    private final LockOptions options;
    private final String id;
    private final long waitNanos;
    private final Supplier<CompletionStage<T>> question;
    private final Function<T, Optional<R>> decide;
    private final Executor runner;
    private final long startNanos;
    private final CompletableFuture<Optional<R>> result = new CompletableFuture<>();

    // Guarded by this.
    private final Pauses pauses;
    private boolean asking;
    private boolean again;
    private boolean answered;
    private @Nullable StoreFailure failure;
    private long outageSince;
    private boolean ended;
    private Platform.@Nullable Timer next;
    private Platform.@Nullable Timer deadline;

    /**
     * @param id under which the store may have news for it
     * @param waitNanos after that time it has decided nothing
     * @param decide empty: to be asked again; may throw
     */
    Inquiry(
            Engine engine,
            String name,
            LockOptions options,
            String id,
            long waitNanos,
            Supplier<CompletionStage<T>> question,
            Function<T, Optional<R>> decide,
            Executor runner) {
        this.engine = engine;
        this.platform = engine.platform();
        this.name = name;
        this.options = options;
        this.id = id;
        this.waitNanos = waitNanos;
        this.question = question;
        this.decide = decide;
        this.runner = runner;
        this.startNanos = platform.nanoTime();
        this.pauses = new Pauses(options.backoff(), platform);
    }

    /** What was decided; empty if nothing was in time. */
    @Override
    public CompletableFuture<Optional<R>> result() {
        return result;
    }

    /** @param callerRuns whether the runner is the caller itself, who asks at once */
    Inquiry<T, R> start(boolean callerRuns) {
        engine.expect(id, this);
        if (waitNanos != Wish.FOREVER) {
            synchronized (this) {
                deadline = platform.schedule(waitNanos, this::expire);
            }
        }
        if (callerRuns) {
            ask();
        } else {
            runner.execute(this::ask);
        }
        return this;
    }

    private void ask() {
        synchronized (this) {
            if (ended || asking) {
                return;
            }
            asking = true;
            again = false;
        }
        if (!engine.requests().announce()) {
            closed();
            return;
        }
        Failures.guarded(question).whenComplete((reply, error) -> {
            try {
                if (error != null) {
                    failed(StoreFailure.of(error));
                } else {
                    answered(reply);
                }
            } finally {
                engine.requests().end();
            }
        });
    }

    private void answered(T reply) {
        Optional<R> decided;
        try {
            decided = decide.apply(reply);
        } catch (RuntimeException e) {
            fail(e);
            return;
        }
        if (decided.isPresent()) {
            if (end()) {
                result.complete(decided);
            }
            return;
        }
        boolean now;
        boolean over;
        synchronized (this) {
            asking = false;
            answered = true;
            failure = null;
            pauses.reset();
            over = isOver();
            now = again && !over;
            if (!now && !over) {
                rest(RECHECK_NANOS / 2 + platform.random(RECHECK_NANOS / 2));
            }
        }
        if (over) {
            expire();
        } else if (now) {
            runner.execute(this::ask);
        }
    }

    private boolean isOver() {
        return waitNanos != Wish.FOREVER && platform.nanoTime() - startNanos >= waitNanos;
    }

    private void failed(StoreFailure why) {
        boolean outlasted;
        synchronized (this) {
            asking = false;
            long now = platform.nanoTime();
            if (failure == null) {
                outageSince = now;
            }
            failure = why;
            outlasted = waitNanos == Wish.FOREVER
                    && now - outageSince >= options.outageLimit().toNanos();
            outlasted |= isOver();
            if (!outlasted && why.kind() != StoreFailure.Kind.REFUSED) {
                rest(pauses.nextNanos());
                return;
            }
        }
        fail(Failures.asLockException(name, why));
    }

    private void rest(long nanos) {
        if (next != null) {
            // Two pieces of news in a row are two looks, and would go on as two.
            next.cancel();
        }
        if (!ended) {
            next = platform.schedule(nanos, () -> runner.execute(this::ask));
        }
    }

    @Override
    public void wake() {
        synchronized (this) {
            if (asking) {
                again = true;
                return;
            }
            if (next != null) {
                next.cancel();
            }
        }
        runner.execute(this::ask);
    }

    @Override
    public void closed() {
        fail(new ClientClosedException(name));
    }

    /** Nobody waits for it any more. */
    @Override
    public void abandon() {
        end();
        result.cancel(false);
    }

    private void expire() {
        LockException trouble = null;
        synchronized (this) {
            long moment = engine.commandTimeout().toNanos() - (platform.nanoTime() - startNanos);
            if (failure != null) {
                trouble = Failures.asLockException(name, failure);
            } else if (!answered && moment > 0) {
                // Whoever comes only to look has an answer, too.
                if (!ended) {
                    deadline = platform.schedule(moment, this::expire);
                }
                return;
            } else if (!answered) {
                trouble = new StoreUnavailableException(
                        name, engine.storeAddress() + " did not answer within " + waitNanos / 1_000_000 + " ms", null);
            }
        }
        if (trouble != null) {
            fail(trouble);
        } else if (end()) {
            result.complete(Optional.empty());
        }
    }

    private void fail(RuntimeException error) {
        if (end()) {
            result.completeExceptionally(error);
        }
    }

    /** False if it had ended before. */
    private boolean end() {
        synchronized (this) {
            if (ended) {
                return false;
            }
            ended = true;
            if (next != null) {
                next.cancel();
            }
            if (deadline != null) {
                deadline.cancel();
            }
        }
        engine.forget(id);
        return true;
    }
}
