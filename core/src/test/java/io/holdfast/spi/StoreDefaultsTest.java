package io.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of that which a store, or who listens to one, leaves out. */
class StoreDefaultsTest {
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final Listener listener = new Listener(new CopyOnWriteArrayList<>());
    private final Platform platform = Platform.system();
    private final Plain store = new Plain(
            MemoryStore.isolated().open(new StoreContext("c", "locks:", Duration.ofSeconds(1), platform, listener)));

    @AfterEach
    void close() {
        store.close();
        platform.close();
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    private static AcquireRequest request(String name, String owner) {
        return new AcquireRequest(name, owner, LEASE, false);
    }

    @Test
    void severalLocks_areTakenAndGivenUpOneByOne() {
        List<AcquireReply> taken = get(store.acquireAll(List.of(request("a", "c:1:x"), request("b", "c:1:y")), false));
        assertThat(taken).singleElement().isInstanceOf(AcquireReply.Granted.class);
        assertThat(get(store.acquire(request("b", "c:2:z")))).isInstanceOf(AcquireReply.Granted.class);

        assertThat(get(store.releaseAll(List.of(new ReleaseItem("a", "c:1:x"), new ReleaseItem("b", "c:2:z")))))
                .containsExactly(ReleaseReply.RELEASED);
        assertThat(get(store.release("b", "c:2:z"))).isEqualTo(ReleaseReply.RELEASED);
    }

    @Test
    void ticketsOfThoseServed_goBeforeTheLock() {
        get(store.acquire(request("a", "c:1:x")));
        store.released.clear();

        assertThat(get(store.release("a", "c:1:x", List.of("c:2:y", "c:3:z")))).isEqualTo(ReleaseReply.RELEASED);

        assertThat(store.released).containsExactly("c:2:y", "c:3:z", "c:1:x");
    }

    @Test
    void exchange_isAReleaseAndAnAcquire() {
        get(store.acquire(request("a", "c:1:x")));

        ExchangeReply reply = get(store.exchange("c:1:x", request("a", "c:2:y")));

        assertThat(reply.released()).isEqualTo(ReleaseReply.RELEASED);
        assertThat(reply.acquired()).isInstanceOf(AcquireReply.Granted.class);
    }

    @Test
    void exchange_whoseAcquireFails_hasReleasedAllTheSame() {
        get(store.acquire(new AcquireRequest("a", "c:1:x", LEASE, false, 1, Share.permits(1, 2))));
        get(store.acquire(new AcquireRequest("a", "c:1:y", LEASE, false, 1, Share.permits(1, 2))));

        ExchangeReply reply = get(store.exchange("c:1:x", request("a", "c:2:z")));

        assertThat(reply.released()).isEqualTo(ReleaseReply.RELEASED);
        assertThat(reply.acquired())
                .isInstanceOfSatisfying(
                        AcquireReply.Failed.class,
                        failed -> assertThat(failed.failure().kind()).isEqualTo(StoreFailure.Kind.REFUSED));
    }

    @Test
    void expelling_isARelease() {
        get(store.acquire(request("a", "c:1:x")));

        assertThat(get(store.expel("a", "c:2:y"))).isFalse();
        assertThat(get(store.expel("a", "c:1:x"))).isTrue();
        assertThat(get(store.acquire(request("a", "c:2:y")))).isInstanceOf(AcquireReply.Granted.class);
    }

    @Test
    void permits_areNotThere() {
        assertThatThrownBy(() -> get(store.resize("a", 3)))
                .hasCauseInstanceOf(StoreFailure.class)
                .hasMessageContaining("plain: has no semaphores");
    }

    @Test
    void listener_isWokenForAGrant_andToldOfALossForAnExpulsion() {
        listener.granted(new PushedGrant("a", "c:1:x", 7, 1, LEASE, 0, 0));
        listener.expelled("a", "c:1:x", "by force");

        assertThat(listener.heard()).containsExactly("wake a c:1:x", "gone a c:1:x by force");
    }

    @Test
    void infoWithoutTimes_namesAllWhoHoldAndWait() {
        LockInfo whole = new LockInfo("a", Optional.of("c:1:x"), OptionalLong.of(7), LEASE, List.of("c:2:y"));
        LockInfo shared =
                new LockInfo("a", Optional.empty(), OptionalLong.empty(), LEASE, List.of(), List.of("c:3:v", "c:4:w"));

        assertThat(whole.holders())
                .containsExactly(new LockInfo.Party("c:1:x", OptionalLong.of(7), Optional.empty(), Optional.empty()));
        assertThat(whole.line()).containsExactly(LockInfo.Party.of("c:2:y"));
        assertThat(shared.holders()).containsExactly(LockInfo.Party.of("c:3:v"), LockInfo.Party.of("c:4:w"));
    }

    /** Hears what it must. */
    private record Listener(List<String> heard) implements StoreEvents {
        @Override
        public void wake(String name, String owner) {
            heard.add("wake " + name + " " + owner);
        }

        @Override
        public void wakeAll() {}

        @Override
        public void gone(String name, String owner, String detail) {
            heard.add("gone " + name + " " + owner + " " + detail);
        }
    }

    /** The store in memory, with no more than a store must have. */
    private static final class Plain implements LockStore {
        private final LockStore inner;
        private final List<String> released = new ArrayList<>();

        Plain(LockStore inner) {
            this.inner = inner;
        }

        @Override
        public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
            return inner.acquire(request);
        }

        @Override
        public CompletionStage<ReleaseReply> release(String name, String owner) {
            released.add(owner);
            return inner.release(name, owner);
        }

        @Override
        public CompletionStage<List<RenewReply>> renew(List<RenewItem> batch, Duration timeout) {
            return inner.renew(batch, timeout);
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
            return Set.of();
        }

        @Override
        public String address() {
            return "plain:";
        }

        @Override
        public void close() {
            inner.close();
        }
    }
}
