package io.holdfast.internal;

import static java.util.Objects.requireNonNull;

import io.holdfast.ClientClosedException;
import io.holdfast.LockException;
import io.holdfast.Loss;
import io.holdfast.Outcome;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseItem;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Turns what went wrong in a store into what a user can act on. */
final class Failures {
    private Failures() {}

    /** How an attempt that is over has ended, to those who count. */
    static Outcome outcome(CompletableFuture<? extends Optional<?>> result, boolean waits) {
        if (!result.isDone()) {
            // Its caller goes without it, by an Error, and must not be kept.
            return Outcome.INTERRUPTED;
        }
        try {
            return result.join().isPresent() ? Outcome.OBTAINED : waits ? Outcome.TIMED_OUT : Outcome.BUSY;
        } catch (CancellationException e) {
            return Outcome.INTERRUPTED;
        } catch (CompletionException e) {
            return outcome(e.getCause());
        }
    }

    static Outcome outcome(@Nullable Throwable error) {
        if (error instanceof ClientClosedException) {
            return Outcome.CLOSED;
        }
        return error instanceof StoreRefusedException ? Outcome.REFUSED : Outcome.UNAVAILABLE;
    }

    /** Calls a store; whatever it throws, an Error included, fails the stage, since somebody waits for it. */
    static <T> CompletionStage<T> guarded(Supplier<CompletionStage<T>> call) {
        try {
            return requireNonNull(call.get(), "the store's answer");
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Renews; an answer that does not go with the question, item by item, is none. */
    static CompletionStage<List<RenewReply>> renew(LockStore store, List<RenewItem> items, Duration timeout) {
        return guarded(() -> store.renew(items, timeout)).thenApply(replies -> {
            if (replies.size() != items.size()) {
                throw StoreFailure.unavailable(
                        store.address() + " was asked for " + items.size() + " renewals and answered " + replies.size(),
                        null);
            }
            return replies;
        });
    }

    /** Asks for a lock; whatever the store throws is told, too. */
    static void acquire(
            LockStore store,
            AcquireRequest request,
            BiConsumer<@Nullable AcquireReply, @Nullable Throwable> whenAnswered) {
        CompletableFuture<AcquireReply> told = new CompletableFuture<>();
        told.whenComplete(whenAnswered);
        try {
            store.acquire(request, told);
        } catch (Throwable e) {
            told.completeExceptionally(e);
        }
    }

    /** Asks for several; an answer that does not go with the question is none. */
    static CompletionStage<List<AcquireReply>> acquireAll(
            LockStore store, List<AcquireRequest> requests, boolean part) {
        return guarded(() -> store.acquireAll(requests, part))
                .thenApply(replies -> atMost(store, requests.size(), replies));
    }

    /** Gives several up; an answer that does not go with the question is none. */
    static CompletionStage<List<ReleaseReply>> releaseAll(LockStore store, List<ReleaseItem> items) {
        return guarded(() -> store.releaseAll(items)).thenApply(replies -> atMost(store, items.size(), replies));
    }

    private static <T> List<T> atMost(LockStore store, int asked, List<T> replies) {
        if (replies.isEmpty() || replies.size() > asked) {
            throw StoreFailure.unavailable(
                    store.address() + " was asked for " + asked + " locks and answered " + replies.size(), null);
        }
        return replies;
    }

    static StoreFailure unconfirmed(String address, int replicas, int wanted) {
        return StoreFailure.unavailable(
                address + " granted the lock, but only " + replicas + " of the " + wanted
                        + " replicas it has to be on confirmed it in time; it is given back",
                null);
    }

    static StoreFailure takenAway(String address) {
        return StoreFailure.unavailable(
                address + " granted the lock, but it was released by force before its caller could be told", null);
    }

    /** It was lost before whoever asked for it could be told that it had been granted. */
    static LockException lostBeforeSeen(HeldLease lease, String address) {
        Loss loss = lease.loss();
        return new StoreUnavailableException(
                lease.name(),
                address + " granted the lock, but it was lost before its caller could be told"
                        + (loss == null ? "" : ": " + loss.detail()),
                null);
    }

    static LockException asLockException(String lockName, StoreFailure failure) {
        return failure.kind() == StoreFailure.Kind.REFUSED
                ? new StoreRefusedException(lockName, failure.reason(), failure.getCause())
                : new StoreUnavailableException(lockName, failure.reason(), failure.getCause());
    }
}
