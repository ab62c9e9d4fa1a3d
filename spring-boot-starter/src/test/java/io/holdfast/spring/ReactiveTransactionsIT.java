package io.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Locks that are taken in reactive transactions. */
class ReactiveTransactionsIT {
    private static final Duration SOON = Duration.ofSeconds(10);

    @SuppressWarnings("NullAway.Init")
    private static RedisServer redis;

    @SuppressWarnings("NullAway.Init")
    private static ConfigurableApplicationContext app;

    private final Desk desk = app.getBean(Desk.class);
    private final Manager manager = new Manager();
    private final TransactionalOperator transaction = TransactionalOperator.create(manager);
    private final TransactionalOperator ofItsOwn = TransactionalOperator.create(
            manager, new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
        app = Apps.start(redis, Application.class);
    }

    @AfterAll
    static void stop() {
        app.close();
        redis.close();
    }

    @AfterEach
    void nothingIsLeftBehind() {
        Awaitility.await().until(() -> !isLocked("a") && !isLocked("b"));
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({HoldfastAutoConfiguration.class, LockedAutoConfiguration.class})
    @Import(Desk.class)
    static class Application {}

    static class Desk {
        @Locked(name = "a", waitFor = "0", lease = "4s")
        public Mono<String> one(Mono<String> inside) {
            return inside;
        }

        @Locked(name = "a", waitFor = "0", lease = "4s")
        public Flux<String> many(Flux<String> inside) {
            return inside;
        }

        @Locked(name = "b", waitFor = "0")
        public Mono<String> other(Mono<String> inside) {
            return inside;
        }

        @Locked(name = "a", waitFor = "0", onTimeout = Locked.OnTimeout.SKIP)
        public Mono<String> skipping(Mono<String> inside) {
            return inside;
        }

        @Locked(name = "a", waitFor = "5s")
        @Locked(name = "b")
        public Mono<String> both(Mono<String> inside) {
            return inside;
        }

        @Locked(name = "a", waitFor = "0", lease = "4s")
        public Mono<String> given(@Nullable Lease lease, CompletableFuture<Lease> seen) {
            seen.complete(lease);
            return Mono.just("done");
        }

        @Locked(name = "kept", waitFor = "0", atLeast = "1h")
        public Mono<String> atLeast(Mono<String> inside) {
            return inside;
        }
    }

    /** Writes down what happens, and whether the lock is held then. */
    private static final class Manager extends AbstractReactiveTransactionManager {
        private static final long serialVersionUID = 1L;
        private static final Object RUNNING = Manager.class;

        final transient List<String> ends = new CopyOnWriteArrayList<>();

        @Override
        protected Object doGetTransaction(TransactionSynchronizationManager context) {
            return context.hasResource(RUNNING) ? "running" : "new";
        }

        @Override
        protected boolean isExistingTransaction(Object transaction) {
            return transaction.equals("running");
        }

        @Override
        protected Mono<Void> doBegin(
                TransactionSynchronizationManager context, Object transaction, TransactionDefinition definition) {
            return Mono.fromRunnable(() -> context.bindResource(RUNNING, "it"));
        }

        @Override
        protected Mono<Object> doSuspend(TransactionSynchronizationManager context, Object transaction) {
            return Mono.fromCallable(() -> context.unbindResource(RUNNING));
        }

        @Override
        protected Mono<Void> doResume(
                TransactionSynchronizationManager context, @Nullable Object transaction, Object suspended) {
            return Mono.fromRunnable(() -> context.bindResource(RUNNING, suspended));
        }

        @Override
        protected Mono<Void> doCommit(TransactionSynchronizationManager context, GenericReactiveTransaction status) {
            return end("committed");
        }

        @Override
        protected Mono<Void> doRollback(TransactionSynchronizationManager context, GenericReactiveTransaction status) {
            return end("rolled back");
        }

        private Mono<Void> end(String how) {
            return Mono.fromRunnable(() -> ends.add(how + (isLocked("a") ? ", locked" : ", free")));
        }

        @Override
        protected Mono<Void> doCleanupAfterCompletion(TransactionSynchronizationManager context, Object transaction) {
            return Mono.fromRunnable(() -> context.unbindResourceIfPossible(RUNNING));
        }
    }

    private static boolean isLocked(String name) {
        return redis.keys().contains("distributed_lock:" + name);
    }

    private static Mono<String> look() {
        return Mono.fromCallable(() -> isLocked("a") ? "locked" : "free");
    }

    @Test
    void aLockTakenInARunningTransaction_isKeptUntilThatHasEnded() {
        assertThat(transaction.transactional(desk.one(look()).then(look())).block(SOON))
                .isEqualTo("locked");
        assertThat(isLocked("a")).isFalse();
        assertThat(transaction
                        .transactional(desk.many(Flux.just("1", "2")))
                        .collectList()
                        .block(SOON))
                .containsExactly("1", "2");
        assertThat(isLocked("a")).isFalse();
        assertThatThrownBy(() -> transaction
                        .transactional(desk.one(look()).then(Mono.error(new IllegalStateException("mine"))))
                        .block(SOON))
                .hasMessage("mine");
        assertThat(isLocked("a")).isFalse();
        assertThat(manager.ends).containsExactly("committed, locked", "committed, locked", "rolled back, locked");
    }

    @Test
    void aTransactionInsideOfTheLock_endsBeforeThat() {
        Mono<String> inside = transaction.transactional(look()).then(look());
        assertThat(desk.one(inside).block(SOON)).isEqualTo("locked");
        assertThat(isLocked("a")).isFalse();
        assertThat(manager.ends).containsExactly("committed, locked");
    }

    @Test
    void callsInATransaction_goOnWithWhatItHas() {
        Mono<String> work = desk.one(look())
                .then(desk.one(desk.one(look())))
                .then(ofItsOwn.transactional(desk.one(look())))
                .then(desk.skipping(look()))
                .then(desk.both(look()))
                .then(Mono.zip(desk.one(look()), desk.other(look()), (one, other) -> one + " and " + other));
        assertThat(transaction.transactional(work).block(SOON)).isEqualTo("locked and locked");
        assertThat(manager.ends).containsExactly("committed, locked", "committed, locked");
        assertThat(isLocked("a") || isLocked("b")).isFalse();
    }

    @Test
    void aLockTakenInATransactionOfItsOwn_endsWithThat() {
        Mono<String> work = ofItsOwn.transactional(desk.one(look())).then(look());
        assertThat(transaction.transactional(work).block(SOON)).isEqualTo("free");
        assertThat(manager.ends).containsExactly("committed, locked", "committed, free");
    }

    @Test
    void anotherSubscriber_waitsForTheTransaction() {
        Mono<String> work = desk.one(look())
                .then(Mono.defer(() -> Mono.fromFuture(desk.one(look()).toFuture())));
        assertThatThrownBy(() -> transaction.transactional(work).block(SOON)).isInstanceOf(LockTimeoutException.class);
        assertThat(manager.ends).containsExactly("rolled back, locked");
    }

    @Test
    void whatIsSkipped_tiesNothing() throws Exception {
        try (Holdfast locks = Holdfast.connect(redis.uri());
                Lease other = locks.lock("a").acquire(SOON)) {
            assertThat(other.isValid()).isTrue();
            assertThat(transaction.transactional(desk.skipping(look())).block(SOON))
                    .isNull();
        }
        assertThat(manager.ends).containsExactly("committed, locked");
    }

    @Test
    void aLeaseThatWasLostInARunningTransaction_rollsThatBack() {
        CompletableFuture<Lease> seen = new CompletableFuture<>();
        Mono<String> work = desk.given(null, seen).flatMap(done -> {
            redis.command("DEL", "distributed_lock:a");
            return Mono.fromFuture(seen.join().lost().toCompletableFuture()).thenReturn(done);
        });
        assertThatThrownBy(() -> transaction.transactional(work).block(SOON)).isInstanceOf(LeaseLostException.class);
        assertThat(manager.ends).containsExactly("rolled back, free");
    }

    @Test
    void aTransactionThatIsCancelled_givesTheLockBack() throws Exception {
        CountDownLatch after = new CountDownLatch(1);
        cancel(desk.one(look()).doOnNext(seen -> after.countDown()).then(Mono.never()), after);
        CountDownLatch inside = new CountDownLatch(1);
        cancel(desk.one(Mono.<String>never().doOnSubscribe(begun -> inside.countDown())), inside);
        assertThat(manager.ends).containsExactly("rolled back, locked", "rolled back, locked");
    }

    private void cancel(Mono<String> work, CountDownLatch reached) throws InterruptedException {
        Disposable running = transaction.transactional(work).subscribe();
        assertThat(reached.await(10, TimeUnit.SECONDS)).isTrue();
        running.dispose();
        Awaitility.await().until(() -> !isLocked("a"));
    }

    // --- after what is around has ended

    /** What the call around has when it runs, to be subscribed to when it has ended. */
    private <T> Mono<T> inTheContextOf(Mono<T> late, UnaryOperator<Mono<String>> around) {
        List<Mono<T>> made = new ArrayList<>();
        around.apply(Mono.deferContextual(context -> {
                    made.add(late.contextWrite(context));
                    return look();
                }))
                .block(SOON);
        return made.get(0);
    }

    @Test
    void aCallThatComesAfterTheOneAround_takesTheLockAnew() {
        assertThat(inTheContextOf(desk.one(look()), desk::one).block(SOON)).isEqualTo("locked");
        assertThat(inTheContextOf(desk.one(look()), around -> transaction.transactional(desk.one(around)))
                        .block(SOON))
                .isEqualTo("locked");
        // The lock is still there, but nobody's who would have the right to let others in.
        assertThatThrownBy(() ->
                        inTheContextOf(desk.atLeast(look()), desk::atLeast).block(SOON))
                .isInstanceOf(LockTimeoutException.class);
    }

    @Test
    void aCallThatCountedOnTheOneAround_fails() throws Exception {
        try (Holdfast locks = Holdfast.connect(redis.uri());
                Lease other = locks.lock("b").acquire(SOON)) {
            CompletableFuture<String> around = new CompletableFuture<>();
            CompletableFuture<CompletableFuture<String>> late = new CompletableFuture<>();
            Mono<String> begins = Mono.deferContextual(context -> {
                late.complete(desk.both(look()).contextWrite(context).toFuture());
                return Mono.fromFuture(around);
            });
            CompletableFuture<String> result = desk.one(begins).toFuture();
            Awaitility.await()
                    .until(() -> locks.inspect("b").stream()
                            .anyMatch(found -> !found.waiters().isEmpty()));
            around.complete("done");
            assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
            other.release();
            assertThatThrownBy(() -> late.get(10, TimeUnit.SECONDS).get(10, TimeUnit.SECONDS))
                    .hasRootCauseInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'a'");
        }
    }
}
