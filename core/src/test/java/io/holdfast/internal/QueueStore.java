package io.holdfast.internal;

import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Capability;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreEvents;
import io.holdfast.spi.StoreFailure;
import io.holdfast.spi.StoreHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** One lock, or the permits of one semaphore, with a queue whose head is told of its grant, as on Redis. */
class QueueStore implements LockStore {
    private static final Duration GRANT = Duration.ofSeconds(2);

    private final StoreContext context;
    private final int places;
    private final Map<String, AcquireRequest> queue = new LinkedHashMap<>();
    private final List<String> holders = new ArrayList<>();
    private long counter;
    private int requests;
    private int mostTokens = Integer.MAX_VALUE;
    private boolean keepsAnswers;
    private final List<Runnable> answers = new ArrayList<>();
    private final List<CompletableFuture<AcquireReply>> unanswered = new ArrayList<>();

    QueueStore(StoreContext context, int places) {
        this.context = context;
        this.places = places;
    }

    /** How many requests there were to acquire or to release. */
    synchronized int requests() {
        return requests;
    }

    StoreEvents events() {
        return context.events();
    }

    synchronized boolean isEmpty() {
        return queue.isEmpty() && holders.isEmpty();
    }

    /** Everything is forgotten but the queue behind so many, whose head has it now. */
    synchronized void losesHoldersAnd(int tickets) {
        holders.clear();
        for (int i = 0; i < tickets; i++) {
            queue.remove(queue.keySet().iterator().next());
        }
        passOn();
    }

    /** From now on requests to acquire are carried out, and answered later. */
    synchronized void keepsAnswers() {
        keepsAnswers = true;
    }

    /** All that was kept back is answered, in its order; and what comes from now on at once. */
    void givesAnswers() {
        takeAnswers().forEach(Runnable::run);
    }

    /** The first that was kept back is answered; all others still wait. */
    void givesFirstAnswer() {
        Runnable first;
        synchronized (this) {
            unanswered.remove(0);
            first = answers.remove(0);
        }
        first.run();
    }

    private synchronized List<Runnable> takeAnswers() {
        keepsAnswers = false;
        List<Runnable> all = List.copyOf(answers);
        answers.clear();
        unanswered.clear();
        return all;
    }

    /** All answers that were kept back are lost. */
    void losesAnswers() {
        List<CompletableFuture<AcquireReply>> lost = List.copyOf(unanswered);
        takeAnswers();
        lost.forEach(answer -> answer.completeExceptionally(StoreFailure.unavailable("the answer is lost", null)));
    }

    @Override
    public synchronized CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        AcquireReply reply = carriesOut(request);
        if (!keepsAnswers) {
            return CompletableFuture.completedFuture(reply);
        }
        CompletableFuture<AcquireReply> answer = new CompletableFuture<>();
        unanswered.add(answer);
        answers.add(() -> answer.complete(reply));
        return answer;
    }

    private AcquireReply carriesOut(AcquireRequest request) {
        requests++;
        String owner = request.owner();
        if (holders.contains(owner) || (holders.size() < places && queue.isEmpty())) {
            if (!holders.contains(owner)) {
                holders.add(owner);
            }
            return new AcquireReply.Granted(++counter, 1);
        }
        if (!request.waits()) {
            return new AcquireReply.Busy();
        }
        String behind = queue.isEmpty()
                ? request.share().isWhole() ? holders.get(holders.size() - 1) : AcquireReply.Queued.FIRST
                : new ArrayList<>(queue.keySet()).get(queue.size() - 1);
        boolean isNew = queue.putIfAbsent(owner, request) == null;
        return new AcquireReply.Queued(Duration.ofSeconds(20), true, isNew ? behind : null);
    }

    @Override
    public CompletionStage<ReleaseReply> release(String name, String owner) {
        return release(name, owner, List.of());
    }

    @Override
    public synchronized CompletionStage<ReleaseReply> release(String name, String owner, List<String> served) {
        requests++;
        served.forEach(queue::remove);
        takesFromServed(served);
        queue.remove(owner);
        boolean held = holders.remove(owner);
        passOn();
        return CompletableFuture.completedFuture(held ? ReleaseReply.RELEASED : ReleaseReply.NOT_OWNER);
    }

    /** As a server whose counter is ahead of its clock: no more than so many are reserved. */
    synchronized void reservesNoMoreThan(int tokens) {
        mostTokens = tokens;
    }

    /** What they may have been given since they were served. */
    void takesFromServed(List<String> served) {
        holders.removeAll(served);
    }

    private void passOn() {
        while (holders.size() < places && !queue.isEmpty()) {
            AcquireRequest request = queue.values().iterator().next();
            String head = request.owner();
            queue.remove(head);
            holders.add(head);
            int tokens = Math.min(mostTokens, request.tokens() < 0 ? -17 * request.tokens() : 64);
            PushedGrant grant = new PushedGrant(
                    request.name(),
                    head,
                    counter + 1,
                    tokens,
                    GRANT,
                    context.platform().nanoTime(),
                    context.platform().wallMillis(),
                    holders.size() == places ? List.copyOf(queue.keySet()) : List.of());
            counter += tokens;
            context.platform().callbacks().execute(() -> context.events().granted(grant));
        }
    }

    @Override
    public synchronized CompletionStage<List<RenewReply>> renew(List<RenewItem> batch, Duration timeout) {
        return CompletableFuture.completedFuture(batch.stream()
                .map(item -> holders.contains(item.owner()) ? new RenewReply.Renewed() : new RenewReply.Gone())
                .map(RenewReply.class::cast)
                .toList());
    }

    @Override
    public CompletionStage<List<LockInfo>> inspect(String pattern) {
        return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public CompletionStage<StoreHealth> health() {
        return CompletableFuture.failedFuture(new UnsupportedOperationException("of no use here"));
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.FIRST_COME, Capability.SHARING);
    }

    @Override
    public String address() {
        return "queue";
    }

    @Override
    public void close() {
        // Nothing to close.
    }
}
