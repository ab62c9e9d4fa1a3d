package io.holdfast.internal;

import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Capability;
import io.holdfast.spi.LatchStore;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseItem;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreHealth;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store with a point before each request and one between its effect and the answer. */
final class PointStore implements LockStore {
    private final LockStore store;
    private final StepPlatform platform;
    private final boolean oneByOne;
    private final Set<String> atLatches = new HashSet<>();

    /** @param oneByOne whether it answers only for the first when it is asked for several */
    PointStore(LockStore store, StepPlatform platform, boolean oneByOne) {
        this.store = store;
        this.platform = platform;
        this.oneByOne = oneByOne;
    }

    /** Those who wait for a latch as far as the store knows. */
    Set<String> atLatches() {
        return atLatches;
    }

    private <T> T around(String request, Supplier<T> call) {
        platform.point("before " + request);
        T answer = call.get();
        platform.point("after " + request);
        return answer;
    }

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        return around("acquire", () -> store.acquire(request));
    }

    @Override
    public CompletionStage<List<AcquireReply>> acquireAll(List<AcquireRequest> requests, boolean part) {
        return oneByOne
                ? LockStore.super.acquireAll(requests, part)
                : around("acquire all", () -> store.acquireAll(requests, part));
    }

    @Override
    public CompletionStage<List<ReleaseReply>> releaseAll(List<ReleaseItem> items) {
        return oneByOne ? LockStore.super.releaseAll(items) : around("release all", () -> store.releaseAll(items));
    }

    @Override
    public CompletionStage<ReleaseReply> release(String name, String owner) {
        return around("release", () -> store.release(name, owner));
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<RenewItem> batch, Duration timeout) {
        return around("renew", () -> store.renew(batch, timeout));
    }

    @Override
    public LatchStore latches() {
        LatchStore latches = store.latches();
        return new LatchStore() {
            @Override
            public CompletionStage<Boolean> set(String name, String id, int count, Duration life) {
                return around("set", () -> latches.set(name, id, count, life));
            }

            @Override
            public CompletionStage<State> countDown(String name, String id, String made) {
                return around("count down", () -> latches.countDown(name, id, made));
            }

            @Override
            public CompletionStage<State> look(String name, @Nullable String waiter) {
                return around(
                        "look",
                        () -> latches.look(name, waiter).thenApply(state -> {
                            if (waiter != null && !state.isOpen()) {
                                atLatches.add(waiter);
                            } else {
                                atLatches.clear();
                            }
                            return state;
                        }));
            }

            @Override
            public CompletionStage<State> leave(String name, String waiter) {
                return around("leave", () -> {
                    atLatches.remove(waiter);
                    return latches.leave(name, waiter);
                });
            }

            @Override
            public CompletionStage<State> clear(String name, String id, String made) {
                return around("clear", () -> latches.clear(name, id, made));
            }
        };
    }

    @Override
    public CompletionStage<List<LockInfo>> inspect(String pattern) {
        return store.inspect(pattern);
    }

    @Override
    public CompletionStage<StoreHealth> health() {
        return store.health();
    }

    @Override
    public Set<Capability> capabilities() {
        return store.capabilities();
    }

    @Override
    public String address() {
        return store.address();
    }

    @Override
    public void close() {
        around("closing the store", () -> {
            store.close();
            return true;
        });
    }
}
