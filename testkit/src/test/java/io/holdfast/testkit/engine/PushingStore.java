package io.holdfast.testkit.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Capability;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreEvents;
import io.holdfast.spi.StoreFailure;
import io.holdfast.spi.StoreHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Everybody waits, unless told otherwise; what was asked is kept. */
final class PushingStore implements LockStore {
    final List<AcquireRequest> asks = new CopyOnWriteArrayList<>();
    final List<String> releases = new CopyOnWriteArrayList<>();
    final List<RenewItem> renewals = new CopyOnWriteArrayList<>();
    volatile @Nullable StoreContext context;
    volatile @Nullable CompletableFuture<AcquireReply> next;
    volatile boolean gone;
    volatile boolean broken;
    volatile boolean answersLater;
    final List<CompletableFuture<List<RenewReply>>> later = new CopyOnWriteArrayList<>();

    /** Until then, whoever asks hangs. */
    volatile @Nullable CountDownLatch hangs;

    /** Whoever asks is told by another thread, and stays asleep in here. */
    volatile boolean leavesAsleep;

    StoreEvents events() {
        return requireNonNull(context).events();
    }

    private static void hang(CountDownLatch until) {
        try {
            assertThat(until.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        asks.add(request);
        CountDownLatch hung = hangs;
        if (hung != null) {
            hang(hung);
        }
        CompletableFuture<AcquireReply> told = next;
        return told != null
                ? told
                : CompletableFuture.completedFuture(new AcquireReply.Queued(Duration.ofSeconds(20), true));
    }

    @Override
    public void acquire(AcquireRequest request, CompletableFuture<AcquireReply> told) {
        if (!leavesAsleep) {
            LockStore.super.acquire(request, told);
            return;
        }
        asks.add(request);
        CountDownLatch hung = hangs;
        if (hung != null) {
            hang(hung);
        }
        CompletableFuture.runAsync(() -> told.complete(new AcquireReply.Queued(Duration.ofSeconds(20), true)))
                .join();
        requireNonNull(context).platform().park(Long.MAX_VALUE);
    }

    @Override
    public CompletionStage<ReleaseReply> release(String name, String owner) {
        releases.add(owner);
        return broken
                ? CompletableFuture.failedFuture(StoreFailure.unavailable("out of order", null))
                : CompletableFuture.completedFuture(ReleaseReply.RELEASED);
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<RenewItem> batch, Duration timeout) {
        renewals.addAll(batch);
        if (answersLater) {
            CompletableFuture<List<RenewReply>> answer = new CompletableFuture<>();
            later.add(answer);
            return answer;
        }
        List<RenewReply> replies = new ArrayList<>();
        batch.forEach(item -> replies.add(gone ? new RenewReply.Gone() : new RenewReply.Renewed()));
        return CompletableFuture.completedFuture(replies);
    }

    @Override
    public CompletionStage<List<LockInfo>> inspect(String pattern) {
        return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public CompletionStage<StoreHealth> health() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.NOTIFICATION, Capability.FIRST_COME, Capability.SHARING);
    }

    @Override
    public String address() {
        return "a store of the test";
    }

    @Override
    public void close() {}
}
