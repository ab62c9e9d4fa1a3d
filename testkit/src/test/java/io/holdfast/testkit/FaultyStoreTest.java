package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.Loss;
import io.holdfast.StoreUnavailableException;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.StoreFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FaultyStoreTest {
    private static final String NAME = "invoice:42";

    private final FaultyStore store = FaultyStore.inMemory();
    private final Holdfast locks = Holdfast.builder()
            .store(store.factory())
            .commandTimeout(Duration.ofMillis(200))
            .build();
    private final DistributedLock lock = locks.lock(NAME);

    @AfterEach
    void close() {
        locks.close();
    }

    @Test
    void withoutAFault_itIsTheStoreBehindIt() {
        assertThat(lock.tryLock()).isTrue();
        assertThat(locks.inspect(NAME)).hasSize(1);
        assertThat(locks.health().reachable()).isTrue();
        assertThat(locks.store()).isEqualTo("memory:");
        assertThat(lock.unlock()).isTrue();
    }

    @Test
    void expireNow_isFoundOutAtTheRelease() {
        lock.lock();
        store.expireNow(NAME);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.unlock()).isFalse();
    }

    @Test
    void expireNow_ofALockThatIsFree_doesNothing() {
        store.expireNow(NAME);
        assertThat(lock.tryLock()).isTrue();
    }

    @Test
    void lose_tellsTheHolderAtOnce() throws InterruptedException {
        Lease lease = lock.acquire(Duration.ZERO);
        Lease other = locks.lock("other").acquire(Duration.ZERO);

        store.lose(NAME);

        assertThat(lease.isValid()).isFalse();
        Loss loss = lease.lost()
                .toCompletableFuture()
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
        assertThat(loss.cause()).isEqualTo(Loss.Cause.GONE);
        assertThatThrownBy(lease::ensureValid).isInstanceOf(LeaseLostException.class);
        assertThat(other.isValid()).isTrue();
    }

    @Test
    void delay_makesEveryAnswerLate() {
        store.delay(Duration.ofMillis(100));
        long before = System.nanoTime();

        assertThat(lock.tryLock()).isTrue();

        assertThat(System.nanoTime() - before).isGreaterThan(99_000_000);
        store.restore();
        assertThat(lock.unlock()).isTrue();
    }

    @Test
    void delay_beyondTheCommandTimeOut_isNoAnswer() {
        store.delay(Duration.ofMinutes(1));

        assertThatThrownBy(lock::tryLock)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("200 ms");
    }

    @Test
    void cutOff_failsUntilItIsRestored() {
        store.cutOff();
        assertThatThrownBy(lock::tryLock).isInstanceOf(StoreUnavailableException.class);
        assertThat(locks.health().reachable()).isFalse();
        store.restore();
        assertThat(lock.tryLock()).isTrue();
    }

    @Test
    void twoOverOneStore_failSeparately() {
        StoreFactory shared = MemoryStore.isolated();
        FaultyStore here = FaultyStore.over(shared);
        FaultyStore there = FaultyStore.over(shared);
        try (Holdfast one = Holdfast.builder().store(here.factory()).build();
                Holdfast two = Holdfast.builder().store(there.factory()).build()) {
            here.cutOff();
            assertThatThrownBy(() -> one.lock(NAME).tryLock()).isInstanceOf(StoreUnavailableException.class);
            assertThat(two.lock(NAME).tryLock()).isTrue();
            here.restore();
            assertThat(one.lock(NAME).tryLock()).isFalse();
        }
    }

    @Test
    void hang_answersWhenItIsRestored() {
        store.hang();
        CompletableFuture<Lease> lease =
                lock.acquireAsync(Duration.ofSeconds(10)).toCompletableFuture();
        assertThat(lease).isNotDone();

        store.restore();

        assertThat(lease.orTimeout(10, TimeUnit.SECONDS).join().release()).isTrue();
    }

    @Test
    void hang_failsAtTheCommandTimeOut_andCarriesOutLater() {
        store.hang();
        assertThatThrownBy(lock::tryLock)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("200 ms");
        assertThat(locks.health().reachable()).isFalse();

        store.restore();

        Call acquire = store.calls(Operation.ACQUIRE).get(0);
        await().until(() -> store.calls(Operation.RELEASE).stream()
                .anyMatch(release -> release.owner().equals(acquire.owner())));
        await().pollInSameThread().until(lock::tryLock);
    }

    @Test
    void loseNextReply_carriesOutTheRequest() {
        store.loseNextReply(Operation.ACQUIRE);
        assertThatThrownBy(lock::tryLock).isInstanceOf(StoreUnavailableException.class);
        // What it left behind is given back in the background.
        await().pollInSameThread().until(lock::tryLock);

        store.loseNextReply(Operation.RELEASE);
        assertThat(lock.unlock()).isTrue();
        assertThat(lock.tryLock()).isTrue();
    }

    @Test
    void loseNextRequest_countsDown() {
        store.loseNextRequest(Operation.ACQUIRE);
        store.loseNextRequest(Operation.ACQUIRE);
        assertThatThrownBy(lock::tryLock).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(lock::tryLock).isInstanceOf(StoreUnavailableException.class);
        assertThat(lock.tryLock()).isTrue();
    }

    @Test
    void record_hasEveryRequest() throws InterruptedException {
        Lease lease = lock.acquire(Duration.ofSeconds(1));
        lease.extend(Duration.ofMinutes(1));
        lease.release();

        List<Call> calls = store.calls();
        assertThat(calls)
                .extracting(Call::operation)
                .containsExactly(Operation.ACQUIRE, Operation.RENEW, Operation.RELEASE);
        assertThat(calls).extracting(Call::name).containsOnly(NAME);
        assertThat(calls).extracting(Call::owner).containsOnly(calls.get(0).owner());
        assertThat(calls.get(0).waits()).isTrue();
        assertThat(calls.get(1).lease()).isEqualTo(Duration.ofMinutes(1));
        assertThat(store.count(Operation.RENEW)).isEqualTo(1);
        store.forgetCalls();
        assertThat(store.calls()).isEmpty();
    }

    @Test
    void repeat_sendsAgain() {
        lock.lock();
        Call acquire = store.calls(Operation.ACQUIRE).get(0);
        lock.unlock();
        Call release = store.calls(Operation.RELEASE).get(0);

        assertThat(store.repeat(release)).isEqualTo("NOT_OWNER");
        assertThat(store.repeat(acquire)).startsWith("Granted");
        assertThat(lock.tryLock()).isFalse();
        assertThat(store.repeat(release)).isEqualTo("RELEASED");
        assertThat(lock.tryLock()).isTrue();
    }

    @Test
    void misuse_isToldSo() {
        assertThatThrownBy(() -> store.delay(Duration.ofNanos(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> FaultyStore.inMemory().expireNow(NAME))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no client");
    }
}
