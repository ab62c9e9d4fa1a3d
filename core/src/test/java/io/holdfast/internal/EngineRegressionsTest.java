package io.holdfast.internal;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.ClientClosedException;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Hold;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.StoreUnavailableException;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Capability;
import io.holdfast.spi.ExchangeReply;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.StoreFailure;
import io.holdfast.spi.StoreHealth;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Bugs of the engine that were found and mended; each test names one. */
class EngineRegressionsTest {

    /** The first renewal was counted from the answer, so one that took most of the lease was never renewed. */
    @Test
    void leaseWhoseAcquireWasSlow_isRenewedInTime() throws Exception {
        CountDownLatch renewed = new CountDownLatch(3);
        Holdfast.Builder client = Holdfast.builder()
                .store(context -> new Slow(MemoryStore.isolated().open(context)) {
                    @Override
                    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
                        return after(ofMillis(750), super.acquire(request));
                    }
                })
                .options(LockOptions.builder().lease(ofSeconds(1)).build())
                .listener(new LockListener() {
                    @Override
                    public void renewed(Hold hold, Duration lag) {
                        renewed.countDown();
                    }
                });
        try (Holdfast locks = client.build();
                Lease lease = locks.lock("x").acquire(ofSeconds(10))) {
            assertThat(renewed.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(lease.isValid()).isTrue();
        }
    }

