package io.holdfast.internal;

import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Capability;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreHealth;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A store with a point before each request and one between its effect and the answer. */
final class PointStore implements LockStore {
    private final LockStore store;
    private final StepPlatform platform;

    PointStore(LockStore store, StepPlatform platform) {
        this.store = store;
        this.platform = platform;
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
    public CompletionStage<ReleaseReply> release(String name, String owner) {
        return around("release", () -> store.release(name, owner));
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<RenewItem> batch, Duration timeout) {
        return around("renew", () -> store.renew(batch, timeout));
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
