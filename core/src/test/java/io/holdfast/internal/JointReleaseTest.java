package io.holdfast.internal;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Hold;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockListener;
import io.holdfast.Loss;
import io.holdfast.StoreUnavailableException;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Capability;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.ReleaseItem;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.StoreFailure;
import io.holdfast.spi.StoreHealth;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several locks that are given back in one go, by a thread that sends that itself and by one that must not. */
class JointReleaseTest {
    private static final Duration TIMEOUT = ofSeconds(2);

    private final StoreFactory memory = MemoryStore.isolated();

    /** A store of two parts: names begin with the part they are in. */
    private static class TwoParts implements LockStore {
        private final LockStore store;
        final List<List<ReleaseItem>> releases = new CopyOnWriteArrayList<>();

        TwoParts(LockStore store) {
            this.store = store;
        }

        @Override
        public String part(String name) {
            return name.substring(0, 1);
        }

        /** All of them, up to the first of another part. */
        @Override
        public CompletionStage<List<ReleaseReply>> releaseAll(List<ReleaseItem> items) {
            releases.add(items);
            List<ReleaseReply> replies = new ArrayList<>();
            for (ReleaseItem item : items) {
                if (part(item.name()).equals(part(items.get(0).name()))) {
                    replies.add(store.release(item.name(), item.owner())
                            .toCompletableFuture()
                            .join());
                }
            }
            return CompletableFuture.completedFuture(replies);
        }

        @Override
        public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
            return store.acquire(request);
        }

        @Override
        public CompletionStage<ReleaseReply> release(String name, String owner) {
            return store.release(name, owner);
        }

