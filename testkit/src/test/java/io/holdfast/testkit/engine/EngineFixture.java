package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Hold;
import io.holdfast.Holdfast;
import io.holdfast.LockListener;
import io.holdfast.Loss;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.StoreFactory;
import io.holdfast.testkit.Call;
import io.holdfast.testkit.FaultyStore;
import io.holdfast.testkit.ManualClock;
import io.holdfast.testkit.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/**
 * Two clients on one store, each with fault switches of its own: {@code locks} is the one that faults happen to,
 * {@code rival} is the one that must not get in too early. All clocks are one unless a test says otherwise.
 */
abstract class EngineFixture {
    static final String NAME = "invoice:42";
    static final Duration LEASE = Duration.ofSeconds(30);
    /** How long a lease of 30 s counts as held: 1 % and 2 ms are allowed for the clocks. */
    static final Duration VALID = Duration.ofMillis(29_698);

    static final Duration TICK = Duration.ofNanos(1);

    final ManualClock clock = new ManualClock();
    private final StoreFactory shared = MemoryStore.isolated();
    private final List<Holdfast> clients = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    final List<Loss.Cause> losses = new CopyOnWriteArrayList<>();

    final FaultyStore store = over(clock);
    final Holdfast locks = client(builder -> builder.store(store.factory()).listener(new Recorder()));
    final DistributedLock lock = locks.lock(NAME);
    final Holdfast rivals = client(builder -> builder.store(over(clock).factory()));
    final DistributedLock rival = rivals.lock(NAME);

    private final class Recorder implements LockListener {
        @Override
        public void lost(Hold hold, Loss loss) {
            losses.add(loss.cause());
        }
    }

    /** The shared store with fault switches of its own, and with that clock as the server's. */
    final FaultyStore over(ManualClock serverClock) {
        return FaultyStore.over(shared).serverClock(serverClock);
    }

    final StoreFactory shared() {
        return shared;
    }

    /** A client that is closed with the test, on the clock of all unless changed. */
    final Holdfast client(java.util.function.Consumer<Holdfast.Builder> changes) {
        Holdfast.Builder builder = Holdfast.builder().platform(clock.platform());
        changes.accept(builder);
        Holdfast client = builder.build();
        clients.add(client);
        return client;
    }

    @AfterEach
    void closeClients() throws InterruptedException {
        Thread.interrupted();
        store.restore();
        clients.forEach(Holdfast::close);
        for (Thread thread : threads) {
            thread.join(10_000);
            assertThat(thread.isAlive()).as("a thread of the test still waits").isFalse();
        }
        assertThat(clock.timers()).as("timers left behind").isZero();
    }

    /** Something that waits: on a thread of its own, and waiting when this returns. */
    final <T> Waiter<T> waiting(Callable<T> script) {
        int before = (int) threads.stream().filter(Thread::isAlive).count();
        Waiter<T> waiter = started(script);
        clock.awaitWaiting(before + 1);
        return waiter;
    }

    /** Something on a thread of its own. */
    final <T> Waiter<T> started(Callable<T> script) {
        Waiter<T> waiter = new Waiter<>(script);
        threads.add(waiter.thread);
        return waiter;
    }

    final void pass(Duration time) {
        clock.advance(time);
    }

    /** Lets the threads of the engine do what they have to do now. */
    final void settle() {
        clock.advance(Duration.ZERO);
    }

    /** Who holds the lock in the store, whatever the clients think. */
    final Optional<LockInfo> held() {
        return rivals.inspect(NAME).stream()
                .filter(info -> info.owner().isPresent())
                .findFirst();
    }

    final Call only(Operation operation) {
        assertThat(store.calls(operation)).hasSize(1);
        return store.calls(operation).get(0);
    }

    static final class Waiter<T> {
        final Thread thread;
        private final CompletableFuture<T> result = new CompletableFuture<>();

        Waiter(Callable<T> script) {
            thread = new Thread(() -> {
                try {
                    result.complete(script.call());
                } catch (Throwable e) {
                    result.completeExceptionally(e);
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        boolean isDone() {
            return result.isDone();
        }

        T join() {
            return result.orTimeout(20, TimeUnit.SECONDS).join();
        }

        Throwable failure() {
            try {
                T value = join();
                throw new AssertionError("did not fail: " + value);
            } catch (CompletionException e) {
                return e.getCause() == null ? e : e.getCause();
            }
        }
    }
}
