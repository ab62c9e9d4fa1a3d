package io.holdfast.memory;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.ExchangeReply;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.ReleaseReply;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class MemorySpaceTest {

    /** Leases that ended without a release stayed for ever. */
    @Test
    void namesWhoseLeaseRanOut_areForgotten() throws InterruptedException {
        MemorySpace space = new MemorySpace("");
        try (Holdfast locks = Holdfast.builder()
                .store(context -> new MemoryStore(space, context, () -> {}))
                .build()) {
            for (int i = 0; i < 5_000; i++) {
                assertThat(locks.lock("brief:" + i).tryLock(0, 1, TimeUnit.SECONDS))
                        .isTrue();
            }
            long over = System.nanoTime() + ofMillis(1_100).toNanos();
            while (System.nanoTime() - over < 0) {
                Thread.onSpinWait();
            }
            for (int i = 0; i < 10_000; i++) {
                assertThat(locks.lock("x").tryLock()).isTrue();
                assertThat(locks.lock("x").unlock()).isTrue();
            }
            assertThat(space.size()).isLessThan(10);
        }
    }

    /** The sum of what was out and what was asked for used to be less than nothing. */
    @Test
    void permits_asManyAsAnIntHolds_areCounted() {
        try (Holdfast locks = Holdfast.builder().store(MemoryStore.isolated()).build()) {
            DistributedSemaphore semaphore = locks.semaphore("s", Integer.MAX_VALUE);
            Lease most = semaphore.tryAcquire(Integer.MAX_VALUE - 1).orElseThrow();

            assertThat(semaphore.tryAcquire(2)).isEmpty();
            assertThat(semaphore.tryAcquire(1).map(Lease::release)).contains(true);
            assertThat(most.release()).isTrue();
        }
    }

    private static AcquireRequest request(String owner, Duration lease, boolean waits, Share share) {
        return new AcquireRequest("a", owner, lease, waits, 1, share);
    }

    private static AcquireReply answer(CompletionStage<AcquireReply> stage) {
        return stage.toCompletableFuture().join();
    }

    /** Readers that hand on what they have would otherwise keep a writer out for ever. */
    @Test
    void readerThatHandsOnItsShare_doesNotPassAWriterThatWaits() {
        withStore(store -> {
            answer(store.acquire(request("r1", ofSeconds(30), false, Share.READ)));
            answer(store.acquire(request("w", ofSeconds(30), true, Share.WHOLE)));

            ExchangeReply reply = store.exchange("r1", request("r2", ofSeconds(30), false, Share.READ))
                    .toCompletableFuture()
                    .join();

            assertThat(reply.released()).isEqualTo(ReleaseReply.RELEASED);
            assertThat(reply.acquired()).isInstanceOf(AcquireReply.Busy.class);
            assertThat(answer(store.acquire(request("w", ofSeconds(30), true, Share.WHOLE))))
                    .isInstanceOf(AcquireReply.Granted.class);
        });
    }

    @Test
    void permitsOfAnotherNumber_askedForBehindThoseInLine_areNotGranted() {
        withStore(store -> {
            answer(store.acquire(request("a", ofMillis(20), false, Share.permits(3, 3))));
            answer(store.acquire(request("b", ofSeconds(30), true, Share.permits(1, 3))));
            long over = System.nanoTime() + ofMillis(25).toNanos();
            while (System.nanoTime() - over < 0) {
                Thread.onSpinWait();
            }

            AcquireRequest other = request("c", ofSeconds(30), false, Share.permits(1, 5));
            assertThatThrownBy(() -> answer(store.acquire(other))).hasRootCauseInstanceOf(StoreFailure.class);
        });
    }

    private static void withStore(Consumer<LockStore> test) {
        AtomicReference<LockStore> store = new AtomicReference<>();
        try (Holdfast locks = Holdfast.builder()
                .store(context -> {
                    store.set(new MemoryStore(new MemorySpace(""), context, () -> {}));
                    return requireNonNull(store.get());
                })
                .build()) {
            assertThat(locks.health().reachable()).isTrue();
            test.accept(requireNonNull(store.get()));
        }
    }
}