        @Override
        public CompletionStage<List<RenewReply>> renew(List<RenewItem> batch, Duration timeout) {
            return store.renew(batch, timeout);
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
            store.close();
        }
    }

    /** The machine itself, but for whether a caller may block. */
    private static Platform platform(boolean callerRuns) {
        Platform real = Platform.system();
        return (Platform) Proxy.newProxyInstance(
                Platform.class.getClassLoader(),
                new Class<?>[] {Platform.class},
                (proxy, method, args) ->
                        method.getName().equals("mayBlockHere") ? callerRuns : method.invoke(real, args));
    }

    private static Holdfast client(StoreFactory store, boolean callerRuns) {
        return Holdfast.builder()
                .store(store)
                .platform(platform(callerRuns))
                .commandTimeout(TIMEOUT)
                .build();
    }

    private static Lease take(Holdfast client, List<String> names) throws Exception {
        DistributedLock[] locks = names.stream().map(client::lock).toArray(DistributedLock[]::new);
        return client.allOf(locks).acquire(ofSeconds(10));
    }

    private static boolean isFree(Holdfast client, String name) {
        return client.inspect(name).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void many_areGivenBackAFewAtOnce_eachPartByItself(boolean callerRuns) throws Exception {
        List<TwoParts> opened = new ArrayList<>();
        StoreFactory store = context -> {
            opened.add(new TwoParts(memory.open(context)));
            return opened.get(0);
        };
        int each = LockStore.AT_ONCE + 6;
        List<String> names = IntStream.range(0, 2 * each)
                .mapToObj(i -> (i % 2 == 0 ? "a" : "b") + i)
                .toList();
        try (Holdfast client = client(store, callerRuns)) {
            Lease lease = take(client, names);

            assertThat(lease.release()).isTrue();

            assertThat(client.inspect("*")).isEmpty();
            List<List<ReleaseItem>> sent = opened.get(0).releases;
            assertThat(sent)
                    .hasSize(4)
                    .allSatisfy(items -> assertThat(items.stream()
                                    .map(item -> item.name().charAt(0))
                                    .distinct())
                            .hasSize(1));
            assertThat(lease.release()).as("a second time").isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneThatIsGone_isTold_andTheOthersAreGivenBack(boolean callerRuns) throws Exception {
        StoreFactory store = context -> new TwoParts(memory.open(context)) {
            @Override
            public CompletionStage<List<ReleaseReply>> releaseAll(List<ReleaseItem> items) {
                return super.releaseAll(items)
                        .thenApply(replies ->
                                items.get(0).name().equals("b1") ? List.of(ReleaseReply.NOT_OWNER) : replies);
            }
        };
        try (Holdfast client = client(store, callerRuns)) {
            Lease lease = take(client, List.of("a1", "a2", "b1", "b2"));

            assertThatThrownBy(lease::close)
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageContaining("b1");

            assertThat(client.inspect("*")).isEmpty();
        }
    }

    /** The answer does not wait for it, since all was protected to the end; the rest of it is given back later. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void partThatFails_keepsNothingOfTheOthers_andIsToldAgain(boolean callerRuns) throws Exception {
        CountDownLatch again = new CountDownLatch(2);
        StoreFactory store = context -> new TwoParts(memory.open(context)) {
            @Override
            public CompletionStage<List<ReleaseReply>> releaseAll(List<ReleaseItem> items) {
                return items.get(0).name().startsWith("a")
                        ? CompletableFuture.failedFuture(StoreFailure.unavailable("down", null))
                        : super.releaseAll(items);
            }

            @Override
            public CompletionStage<ReleaseReply> release(String name, String owner) {
                again.countDown();
                return super.release(name, owner);
            }
        };
        try (Holdfast client = client(store, callerRuns)) {
            Lease lease = take(client, List.of("a1", "a2", "b1"));

            assertThat(lease.release()).isTrue();

            assertThat(isFree(client, "b1")).isTrue();
            assertThat(again.await(10, TimeUnit.SECONDS)).isTrue();
        }
        try (Holdfast other = client(memory, true)) {
            assertThat(other.inspect("*")).isEmpty();
        }
    }

    /** One part hangs: who must not block waits for the time-out, and hears of a loss that another part has told. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void partThatHangs_isNotWaitedForLongerThanTheTimeOut(boolean lost) throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        StoreFactory store = context -> new TwoParts(memory.open(context)) {
            @Override
            public CompletionStage<List<ReleaseReply>> releaseAll(List<ReleaseItem> items) {
                if (items.get(0).name().startsWith("a")) {
                    try {
                        over.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
                return super.releaseAll(items)
                        .thenApply(replies -> lost && items.get(0).name().startsWith("b")
                                ? List.of(ReleaseReply.NOT_OWNER)
                                : replies);
            }
        };
        try (Holdfast client = client(store, false)) {
            Lease lease = take(client, List.of("a1", "b1"));
            long start = System.nanoTime();

            assertThat(lease.release()).isEqualTo(!lost);

            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(TIMEOUT.dividedBy(2), TIMEOUT.multipliedBy(4));
            assertThat(isFree(client, "b1")).as("no thread hangs before it").isTrue();
            over.countDown();
        }
        try (Holdfast other = client(memory, true)) {
            assertThat(other.inspect("*")).isEmpty();
        }
    }

    /** Its thread goes on by then, and was told that all was well: it was interrupted in whatever it did next. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void releaseThatIsAnsweredAfterTheTimeOut_withANo_isNoLoss(boolean several) throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        List<Loss> losses = new CopyOnWriteArrayList<>();
        StoreFactory store = context -> new TwoParts(memory.open(context)) {
            @Override
            public CompletionStage<List<ReleaseReply>> releaseAll(List<ReleaseItem> items) {
                return items.get(0).name().startsWith("a")
                        ? late(super.releaseAll(items).thenApply(replies -> List.of(ReleaseReply.NOT_OWNER)))
                        : super.releaseAll(items);
            }

            @Override
            public CompletionStage<ReleaseReply> release(String name, String owner) {
                return late(super.release(name, owner).thenApply(reply -> ReleaseReply.NOT_OWNER));
            }

            private <T> CompletionStage<T> late(CompletionStage<T> answer) {
                try {
                    over.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return answer.whenComplete((value, error) -> answered.countDown());
            }
        };
        LockListener listener = new LockListener() {
            @Override
            public void lost(Hold hold, Loss loss) {
                losses.add(loss);
            }
        };
        Lease lease;
        try (Holdfast client = Holdfast.builder()
                .store(store)
                .platform(platform(false))
                .listener(listener)
                .commandTimeout(ofSeconds(1))
                .build()) {
            lease = several
                    ? take(client, List.of("a1", "b1"))
                    : client.lock("a1").acquire(ofSeconds(10));

            assertThat(lease.release()).isTrue();

            over.countDown();
            assertThat(answered.await(10, TimeUnit.SECONDS)).isTrue();
        }
        // Closed in between: whatever the answer led to has been done.
        assertThat(losses).isEmpty();
        assertThat(lease.lost().toCompletableFuture()).isNotDone();
    }

    /** What it wanted may be the opposite of what somebody has asked for since. */
    @Test
    void questionWhoseCallerWasToldThatNobodyAnswers_isNotSentAnyMore() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        AtomicInteger renewals = new AtomicInteger();
        StoreFactory store = context -> new TwoParts(memory.open(context)) {
            @Override
            public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
                if (request.name().equals("hangs")) {
                    hangs.countDown();
                    try {
                        over.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
                return super.acquire(request);
            }

            @Override
            public String part(String name) {
                return "";
            }

            @Override
            public CompletionStage<List<RenewReply>> renew(List<RenewItem> batch, Duration timeout) {
                renewals.incrementAndGet();
                return super.renew(batch, timeout);
            }
        };
        try (Holdfast client = Holdfast.builder()
                        .store(store)
                        .platform(platform(false))
                        .commandTimeout(Duration.ofMillis(500))
                        .build();
                Lease lease = client.lock("a").acquire(ofSeconds(10))) {
            client.lock("hangs").tryAcquireAsync();
            assertThat(hangs.await(10, TimeUnit.SECONDS)).isTrue();

            assertThatThrownBy(() -> lease.extend(ofSeconds(60)))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("did not answer those who asked before");

            over.countDown();
            // By the same thread, so what stood before this is over.
            assertThat(client.lock("b").tryLock(ofSeconds(10))).isTrue();
            assertThat(renewals).hasValue(0);
        }
    }
}
