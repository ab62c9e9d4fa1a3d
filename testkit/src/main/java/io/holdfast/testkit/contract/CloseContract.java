package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.ClientClosedException;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Loss;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Closing a client ends everything it has begun. */
@Faults(47)
interface CloseContract extends Contract {

    @Test
    default void close_givesBackWhatIsHeldAndSaysSo() throws InterruptedException {
        Losses losses = new Losses();
        Holdfast client = bench().client(builder -> builder.listener(losses));
        Lease lease = client.lock(bench().name()).acquire(Duration.ZERO);
        DistributedLock byThread = client.lock(bench().name() + ":thread");
        byThread.lock();

        client.close();

        assertThat(bench().isFree()).isTrue();
        assertThat(get(lease.lost()).cause()).isEqualTo(Loss.Cause.CLIENT_CLOSED);
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.release()).isFalse();
        assertThat(byThread.isHeldByCurrentThread()).isFalse();
        assertThat(byThread.unlock()).isFalse();
        bench().until(() -> losses.causes().size() == 2);
        assertThat(losses.causes()).containsOnly(Loss.Cause.CLIENT_CLOSED);
    }

    @Test
    default void close_endsEveryWait() {
        DistributedLock holder = bench().lock();
        holder.lock();
        Holdfast client = bench().client();
        DistributedLock lock = client.lock(bench().name());
        List<Actor<?>> waiters = new ArrayList<>();
        waiters.add(bench().start(() -> {
            lock.lock();
            return null;
        }));
        waiters.add(bench().start(() -> {
            lock.lockInterruptibly();
            return null;
        }));
        waiters.add(bench().start(() -> lock.tryLock(Bench.PATIENCE)));
        waiters.add(bench().start(() -> lock.acquire(Bench.PATIENCE)));
        CompletionStage<Lease> stage = lock.acquireAsync(Bench.PATIENCE);
        // One of them waits in the store, the others in the line of their client.
        bench().awaitWaiting(1);
        waiters.forEach(waiter -> bench().until(waiter::rests));

        client.close();

        waiters.forEach(waiter -> assertThat(waiter.failure()).isInstanceOf(ClientClosedException.class));
        assertThatThrownBy(() -> get(stage)).hasCauseInstanceOf(ClientClosedException.class);
        bench().awaitNobodyWaiting();
        holder.unlock();
        assertThat(bench().isFree()).isTrue();
    }

    @Test
    default void closedClient_refusesEverything() {
        Holdfast client = bench().client();
        DistributedLock lock = client.lock(bench().name());
        client.close();
        client.close();

        assertThatThrownBy(lock::tryLock)
                .isInstanceOf(ClientClosedException.class)
                .hasMessageContaining(bench().name());
        assertThatThrownBy(lock::lock).isInstanceOf(ClientClosedException.class);
        assertThatThrownBy(() -> lock.tryLock(Duration.ofSeconds(1))).isInstanceOf(ClientClosedException.class);
        assertThatThrownBy(() -> lock.acquire(Duration.ofSeconds(1))).isInstanceOf(ClientClosedException.class);
        assertThatThrownBy(lock::tryAcquire).isInstanceOf(ClientClosedException.class);
        assertThatThrownBy(() -> client.inspect("*")).isInstanceOf(ClientClosedException.class);
        assertThat(lock.unlock()).isFalse();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    default void closedClient_failsEveryStage() {
        Holdfast client = bench().client();
        DistributedLock lock = client.lock(bench().name());
        client.close();

        for (CompletionStage<?> stage : List.of(
                lock.acquireAsync(Duration.ofSeconds(1)),
                lock.tryAcquireAsync(),
                lock.tryAcquireAsync(Duration.ofSeconds(1)))) {
            assertThatThrownBy(() -> get(stage)).hasCauseInstanceOf(ClientClosedException.class);
        }
    }

    @Test
    @Tag("race")
    default void close_amidTraffic_leavesNothingAndEndsEveryCall() {
        for (int round = 0; round < 40; round++) {
            Holdfast client = bench().client();
            List<Actor<Void>> actors = new ArrayList<>();
            CompletableFuture<Void> begun = new CompletableFuture<>();
            for (int i = 0; i < 3; i++) {
                actors.add(bench().start(() -> untilClosed(client.lock(bench().name()), begun)));
            }
            begun.join();

            client.close();

            actors.forEach(actor -> assertThat(actor.failure()).isInstanceOf(ClientClosedException.class));
            assertThat(bench().isFree())
                    .as("round %s: %s", round, bench().control().leftovers())
                    .isTrue();
        }
    }

    private static Void untilClosed(DistributedLock lock, CompletableFuture<Void> begun) throws InterruptedException {
        while (true) {
            if (lock.tryLock() && !lock.unlock()) {
                throw new ClientClosedException(lock.getLockName());
            }
            lock.acquire(Bench.PATIENCE).release();
            try {
                get(lock.acquireAsync(Bench.PATIENCE)).release();
            } catch (CompletionException e) {
                if (e.getCause() instanceof ClientClosedException closed) {
                    throw closed;
                }
                throw e;
            }
            begun.complete(null);
        }
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture()
                .orTimeout(Bench.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }
}
