package io.holdfast.memory;

import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Capability;
import io.holdfast.spi.ExchangeReply;
import io.holdfast.spi.LatchStore;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseItem;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.StoreFailure;
import io.holdfast.spi.StoreHealth;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One client's door to a {@link MemorySpace}. Never blocks, and fails only once it is closed. */
public final class MemoryStore implements LockStore {
    private final MemorySpace space;
    private final StoreContext context;
    private final Runnable whenClosed;
    private volatile boolean closed;

    MemoryStore(MemorySpace space, StoreContext context, Runnable whenClosed) {
        this.space = space;
        this.context = context;
        this.whenClosed = whenClosed;
        space.join(context);
    }

    /** A store of its own for the client that opens it; several clients with the same factory share it. */
    public static StoreFactory isolated() {
        MemorySpace space = new MemorySpace("");
        return context -> new MemoryStore(space, context, () -> {});
    }

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        return answer(() -> space.acquire(request, context)).thenCompose(MemoryStore::known);
    }

    @Override
    public CompletionStage<List<AcquireReply>> acquireAll(List<AcquireRequest> requests, boolean part) {
        return answer(() -> space.acquireAll(requests, part, context));
    }

    @Override
    public CompletionStage<List<ReleaseReply>> releaseAll(List<ReleaseItem> items) {
        long now = context.platform().nanoTime();
        return answer(() -> items.stream()
                .map(item -> space.release(item.name(), item.owner(), now))
                .toList());
    }

    @Override
    public CompletionStage<ReleaseReply> release(String name, String owner) {
        return answer(() -> space.release(name, owner, context.platform().nanoTime()));
    }

    @Override
    public CompletionStage<ExchangeReply> exchange(String owner, AcquireRequest next) {
        return answer(() -> space.exchange(owner, next, context));
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<RenewItem> batch, Duration timeout) {
        long now = context.platform().nanoTime();
        return answer(() -> batch.stream().map(item -> space.renew(item, now)).toList());
    }

    @Override
    public CompletionStage<Boolean> resize(String name, int permits) {
        return answer(() -> space.resize(name, permits, context.platform().nanoTime()));
    }

    @Override
    public CompletionStage<Boolean> expel(String name, String owner) {
        return answer(() -> space.expel(name, owner, context));
    }

    @Override
    public LatchStore latches() {
        return new LatchStore() {
            @Override
            public CompletionStage<Boolean> set(String name, String id, int count, Duration life) {
                return answer(() -> space.latches.set(name, id, count, life, context));
            }

            @Override
            public CompletionStage<State> countDown(String name, String id, String made) {
                return answer(() -> space.latches.countDown(name, id, made, context));
            }

            @Override
            public CompletionStage<State> look(String name, @Nullable String waiter) {
                return answer(() -> space.latches.look(name, waiter, context));
            }

            @Override
            public CompletionStage<State> leave(String name, String waiter) {
                return answer(() -> space.latches.leave(name, waiter, context));
            }

            @Override
            public CompletionStage<State> clear(String name, String id, String made) {
                return answer(() -> space.latches.clear(name, made, context));
            }
        };
    }

    @Override
    public CompletionStage<List<LockInfo>> inspect(String pattern) {
        return answer(() -> space.inspect(pattern, context.platform()));
    }

    @Override
    public CompletionStage<StoreHealth> health() {
        return answer(
                () -> new StoreHealth(true, Duration.ZERO, List.of("only threads of this one process are excluded")));
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(
                Capability.NOTIFICATION,
                Capability.FIRST_COME,
                Capability.SHARING,
                Capability.LATCHES,
                Capability.ORIGINS);
    }

    @Override
    public String address() {
        return space.address();
    }

    @Override
    public void close() {
        closed = true;
        space.leave(context);
        whenClosed.run();
    }

    private static CompletionStage<AcquireReply> known(AcquireReply reply) {
        return reply instanceof AcquireReply.Failed failed
                ? CompletableFuture.failedFuture(failed.failure())
                : CompletableFuture.completedFuture(reply);
    }

    private <T> CompletionStage<T> answer(Supplier<T> operation) {
        return closed
                ? CompletableFuture.failedFuture(StoreFailure.unavailable(address() + " is closed", null))
                : CompletableFuture.completedFuture(operation.get());
    }
}
