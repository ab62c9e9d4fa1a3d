package io.holdfast.internal;

import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockOptions;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreContext;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A row of permits in which one is amid a request when its turn comes: its thread waits in the store for an answer that
 * another thread will read.
 */
class RowSleeperTest {
    private static final long PATIENCE = ofSeconds(60).toNanos();

    /** The permits are given out here; what the callers on this thread have to run. */
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    private @Nullable Engine engine;
    private @Nullable Sleeping store;
    private Share share = Share.permits(1, 1);

    private Engine engine() {
        return requireNonNull(engine);
    }

    private Sleeping store() {
        return requireNonNull(store);
    }

    private void open(int permits) {
        share = Share.permits(1, permits);
        engine = Engine.open(context -> store = new Sleeping(context, permits), "p:", ofSeconds(2), still(), List.of());
    }

    @AfterEach
    void close() {
        engine().close();
    }

    /** Its thread was woken when it was called, and went on to wait for the answer; that alone did not wake it. */
    @ParameterizedTest
    @EnumSource(names = {"QUEUE", "STRICT"})
    void oneWhoseTurnComesAmidItsRequest_hasItSoonAfterTheAnswer(Order order) throws Exception {
        open(1);
        HeldLease before = lease(asks(order));
        Acquisition first = asks(order);
        CompletableFuture<Optional<HeldLease>> second = sleeps(order);
        assertThat(engine().endings().release(before)).isTrue();
        run(() -> first.result().isDone());

        assertThat(engine().endings().release(lease(first))).isTrue();
        store().answers();

        HeldLease got = second.get(4, TimeUnit.SECONDS).orElseThrow();
        assertThat(engine().endings().release(got)).isTrue();
    }

    /** All that came free lay ready for the one who was amid a request, and nobody else was called. */
    @ParameterizedTest
    @EnumSource(names = {"QUEUE", "STRICT"})
    void oneWhoseTurnComesAmidItsRequest_keepsOnePermitFromThoseBehindIt_andNotAll(Order order) throws Exception {
        open(2);
        List<HeldLease> before = List.of(lease(asks(order)), lease(asks(order)));
        List<Acquisition> first = List.of(asks(order), asks(order));
        CompletableFuture<Optional<HeldLease>> second = sleeps(order);
        Acquisition third = asks(order);
        for (HeldLease lease : before) {
            assertThat(engine().endings().release(lease)).isTrue();
        }
        run(() -> first.stream().allMatch(one -> one.result().isDone()));

        for (Acquisition one : first) {
            assertThat(engine().endings().release(lease(one))).isTrue();
        }
        run(tasks::isEmpty);

        assertThat(third.result().isDone()).isTrue();
        store().answers();
        second.get(10, TimeUnit.SECONDS).ifPresent(lease -> engine().endings().release(lease));
        engine().endings().release(lease(third));
    }

    private Acquisition asks(Order order) {
        return engine().acquire(wish(order), tasks::add, true);
    }

    private Wish wish(Order order) {
        return new Wish(engine(), "x", LockOptions.DEFAULT, null, PATIENCE, share, order);
    }

    private static HeldLease lease(Acquisition acquisition) {
        return acquisition.result().join().orElseThrow();
    }

    /** One on a thread of its own, whose ticket the store has taken, but whose answer has not been read. */
    private CompletableFuture<Optional<HeldLease>> sleeps(Order order) {
        CompletableFuture<Optional<HeldLease>> taken = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            Caller caller = engine().caller("x");
            Acquisition attempt = engine().acquire(wish(order), caller, caller.runs());
            taken.complete(caller.awaitUninterruptibly(attempt.result()));
        });
        store().sleeper = thread;
        thread.setDaemon(true);
        thread.start();
        until(() -> store().known != null && thread.getState() == Thread.State.TIMED_WAITING);
        return taken;
    }

    /** Runs what there is to run, until that is so. */
    private void run(BooleanSupplier done) {
        until(() -> {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
            return done.getAsBoolean();
        });
    }

    private static void until(BooleanSupplier done) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!done.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** The clock stands still, so that every section is a short one. */
    private static Platform still() {
        Platform real = Platform.system();
        return (Platform) Proxy.newProxyInstance(
                Platform.class.getClassLoader(), new Class<?>[] {Platform.class}, (self, method, args) -> {
                    try {
                        return method.getName().equals("nanoTime")
                                ? (Object) 5_000_000_000L
                                : method.invoke(real, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** As on a wire behind one that leads: an answer that leaves nothing to do is handed in, and wakes nobody. */
    private static final class Sleeping extends QueueStore {
        volatile @Nullable Thread sleeper;
        volatile @Nullable AcquireReply known;
        private volatile @Nullable CompletableFuture<AcquireReply> told;
        private volatile boolean over;

        Sleeping(StoreContext context, int permits) {
            super(context, permits);
        }

        @Override
        public void acquire(AcquireRequest request, CompletableFuture<AcquireReply> whom) {
            if (Thread.currentThread() != sleeper || over) {
                LockStore.tell(acquire(request), whom);
                return;
            }
            told = whom;
            known = acquire(request).toCompletableFuture().join();
            while (!over) {
                LockSupport.parkNanos(ofSeconds(5).toNanos());
            }
        }

        void answers() throws InterruptedException {
            Thread thread = requireNonNull(sleeper);
            // It has seen that it was unparked, if it was, and sleeps on.
            do {
                Thread.sleep(20);
            } while (thread.getState() != Thread.State.TIMED_WAITING);
            over = true;
            requireNonNull(told).complete(requireNonNull(known));
        }
    }
}
