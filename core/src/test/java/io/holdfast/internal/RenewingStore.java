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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** Answers every renewal as it was told, and counts them. */
final class RenewingStore implements LockStore {
    private final AtomicInteger renewals;
    private volatile RenewReply reply = new RenewReply.Renewed();
    private final Map<String, RenewReply> replies = new HashMap<>();
    private final Map<String, String> parts = new HashMap<>();
    private final List<List<String>> batches = new ArrayList<>();
    private final List<Runnable> answers = new ArrayList<>();
    private boolean keepsAnswers;
    private boolean failsToTell;

    RenewingStore(AtomicInteger renewals) {
        this.renewals = renewals;
    }

    /** From now on renewals are answered so. */
    void answer(RenewReply next) {
        reply = next;
    }

    /** From now on those of one lock are answered so. */
    void answer(String name, RenewReply next) {
        replies.put(name, next);
    }

    void isIn(String name, String part) {
        parts.put(name, part);
    }

    /** The names of the locks of each batch since it was asked last. */
    List<List<String>> batches() {
        List<List<String>> all = List.copyOf(batches);
        batches.clear();
        return all;
    }

    /** Whether it throws when it is asked where a lock is, which no store should. */
    void failsToTell(boolean fails) {
        failsToTell = fails;
    }

    void keepsAnswers() {
        keepsAnswers = true;
    }

    void givesAnswers() {
        keepsAnswers = false;
        List.copyOf(answers).forEach(Runnable::run);
        answers.clear();
    }

    @Override
    public String part(String name) {
        if (failsToTell) {
            throw new IllegalStateException("cannot tell");
        }
        return parts.getOrDefault(name, "");
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<RenewItem> batch, Duration timeout) {
        renewals.incrementAndGet();
        batches.add(batch.stream().map(RenewItem::name).toList());
        CompletableFuture<List<RenewReply>> answer = new CompletableFuture<>();
        Runnable gives = () -> answer.complete(batch.stream()
                .map(item -> replies.getOrDefault(item.name(), reply))
                .toList());
        if (keepsAnswers) {
            answers.add(gives);
        } else {
            gives.run();
        }
        return answer;
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
