package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The forms that return a stage. */
interface AsyncContract extends Contract {
    /** Long enough for a busy machine to get the store's answer before it is over. */
    Duration SOON = Duration.ofMillis(500);

    @Test
    default void acquireAsync_ofAFreeLock_givesTheLease() {
        Lease lease = get(bench().lock().acquireAsync(Duration.ZERO));

        assertThat(lease.isValid()).isTrue();
        assertThat(bench().isFree()).isFalse();
        assertThat(lease.release()).isTrue();
    }

    @Test
    default void tryAcquireAsync_ofAHeldLock_isEmptyAtOnce() {
        assertThat(bench().lock().tryLock()).isTrue();

        assertThat(get(bench().lock().tryAcquireAsync())).isEmpty();
        assertThat(get(bench().lock().tryAcquireAsync(SOON))).isEmpty();
    }

    @Test
    default void acquireAsync_whoseWaitIsOver_failsAndLeavesNothing() {
        assertThat(bench().lock().tryLock()).isTrue();

        assertThatThrownBy(() -> get(bench().lock().acquireAsync(SOON)))
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining(bench().name());

        bench().awaitNobodyWaiting();
    }

    @Test
    default void acquireAsync_behindAHolder_completesWithTheRelease() {
        DistributedLock holder = bench().lock();
        holder.lock();
        CompletionStage<Lease> stage = bench().lock().acquireAsync(Bench.PATIENCE);
        bench().awaitWaiting(1);
        assertThat(stage.toCompletableFuture()).isNotDone();

        holder.unlock();

        assertThat(get(stage).release()).isTrue();
    }

    @Test
    default void acquireAsync_manyOfOneThread_waitForEachOther() {
        Holdfast client = bench().client();
        CompletableFuture<?>[] all = new CompletableFuture<?>[10];
        for (int i = 0; i < all.length; i++) {
            all[i] = client.lock(bench().name())
                    .acquireAsync(Bench.PATIENCE)
                    .thenAccept(Lease::close)
                    .toCompletableFuture();
        }
        get(CompletableFuture.allOf(all));
        assertThat(bench().isFree()).isTrue();
    }

    /** What hangs on a stage may block, and may use the same client. */
    @Test
    default void callback_mayUseTheLockItself() {
        Holdfast client = bench().client();
        DistributedLock lock = client.lock(bench().name());

        CompletionStage<Boolean> inner = lock.acquireAsync(Duration.ZERO).thenApply(lease -> {
            boolean free = lock.tryLock();
            lease.close();
            lock.lock();
            return !free && lock.unlock();
        });

        assertThat(get(inner)).isTrue();
    }

    @Test
    @Faults({16, 46})
    default void cancel_duringTheWait_leavesNothing() {
        DistributedLock holder = bench().lock();
        holder.lock();
        CompletableFuture<Lease> stage =
                bench().lock().acquireAsync(Bench.PATIENCE).toCompletableFuture();
        bench().awaitWaiting(1);

        assertThat(stage.cancel(true)).isTrue();

        bench().awaitNobodyWaiting();
        holder.unlock();
        bench().until(bench()::isFree);
    }

    @Test
    @Tag("race")
    @Faults({16, 45})
    default void cancel_atAnyMoment_leaksNothing() {
        DistributedLock lock = bench().lock();
        int obtained = 0;
        for (int round = 0; round < 150; round++) {
            CompletableFuture<Optional<Lease>> stage =
                    lock.tryAcquireAsync(Bench.PATIENCE).toCompletableFuture();
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(300_000));
            if (!stage.cancel(false)) {
                assertThat(stage.join().orElseThrow().release()).isTrue();
                obtained++;
            }
        }
        bench().awaitNobodyWaiting();
        bench().until(bench()::isFree);
        assertThat(obtained).isLessThanOrEqualTo(150);
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture()
                .orTimeout(Bench.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }
}
