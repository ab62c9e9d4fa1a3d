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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** Answers every renewal as it was told, and counts them. */
final class RenewingStore implements LockStore {
    private final AtomicInteger renewals;
    private volatile RenewReply reply = new RenewReply.Renewed();

    RenewingStore(AtomicInteger renewals) {
        this.renewals = renewals;
    }

    /** From now on renewals are answered so. */
    void answer(RenewReply next) {
        reply = next;
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<RenewItem> batch, Duration timeout) {
        renewals.incrementAndGet();
        return CompletableFuture.completedFuture(List.of(reply));
    }

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<ReleaseReply> release(String name, String owner) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<List<LockInfo>> inspect(String pattern) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<StoreHealth> health() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of();
    }

    @Override
    public String address() {
        return "renewing";
    }

    @Override
    public void close() {}
}
