package io.holdfast.testkit.contract;

import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Capability;
import io.holdfast.spi.ExchangeReply;
import io.holdfast.spi.LatchStore;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.ReleaseItem;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreEvents;
import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.StoreHealth;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Stands between the clients and the store, and shows a {@link Witness} every question and every answer. */
final class Probe implements StoreFactory {
    private final StoreFactory inner;
    private final Witness witness;

    Probe(StoreFactory inner, Witness witness) {
        this.inner = inner;
        this.witness = witness;
    }

    @Override
    public LockStore open(StoreContext context) {
        StoreContext watched = context.with(context.platform(), new Ear(context.events(), witness));
        return new Door(inner.open(watched), witness);
    }

    private record Ear(StoreEvents inner, Witness witness) implements StoreEvents {
        @Override
        public void wake(String name, String owner) {
            inner.wake(name, owner);
        }

        @Override
        public void granted(PushedGrant grant) {
            witness.pushed(grant);
            inner.granted(grant);
        }

        @Override
        public void wakeAll() {
            inner.wakeAll();
        }

        @Override
        public void gone(String name, String owner, String detail) {
            inner.gone(name, owner, detail);
        }

        @Override
        public void expelled(String name, String owner, String detail) {
            inner.expelled(name, owner, detail);
        }
    }

    private record Door(LockStore inner, Witness witness) implements LockStore {

        @Override
        public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
            long sent = System.nanoTime();
            long floor = witness.asked(request);
            return inner.acquire(request).thenApply(reply -> {
                witness.answered(request, reply, sent, floor);
                return reply;
            });
        }

        @Override
        public void acquire(AcquireRequest request, CompletableFuture<AcquireReply> told) {
            long sent = System.nanoTime();
            long floor = witness.asked(request);
            CompletableFuture<AcquireReply> answer = new CompletableFuture<>();
            LockStore.tell(
                    answer.thenApply(reply -> {
                        witness.answered(request, reply, sent, floor);
                        return reply;
                    }),
                    told);
            inner.acquire(request, answer);
        }

        @Override
        public CompletionStage<List<AcquireReply>> acquireAll(List<AcquireRequest> requests, boolean part) {
            long sent = System.nanoTime();
            List<Long> floors = requests.stream().map(witness::asked).toList();
            return inner.acquireAll(requests, part).thenApply(replies -> {
                boolean kept = part || replies.get(replies.size() - 1) instanceof AcquireReply.Granted;
                for (int i = 0; i < replies.size(); i++) {
                    if (kept || !(replies.get(i) instanceof AcquireReply.Granted)) {
                        witness.answered(requests.get(i), replies.get(i), sent, floors.get(i));
                    }
                }
                return replies;
            });
        }

        @Override
        public CompletionStage<List<ReleaseReply>> releaseAll(List<ReleaseItem> items) {
            items.forEach(item -> witness.released(item.name(), item.owner()));
            return inner.releaseAll(items);
        }

        @Override
        public CompletionStage<ReleaseReply> release(String name, String owner) {
            witness.released(name, owner);
            return inner.release(name, owner);
        }

        @Override
        public CompletionStage<ExchangeReply> exchange(String owner, AcquireRequest next) {
            witness.released(next.name(), owner);
            long sent = System.nanoTime();
            long floor = witness.asked(next);
            return inner.exchange(owner, next).thenApply(reply -> {
                witness.answered(next, reply.acquired(), sent, floor);
                return reply;
            });
        }

        @Override
        public CompletionStage<List<RenewReply>> renew(List<RenewItem> batch, Duration timeout) {
            long sent = System.nanoTime();
            return inner.renew(batch, timeout).thenApply(replies -> {
                for (int i = 0; i < batch.size(); i++) {
                    if (replies.get(i) instanceof RenewReply.Renewed) {
                        witness.renewed(batch.get(i), sent);
                    }
                }
                return replies;
            });
        }

        @Override
        public CompletionStage<Boolean> resize(String name, int permits) {
            witness.resized(name, permits);
            return inner.resize(name, permits);
        }

        @Override
        public CompletionStage<Boolean> expel(String name, String owner) {
            witness.released(name, owner);
            return inner.expel(name, owner);
        }

        @Override
        public LatchStore latches() {
            return inner.latches();
        }

        @Override
        public CompletionStage<List<LockInfo>> inspect(String pattern) {
            return inner.inspect(pattern);
        }

        @Override
        public CompletionStage<StoreHealth> health() {
            return inner.health();
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
            inner.close();
        }
    }
}
