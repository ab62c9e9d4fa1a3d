package io.holdfast.internal;

import static java.util.Objects.requireNonNull;

import io.holdfast.DistributedLatch;
import io.holdfast.LockOptions;
import io.holdfast.spi.LatchStore;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A name; everything else is the engine's. */
public final class NamedLatch implements DistributedLatch {
    private static final int MOST = 1_000_000;
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofDays(365);

    private final Engine engine;
    private final LatchStore latches;
    private final String name;
    private final LockOptions options;

    public NamedLatch(Engine engine, String name, LockOptions options) {
        this.engine = engine;
        this.latches = engine.latches();
        this.name = name;
        this.options = options;
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public boolean trySetCount(int count) {
        return trySetCount(count, Duration.ofDays(1));
    }

    @Override
    public boolean trySetCount(int count, Duration life) {
        if (count < 1 || count > MOST) {
            throw new IllegalArgumentException(
                    "count " + count + " is not from 1 to " + MOST + " (latch '" + name + "')");
        }
        requireNonNull(life, "life");
        if (life.compareTo(SHORTEST) < 0 || life.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "life " + life + " is not from 100 ms to 365 days (latch '" + name + "')");
        }
        String id = id();
        return decided(id, () -> latches.set(name, id, count, life));
    }

    @Override
    public OptionalInt getCount() {
        LatchStore.State state = decided(id(), () -> latches.look(name, null));
        return state.made() == null ? OptionalInt.empty() : OptionalInt.of(state.left());
    }

    @Override
    public void countDown() {
        String id = id();
        counted(decided(id, new Aimed(id, latches::countDown)));
    }

    @Override
    public CompletionStage<Void> countDownAsync() {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        String id = id();
        Inquiry<Aim, Boolean> inquiry =
                engine.inquire(name, options, id, Wish.FOREVER, new Aimed(id, latches::countDown), this::counted);
        pass(inquiry, answer, done -> null);
        return answer;
    }

    private Optional<Boolean> counted(Aim aim) {
        if (aim.made() == null) {
            throw new IllegalStateException(
                    "latch '" + name + "' is not set: call trySetCount first, or its life is over");
        }
        if (!aim.isHit()) {
            throw new IllegalStateException("latch '" + name
                    + "' was forgotten while it was counted down: its life was over, or it was cleared");
        }
        return Optional.of(true);
    }

    /**
     * How it went.
     *
     * @param made which latch there was at first; null if there was none
     * @param found how the one of that name stood in the end
     */
    private record Aim(@Nullable String made, LatchStore.State found) {
        boolean isHit() {
            return made != null && made.equals(found.made());
        }
    }

    /** A change of one latch. */
    private interface Change {
        CompletionStage<LatchStore.State> ask(String name, String id, String made);
    }

    /**
     * Asks first which latch it is, and then, as often as it takes, for a change of that one: when an answer is lost nobody
     * knows whether it was changed, and one that has been set anew since must not be hit instead.
     */
    private final class Aimed implements Supplier<CompletionStage<Aim>> {
        private final String id;
        private final Change change;
        private volatile @Nullable String made;

        Aimed(String id, Change change) {
            this.id = id;
            this.change = change;
        }

        @Override
        public CompletionStage<Aim> get() {
            String known = made;
            return known == null ? latches.look(name, null).thenCompose(this::take) : hit(known);
        }

        private CompletionStage<Aim> take(LatchStore.State state) {
            made = state.made();
            return made == null ? CompletableFuture.completedStage(new Aim(null, state)) : hit(made);
        }

        private CompletionStage<Aim> hit(String target) {
            return change.ask(name, id, target).thenApply(state -> new Aim(target, state));
        }
    }

    @Override
    public boolean await(Duration wait) throws InterruptedException {
        long nanos = nanos(wait);
        if (engine.platform().interrupted()) {
            throw new InterruptedException();
        }
        Caller caller = engine.caller(name);
        String id = id();
        Inquiry<LatchStore.State, Boolean> inquiry =
                engine.inquire(name, options, id, nanos, look(id), isOpen(), caller);
        boolean open = false;
        try {
            open = caller.await(inquiry.result(), inquiry::abandon).isPresent();
            return open;
        } finally {
            if (!open) {
                leave(id);
            }
        }
    }

    @Override
    public CompletionStage<Boolean> awaitAsync(Duration wait) {
        String id = id();
        Inquiry<LatchStore.State, Boolean> inquiry = engine.inquire(name, options, id, nanos(wait), look(id), isOpen());
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        pass(inquiry, answer, Optional::isPresent);
        answer.whenComplete((open, error) -> {
            if (open == null || !open) {
                inquiry.abandon();
                leave(id);
            }
        });
        return answer;
    }

    private Supplier<CompletionStage<LatchStore.State>> look(String id) {
        return () -> latches.look(name, id);
    }

    /** Open, or not yet. One that was seen closed, and is another now or none, will never open. */
    private Function<LatchStore.State, Optional<Boolean>> isOpen() {
        AtomicReference<@Nullable String> seen = new AtomicReference<>();
        return state -> {
            String before = seen.get();
            if (before != null && !before.equals(state.made())) {
                throw new IllegalStateException(
                        "latch '" + name + "' was forgotten before it was open: its life was over, or it was cleared");
            }
            seen.set(state.made());
            return state.isOpen() ? Optional.of(true) : Optional.empty();
        };
    }

    private void leave(String id) {
        engine.inBackground(name, () -> latches.leave(name, id));
    }

    @Override
    public boolean clear() {
        String id = id();
        return decided(id, new Aimed(id, latches::clear)).made() != null;
    }

    /** Asks until there is an answer. */
    private <T> T decided(String id, Supplier<CompletionStage<T>> question) {
        Caller caller = engine.caller(name);
        Inquiry<T, T> inquiry = engine.inquire(name, options, id, Wish.FOREVER, question, Optional::of, caller);
        return caller.awaitUninterruptibly(inquiry.result()).orElseThrow();
    }

    private <R, A> void pass(Inquiry<?, R> inquiry, CompletableFuture<A> answer, Function<Optional<R>, A> shape) {
        inquiry.result()
                .whenCompleteAsync(
                        (found, error) -> {
                            if (error != null) {
                                answer.completeExceptionally(error);
                            } else {
                                answer.complete(shape.apply(found));
                            }
                        },
                        engine.platform().callbacks());
    }

    private String id() {
        return engine.newOwner(engine.platform().threadId(engine.platform().currentThread()))
                .text();
    }

    private static long nanos(Duration wait) {
        return Math.max(0, TimeUnit.NANOSECONDS.convert(requireNonNull(wait, "wait")));
    }

    @Override
    public String toString() {
        return "DistributedLatch['" + name + "' in " + engine.storeAddress() + "]";
    }
}