    /** A batch had the patience of its shortest lease, and long leases were swept into it. */
    @Test
    void longLease_isNotRenewedWithThePatienceOfAShortOne() throws Exception {
        List<List<RenewItem>> batches = new CopyOnWriteArrayList<>();
        CountDownLatch longOnes = new CountDownLatch(4);
        Holdfast.Builder client = Holdfast.builder()
                .store(context -> new Slow(MemoryStore.isolated().open(context)) {
                    @Override
                    public CompletionStage<List<RenewReply>> renew(List<RenewItem> batch, Duration timeout) {
                        batches.add(batch);
                        if (batch.get(0).name().equals("long")) {
                            longOnes.countDown();
                        }
                        return super.renew(batch, timeout);
                    }
                });
        try (Holdfast locks = client.build()) {
            // Held till the end, and looked at by nobody: what counts is who is renewed with whom.
            assertThat(locks.lock("short", o -> o.lease(ofSeconds(1))).tryLock())
                    .isTrue();
            assertThat(locks.lock("long", o -> o.lease(ofSeconds(4))).tryLock()).isTrue();
            assertThat(longOnes.await(60, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(batches)
                .allMatch(
                        batch -> batch.stream().map(RenewItem::lease).distinct().count() == 1);
    }

    /** An Error of a listener silenced all listeners for good. */
    @Test
    void listenerThatThrowsAnError_hearsOfWhatFollows() {
        AtomicInteger heard = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(5);
        LockListener failing = new LockListener() {
            @Override
            public void acquired(Hold hold, Duration waited) {
                heard.incrementAndGet();
                all.countDown();
                throw new AssertionError("planted");
            }
        };
        try (Holdfast locks = Holdfast.builder()
                .store(MemoryStore.isolated())
                .listener(failing)
                .build()) {
            for (int i = 0; i < 5; i++) {
                assertThat(locks.lock("x").tryLock()).isTrue();
                assertThat(locks.lock("x").unlock()).isTrue();
            }
            assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(heard).hasValue(5);
    }

    /** An Error thrown by a store left a wait that never ended, and a client that could hardly be closed. */
    @Test
    void storeThatThrowsAnError_failsTheStage() {
        try (Holdfast locks = Holdfast.builder()
                .store(context -> new Slow(MemoryStore.isolated().open(context)) {
                    @Override
                    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
                        throw new NoSuchMethodError("planted: the driver is of another version");
                    }
                })
                .build()) {
            CompletableFuture<Lease> wait =
                    locks.lock("x").acquireAsync(ofMillis(300)).toCompletableFuture();
            assertThat(wait)
                    .failsWithin(ofSeconds(10))
                    .withThrowableThat()
                    .withCauseInstanceOf(StoreUnavailableException.class)
                    .withMessageContaining("another version");
        }
    }

    /** Requests that do not wait had no deadline, and stood behind a hanging worker for as long as there were others. */
    @Test
    void tryAcquireAsync_onAStoreThatHangs_failsWithinOneCommandTimeOut() {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Holdfast locks = Holdfast.builder()
                .commandTimeout(ofMillis(200))
                .store(context -> new Slow(MemoryStore.isolated().open(context)) {
                    @Override
                    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
                        end.join();
                        return CompletableFuture.failedFuture(StoreFailure.unavailable("hung", null));
                    }
                })
                .build();
        try {
            for (int i = 0; i < 20; i++) {
                CompletableFuture<?> one = locks.lock("x" + i).tryAcquireAsync().toCompletableFuture();
                assertThat(one)
                        .failsWithin(ofSeconds(2))
                        .withThrowableThat()
                        .withCauseInstanceOf(StoreUnavailableException.class);
            }
        } finally {
            end.complete(null);
            locks.close();
        }
    }

    /** A release that could not be sent was given up when the ordinary lease was over, long before an extended one. */
    @Test
    void releaseOfAnExtendedLease_isRepeatedForAsLongAsItLasts() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        Holdfast.Builder client = Holdfast.builder().store(deafToReleases(MemoryStore.isolated(), released));
        try (Holdfast locks = client.build()) {
            Lease lease = locks.lock("x", o -> o.lease(ofSeconds(1))).acquire(ofSeconds(10));
            lease.extend(ofSeconds(60));
            assertThat(lease.release()).isTrue();
            assertThat(released.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** A store that answered no renewal at all was not asked again, and extend() let an IndexOutOfBoundsException out. */
    @Test
    void renewalThatIsAnsweredWithNothing_isTriedAgain() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        CountDownLatch again = new CountDownLatch(3);
        Holdfast.Builder client = Holdfast.builder()
                .store(context -> new Slow(MemoryStore.isolated().open(context)) {
                    @Override
                    public CompletionStage<List<RenewReply>> renew(List<RenewItem> batch, Duration timeout) {
                        again.countDown();
                        return asked.incrementAndGet() <= 2
                                ? CompletableFuture.completedFuture(List.of())
                                : super.renew(batch, timeout);
                    }
                });
        try (Holdfast locks = client.build();
                Lease lease = locks.lock("x", o -> o.lease(ofSeconds(3))).acquire(ofSeconds(10))) {
            assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> lease.extend(ofSeconds(3)));
            assertThat(again.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(lease.isValid()).isTrue();
        }
    }

    /** A ticket given up while the store could not be reached was given up on after one lease, and outlived it. */
    @Test
    void releaseOfATicket_isRepeatedForAsLongAsATicketMayLive() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        StoreFactory shared = MemoryStore.isolated();
        Holdfast.Builder client = Holdfast.builder().store(deafToReleases(shared, released));
        try (Holdfast rival = Holdfast.builder().store(shared).build();
                Holdfast locks = client.build()) {
            assertThat(rival.lock("x").tryLock()).isTrue();
            assertThat(locks.lock("x", o -> o.lease(ofMillis(100))).tryAcquire(ofMillis(50)))
                    .isEmpty();
            assertThat(released.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** A wait that was over when its answer came, and had been woken meanwhile, asked again, for a command time-out more. */
    @Test
    void waitThatIsOver_isNotPutToTheStoreOnceMore() throws Exception {
        StoreFactory shared = MemoryStore.isolated();
        AtomicInteger asked = new AtomicInteger();
        Holdfast.Builder client = Holdfast.builder().store(context -> new Slow(shared.open(context)) {
            @Override
            public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
                asked.incrementAndGet();
                CompletionStage<AcquireReply> reply = super.acquire(request);
                pause(ofMillis(100));
                context.events().wake(request.name(), request.owner());
                return reply;
            }
        });
        try (Holdfast rival = Holdfast.builder().store(shared).build();
                Holdfast locks = client.build()) {
            assertThat(rival.lock("x").tryLock()).isTrue();

            assertThat(locks.lock("x").tryLock(ofMillis(50))).isFalse();

            assertThat(asked).hasValue(1);
        }
    }

    /** Closing did not wait for what a store answers later, and cut it off. */
    @Test
    void close_waitsForTheReleaseOfAStoreThatAnswersLater() {
        AtomicBoolean released = new AtomicBoolean();
        AtomicBoolean releasedBeforeClose = new AtomicBoolean();
        Holdfast locks = Holdfast.builder()
                .store(context -> new Slow(MemoryStore.isolated().open(context)) {
                    @Override
                    public CompletionStage<ReleaseReply> release(String name, String owner) {
                        return super.release(name, owner)
                                .thenApplyAsync(
                                        reply -> {
                                            released.set(true);
                                            return reply;
                                        },
                                        CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS));
                    }

                    @Override
                    public void close() {
                        releasedBeforeClose.set(released.get());
                        super.close();
                    }
                })
                .build();
        assertThat(locks.lock("x").tryLock()).isTrue();

        locks.close();

        assertThat(releasedBeforeClose).isTrue();
    }

    /** A release to be repeated was sent by the timer thread, which must not block, if the client was being closed. */
    @Test
    void releaseToBeRepeated_isNeverSentByTheTimer() throws Exception {
        Set<String> senders = ConcurrentHashMap.newKeySet();
        StoreFactory shared = MemoryStore.isolated();
        Holdfast rival = Holdfast.builder().store(shared).build();
        Holdfast locks = Holdfast.builder()
                .store(context -> new Slow(shared.open(context)) {
                    @Override
                    public CompletionStage<ReleaseReply> release(String name, String owner) {
                        senders.add(Thread.currentThread().getName());
                        return CompletableFuture.failedFuture(StoreFailure.unavailable("planted", null));
                    }

                    @Override
                    public void close() {
                        // The workers have ended by now; whatever is due in this time comes too late for them.
                        pause(ofMillis(2_500));
                        super.close();
                    }
                })
                .build();
        assertThat(rival.lock("x").tryLock()).isTrue();
        assertThat(locks.lock("x").tryAcquire(ofMillis(50))).isEmpty();

        locks.close();
        rival.close();

        assertThat(senders).isNotEmpty().doesNotContain("holdfast-timer");
    }

    /** One that gave up writing, to read on, while its client was closed, was never told that it could not. */
    @Test
    void downgradeWhileTheClientIsClosed_isALossThatIsTold() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        CompletableFuture<Loss> told = new CompletableFuture<>();
        StoreFactory shared = MemoryStore.isolated();
        Holdfast locks = Holdfast.builder()
                .listener(new LockListener() {
                    @Override
                    public void lost(Hold hold, Loss loss) {
                        told.complete(loss);
                    }
                })
                .store(context -> {
                    LockStore store = shared.open(context);
                    return new Slow(store) {
                        @Override
                        public CompletionStage<ExchangeReply> exchange(String owner, AcquireRequest next) {
                            asked.countDown();
                            await(closed);
                            return store.exchange(owner, next);
                        }
                    };
                })
                .build();
        DistributedReadWriteLock lock = locks.readWriteLock("x");
        assertThat(lock.writeLock().tryLock()).isTrue();
        assertThat(lock.readLock().tryLock()).isTrue();
        // Each in a thread of its own: the common pool may have only one.
        Executor threads = task -> new Thread(task).start();
        CompletableFuture<Void> closing = CompletableFuture.runAsync(
                () -> {
                    await(asked);
                    locks.close();
                },
                threads);
        CompletableFuture<Void> watching = CompletableFuture.runAsync(
                () -> {
                    await(asked);
                    // Closing waits for the answer that is under way, but lets nobody in any more.
                    while (!isClosed(locks)) {
                        Thread.onSpinWait();
                    }
                    closed.countDown();
                },
                threads);

        assertThat(lock.writeLock().unlock()).as("what it wrote was protected").isTrue();

        assertThat(lock.readLock().isHeldByCurrentThread()).isFalse();
        assertThat(told.get(20, TimeUnit.SECONDS).cause()).isEqualTo(Loss.Cause.CLIENT_CLOSED);
        closing.get(20, TimeUnit.SECONDS);
        watching.get(20, TimeUnit.SECONDS);
        try (Holdfast next = Holdfast.builder().store(shared).build()) {
            assertThat(next.readWriteLock("x").writeLock().tryLock())
                    .as("given back")
                    .isTrue();
        }
    }

    private static boolean isClosed(Holdfast locks) {
        try {
            // Nothing that would be held: to take again what closing has taken away is refused for another reason.
            locks.inspect("y");
            return false;
        } catch (ClientClosedException e) {
            return true;
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void pause(Duration time) {
        new CompletableFuture<Void>()
                .completeOnTimeout(null, time.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    /** The end of a wait for several stood behind whatever hung in the client's worker. */
    @Test
    void waitForSeveral_endsInTime_whileOtherRequestsHang() throws Exception {
        StoreFactory shared = MemoryStore.isolated();
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        try (Holdfast holder = Holdfast.builder().store(shared).build();
                Holdfast locks = Holdfast.builder()
                        .store(context -> new Slow(shared.open(context)) {
                            @Override
                            public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
                                if (request.name().equals("hangs")) {
                                    hangs.countDown();
                                    awaitUninterruptibly(goesOn);
                                }
                                CompletionStage<AcquireReply> reply = super.acquire(request);
                                if (request.name().equals("a") && request.waits()) {
                                    waits.countDown();
                                }
                                return reply;
                            }
                        })
                        .build()) {
            assertThat(holder.lock("a").tryLock()).isTrue();
            CompletableFuture<Optional<Lease>> both = locks.allOf(locks.lock("a"), locks.lock("b"))
                    .tryAcquireAsync(ofMillis(500))
                    .toCompletableFuture();
            assertThat(waits.await(10, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<Optional<Lease>> other =
                    locks.lock("hangs").tryAcquireAsync().toCompletableFuture();
            assertThat(hangs.await(10, TimeUnit.SECONDS)).isTrue();
            try {
                assertThat(both.get(10, TimeUnit.SECONDS)).isEmpty();
            } finally {
                goesOn.countDown();
            }
            assertThat(other.handle((lease, error) -> "over").get(10, TimeUnit.SECONDS))
                    .isEqualTo("over");
        }
    }

    /** One of the locks came just in time, from a thread of the same client, and what was to follow stood behind what hung. */
    @Test
    void waitForSeveral_thatHasGotOne_endsInTime_whileOtherRequestsHang() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        try (Holdfast locks = Holdfast.builder()
                .commandTimeout(ofMillis(300))
                .store(context -> new Slow(MemoryStore.isolated().open(context)) {
                    @Override
                    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
                        if (request.name().equals("hangs")) {
                            hangs.countDown();
                            awaitUninterruptibly(goesOn);
                        }
                        return super.acquire(request);
                    }
                })
                .build()) {
            Lease first = locks.lock("a").acquire(ofSeconds(1));
            CompletableFuture<Optional<Lease>> both = locks.allOf(locks.lock("a"), locks.lock("b"))
                    .tryAcquireAsync(ofSeconds(1))
                    .toCompletableFuture();
            pause(ofMillis(200));
            CompletableFuture<Optional<Lease>> other =
                    locks.lock("hangs").tryAcquireAsync().toCompletableFuture();
            assertThat(hangs.await(10, TimeUnit.SECONDS)).isTrue();
            try {
                assertThat(first.release()).isTrue();
                assertThat(both.handle((lease, error) -> "over").get(10, TimeUnit.SECONDS))
                        .isEqualTo("over");
            } finally {
                goesOn.countDown();
            }
            assertThat(other.handle((lease, error) -> "over").get(10, TimeUnit.SECONDS))
                    .isEqualTo("over");
            assertThat(locks.lock("a").tryLock(ofSeconds(5)))
                    .as("it is given back")
                    .isTrue();
        }
    }

    /** Nobody had said that another holds the second: the store failed, and then it was slow. */
    @Test
    void severalOfWhichOneWasGotAfterAFailure_withNoTimeLeft_areNotSaidToBeHeldByOthers() {
        AtomicInteger asked = new AtomicInteger();
        try (Holdfast locks = Holdfast.builder()
                .store(context -> new Slow(MemoryStore.isolated().open(context)) {
                    @Override
                    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
                        if (asked.incrementAndGet() == 1) {
                            return CompletableFuture.failedFuture(StoreFailure.unavailable("down", null));
                        }
                        pause(ofMillis(250));
                        return super.acquire(request);
                    }
                })
                .build()) {
            DistributedLock both = locks.allOf(locks.lock("a"), locks.lock("b"));

            assertThatThrownBy(() -> both.tryAcquire(ofMillis(200)))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("did not get to all 2 locks in time");
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The first answer may be lost, and the second say that it is too late: the lock that the first brought was left. */
    @Test
    void oneOfSeveralThatFails_isGivenBack() {
        List<String> asked = new CopyOnWriteArrayList<>();
        List<String> givenBack = new CopyOnWriteArrayList<>();
        try (Holdfast locks = Holdfast.builder()
                .store(context -> new Slow(MemoryStore.isolated().open(context)) {
                    @Override
                    public CompletionStage<List<AcquireReply>> acquireAll(List<AcquireRequest> requests, boolean part) {
                        asked.add(requests.get(0).owner());
                        return CompletableFuture.completedFuture(
                                List.of(new AcquireReply.Failed(StoreFailure.unavailable("planted", null))));
                    }

                    @Override
                    public CompletionStage<ReleaseReply> release(String name, String owner) {
                        givenBack.add(owner);
                        return super.release(name, owner);
                    }
                })
                .build()) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(
                            () -> locks.allOf(locks.lock("a"), locks.lock("b")).tryLock());
        }
        assertThat(givenBack).containsAll(asked).isNotEmpty();
    }

    /** The row of a fair lock and one who stands in it locked each other, in opposite orders. */
    @Test
    void waiterThatGivesUpWhileItIsAnswered_locksNobodyInTheRow() throws Exception {
        CompletableFuture<AcquireReply> answer = new CompletableFuture<>();
        CompletableFuture<String> asked = new CompletableFuture<>();
        Platform platform = Platform.system();
        Engine engine = Engine.open(
                context -> new Slow(MemoryStore.isolated().open(context)) {
                    @Override
                    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
                        asked.complete(request.owner());
                        return answer;
                    }
                },
                "p:",
                ofSeconds(2),
                platform,
                List.of());
        Acquisition waiter = engine.acquireAsync(
                new Wish(engine, "x", LockOptions.DEFAULT, null, Wish.FOREVER, Share.WHOLE, Order.STRICT));
        String owner = asked.get(10, TimeUnit.SECONDS);
        long now = platform.nanoTime();
        HeldLease lease = new HeldLease(
                "x",
                engine.newOwner(1),
                7,
                LockOptions.DEFAULT,
                null,
                now,
                HeldLease.Validity.after(now, platform.wallMillis(), ofSeconds(30)));
        engine.lines().precedes(lease, Share.WHOLE, 2, false, List.of(owner));
        Thread passes = new Thread(() -> engine.lines().passOn(lease));
        Thread answers = new Thread(() -> answer.complete(new AcquireReply.Queued(ofSeconds(1), true)));

        synchronized (waiter) {
            startUntilBlocked(passes); // has the row, and wants the waiter
            startUntilBlocked(answers); // wants the waiter, and would go on to the row
            waiter.abandon();
        }

        passes.join(10_000);
        answers.join(10_000);
        assertThat(List.of(passes.getState(), answers.getState())).containsOnly(Thread.State.TERMINATED);
        engine.close();
    }

    private static void startUntilBlocked(Thread thread) throws InterruptedException {
        thread.setDaemon(true);
        thread.start();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (thread.getState() != Thread.State.BLOCKED) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(1);
        }
    }

    /** A store that passes everything on, to be slowed down or broken. */
    private abstract static class Slow implements LockStore {
        private final LockStore store;

        Slow(LockStore store) {
            this.store = store;
        }

        static <T> CompletionStage<T> after(Duration delay, CompletionStage<T> answer) {
            CompletableFuture<T> late = new CompletableFuture<>();
            CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(() -> answer.handle((value, error) ->
                            error == null ? late.complete(value) : late.completeExceptionally(error)));
            return late;
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

    /** Six releases get no answer; the one after that tells. */
    private static StoreFactory deafToReleases(StoreFactory inner, CountDownLatch released) {
        AtomicInteger failures = new AtomicInteger();
        return context -> new Slow(inner.open(context)) {
            @Override
            public CompletionStage<ReleaseReply> release(String name, String owner) {
                if (failures.incrementAndGet() < 7) {
                    return CompletableFuture.failedFuture(StoreFailure.unavailable("planted", null));
                }
                released.countDown();
                return super.release(name, owner);
            }
        };
    }

    /** It was granted the lock later, which was then renewed for as long as its thread lived, and given back by nobody. */
    @Test
    void errorInAThreadThatWaits_leavesItNothing() throws Exception {
        StoreFactory memory = MemoryStore.isolated();
        AtomicReference<Thread> dies = new AtomicReference<>();
        Platform real = Platform.system();
        Platform platform = (Platform) Proxy.newProxyInstance(
                Platform.class.getClassLoader(), new Class<?>[] {Platform.class}, (self, method, args) -> {
                    if (method.getName().equals("park") && dies.compareAndSet(Thread.currentThread(), null)) {
                        throw new StackOverflowError("for a test");
                    }
                    return method.invoke(real, args);
                });
        try (Holdfast holder = Holdfast.builder().store(memory).build();
                Holdfast waiter =
                        Holdfast.builder().store(memory).platform(platform).build()) {
            assertThat(holder.lock("x").tryLock()).isTrue();
            dies.set(Thread.currentThread());

            assertThatThrownBy(() -> waiter.lock("x").lock()).isInstanceOf(StackOverflowError.class);

            assertThat(holder.lock("x").unlock()).isTrue();
            assertThat(holder.lock("x").tryLock(ofSeconds(10))).isTrue();
            assertThat(holder.inspect("x"))
                    .singleElement()
                    .satisfies(lock -> assertThat(lock.waiters()).isEmpty());
            assertThat(holder.lock("x").unlock()).isTrue();
        }
    }
}
