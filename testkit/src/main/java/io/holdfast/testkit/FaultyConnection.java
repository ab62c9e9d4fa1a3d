package io.holdfast.testkit;

import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Capability;
import io.holdfast.spi.ExchangeReply;
import io.holdfast.spi.LatchStore;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.ReleaseItem;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreEvents;
import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.StoreFailure;
import io.holdfast.spi.StoreHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One client's way to the store behind a {@link FaultyStore}. */
final class FaultyConnection implements LockStore {
    private final FaultyStore faults;
    private final StoreContext context;
    private final @Nullable Platform server;
    private final LockStore inner;
    /** Requests that have come in while the store stood still. Guarded by itself. */
    private final List<Runnable> heldUp = new ArrayList<>();

    /** Ends what was not answered yet. */
    private final Set<Runnable> unanswered = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    FaultyConnection(
            FaultyStore faults, StoreFactory factory, StoreContext context, @Nullable ManualClock serverClock) {
        this.faults = faults;
        this.context = context;
        this.server = serverClock == null ? null : serverClock.platform();
        this.inner = factory.open(context.with(server == null ? context.platform() : server, new Filter()));
    }

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        return send(List.of(call(request)), context.commandTimeout(), () -> inner.acquire(request));
    }

    @Override
    public CompletionStage<List<AcquireReply>> acquireAll(List<AcquireRequest> requests, boolean part) {
        List<Call> calls = requests.stream().map(FaultyConnection::call).toList();
        return send(calls, context.commandTimeout(), () -> inner.acquireAll(requests, part));
    }

    @Override
    public CompletionStage<List<ReleaseReply>> releaseAll(List<ReleaseItem> items) {
        List<Call> calls = items.stream()
                .map(item -> new Call(Operation.RELEASE, item.name(), item.owner(), Duration.ZERO, false))
                .toList();
        return send(calls, context.commandTimeout(), () -> inner.releaseAll(items));
    }

    private static Call call(AcquireRequest request) {
        return new Call(Operation.ACQUIRE, request.name(), request.owner(), request.lease(), request.waits());
    }

    @Override
    public CompletionStage<ExchangeReply> exchange(String owner, AcquireRequest next) {
        Call release = new Call(Operation.RELEASE, next.name(), owner, Duration.ZERO, false);
        return send(List.of(release, call(next)), context.commandTimeout(), () -> inner.exchange(owner, next));
    }

    @Override
    public CompletionStage<ReleaseReply> release(String name, String owner) {
        Call call = new Call(Operation.RELEASE, name, owner, Duration.ZERO, false);
        return send(List.of(call), context.commandTimeout(), () -> inner.release(name, owner));
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<RenewItem> batch, Duration timeout) {
        List<Call> calls = batch.stream()
                .map(item -> new Call(Operation.RENEW, item.name(), item.owner(), item.lease(), false))
                .toList();
        return send(calls, timeout, () -> inner.renew(batch, timeout));
    }

    @Override
    public CompletionStage<Boolean> resize(String name, int permits) {
        Call call = new Call(Operation.RESIZE, name, "", Duration.ZERO, false);
        return send(List.of(call), context.commandTimeout(), () -> inner.resize(name, permits));
    }

    @Override
    public CompletionStage<Boolean> expel(String name, String owner) {
        Call call = new Call(Operation.RELEASE, name, owner, Duration.ZERO, false);
        return send(List.of(call), context.commandTimeout(), () -> inner.expel(name, owner));
    }

    @Override
    public LatchStore latches() {
        LatchStore latches = inner.latches();
        return new LatchStore() {
            @Override
            public CompletionStage<Boolean> set(String name, String id, int count, Duration life) {
                return ask(Operation.LATCH, name, id, () -> latches.set(name, id, count, life));
            }

            @Override
            public CompletionStage<State> countDown(String name, String id, String made) {
                return ask(Operation.COUNT_DOWN, name, id, () -> latches.countDown(name, id, made));
            }

            @Override
            public CompletionStage<State> look(String name, @Nullable String waiter) {
                return ask(Operation.LATCH, name, waiter == null ? "" : waiter, () -> latches.look(name, waiter));
            }

            @Override
            public CompletionStage<State> leave(String name, String waiter) {
                return ask(Operation.LATCH, name, waiter, () -> latches.leave(name, waiter));
            }

            @Override
            public CompletionStage<State> clear(String name, String id, String made) {
                return ask(Operation.CLEAR, name, id, () -> latches.clear(name, id, made));
            }

            private <T> CompletionStage<T> ask(
                    Operation operation, String name, String id, Supplier<CompletionStage<T>> question) {
                Call call = new Call(operation, name, id, Duration.ZERO, false);
                return send(List.of(call), context.commandTimeout(), question);
            }
        };
    }

    @Override
    public CompletionStage<List<LockInfo>> inspect(String pattern) {
        Call call = new Call(Operation.INSPECT, pattern, "", Duration.ZERO, false);
        return send(List.of(call), context.commandTimeout(), () -> inner.inspect(pattern));
    }

    @Override
    public CompletionStage<StoreHealth> health() {
        Call call = new Call(Operation.HEALTH, "", "", Duration.ZERO, false);
        return send(List.of(call), context.commandTimeout(), inner::health)
                .exceptionally(error -> new StoreHealth(false, Duration.ZERO, List.of(String.valueOf(error))));
    }

    @Override
    public Set<Capability> capabilities() {
        return inner.capabilities();
    }

    @Override
    public String address() {
        return inner.address();
    }

    @Override
    public void close() {
        closed = true;
        synchronized (heldUp) {
            heldUp.clear();
        }
        faults.closed(this);
        inner.close();
        unanswered.forEach(Runnable::run);
        if (server != null) {
            server.close();
        }
    }

    private <T> CompletionStage<T> send(List<Call> calls, Duration timeout, Supplier<CompletionStage<T>> carryOut) {
        if (closed) {
            return CompletableFuture.failedFuture(unavailable("the connection is closed"));
        }
        return switch (faults.fate(calls)) {
            case REQUEST_LOST -> CompletableFuture.failedFuture(unavailable("cannot be reached"));
            case REPLY_LOST ->
                carryOut.get()
                        .thenCompose(lost ->
                                CompletableFuture.failedFuture(unavailable("the connection broke before the answer to "
                                        + calls.get(0).operation() + " came")));
            case HELD_UP -> {
                CompletableFuture<T> answer = within(timeout);
                synchronized (heldUp) {
                    heldUp.add(() -> pass(carryOut.get(), answer));
                }
                yield answer;
            }
            case ANSWERED -> late(faults.delay(), timeout, carryOut.get());
        };
    }

    private <T> CompletionStage<T> late(Duration delay, Duration timeout, CompletionStage<T> outcome) {
        if (delay.isZero()) {
            return outcome;
        }
        CompletableFuture<T> answer = within(timeout);
        context.platform().schedule(delay.toNanos(), () -> pass(outcome, answer));
        return answer;
    }

    /** A future that fails when the time-out is over. */
    private <T> CompletableFuture<T> within(Duration timeout) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Platform.Timer limit = context.platform()
                .schedule(
                        timeout.toNanos(),
                        () -> answer.completeExceptionally(
                                unavailable("did not answer within " + timeout.toMillis() + " ms")));
        Runnable end = () -> answer.completeExceptionally(unavailable("the connection was closed"));
        unanswered.add(end);
        answer.whenComplete((value, error) -> {
            limit.cancel();
            unanswered.remove(end);
        });
        return answer;
    }

    private static <T> void pass(CompletionStage<T> outcome, CompletableFuture<T> answer) {
        outcome.whenComplete((value, error) -> {
            if (error != null) {
                answer.completeExceptionally(error);
            } else {
                answer.complete(value);
            }
        });
    }

    private StoreFailure unavailable(String reason) {
        return StoreFailure.unavailable(address() + ": " + reason, null);
    }

    // --- for the FaultyStore

    /** Carries out what has come in while the store stood still, and has everybody ask again. */
    void resume() {
        List<Runnable> requests;
        synchronized (heldUp) {
            requests = List.copyOf(heldUp);
            heldUp.clear();
        }
        requests.forEach(Runnable::run);
        context.events().wakeAll();
    }

    /** Takes the lock from whoever has it, unseen by the record. */
    Optional<String> take(String name) {
        List<String> holders = inner.inspect("*").toCompletableFuture().join().stream()
                .filter(lock -> lock.name().equals(name))
                .flatMap(lock -> Stream.concat(lock.owner().stream(), lock.sharedBy().stream()))
                .toList();
        holders.forEach(
                owner -> inner.release(name, owner).toCompletableFuture().join());
        return holders.stream().findFirst();
    }

    void gone(String name, String owner) {
        context.events().gone(name, owner, "the store was told to lose it");
    }

    boolean sent(Call call) {
        return call.owner().startsWith(context.clientId() + ":");
    }

    String repeat(Call call) {
        CompletionStage<?> answer = switch (call.operation()) {
            case ACQUIRE -> inner.acquire(new AcquireRequest(call.name(), call.owner(), call.lease(), call.waits()));
            case RELEASE -> inner.release(call.name(), call.owner());
            case RENEW ->
                inner.renew(List.of(new RenewItem(call.name(), call.owner(), call.lease())), context.commandTimeout());
            case RESIZE, LATCH, COUNT_DOWN, CLEAR, INSPECT, HEALTH ->
                throw new IllegalArgumentException("not a message of one owner: " + call);
        };
        return String.valueOf(answer.toCompletableFuture().join());
    }

    private final class Filter implements StoreEvents {
        @Override
        public void wake(String name, String owner) {
            if (!faults.hearsNothing()) {
                context.events().wake(name, owner);
            }
        }

        @Override
        public void granted(PushedGrant grant) {
            if (!faults.hearsNothing()) {
                context.events().granted(grant);
            }
        }

        @Override
        public void wakeAll() {
            if (!faults.hearsNothing()) {
                context.events().wakeAll();
            }
        }

        @Override
        public void gone(String name, String owner, String detail) {
            if (!faults.hearsNothing()) {
                context.events().gone(name, owner, detail);
            }
        }

        @Override
        public void expelled(String name, String owner, String detail) {
            if (!faults.hearsNothing()) {
                context.events().expelled(name, owner, detail);
            }
        }
    }
}
