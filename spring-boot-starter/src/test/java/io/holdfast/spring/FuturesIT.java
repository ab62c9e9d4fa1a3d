package io.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Futures that take a lock along, out of calls and transactions that have it as well. */
class FuturesIT {
    @SuppressWarnings("NullAway.Init")
    private static RedisServer redis;

    @SuppressWarnings("NullAway.Init")
    private static ConfigurableApplicationContext app;

    private final Desk desk = app.getBean(Desk.class);
    private final ThreadHolds holds = app.getBean(ThreadHolds.class);
    private final ExecutorService request = Executors.newSingleThreadExecutor();
    private final CompletableFuture<String> work = new CompletableFuture<>();

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
        app = Apps.start(redis, Application.class, "spring.datasource.url=jdbc:h2:mem:futures");
    }

    @AfterAll
    static void stop() {
        app.close();
        redis.close();
    }

    @AfterEach
    void end() {
        request.shutdownNow();
        work.complete("ended");
        Awaitility.await().until(() -> !isLocked("a"));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Desk.class)
    static class Application {}

    /** Inside of the method. */
    interface Work {
        void run() throws Exception;
    }

    static class Desk {
        @Locked(name = "a", waitFor = "0", lease = "4s")
        public void call(Work inside) throws Exception {
            inside.run();
        }

        @Locked(name = "a", waitFor = "0", lease = "4s")
        public CompletableFuture<String> future(CompletableFuture<String> result, Work inside) throws Exception {
            inside.run();
            return result;
        }

        @Locked(name = "b", waitFor = "0")
        public void callOther(Work inside) throws Exception {
            inside.run();
        }

        @Locked(name = "a", waitFor = "0")
        @Locked(name = "b")
        public CompletableFuture<String> futureOfBoth(CompletableFuture<String> result) {
            return result;
        }

        @Locked(name = "a", waitFor = "5s")
        @Locked(name = "b")
        public void callBoth(Work inside) throws Exception {
            inside.run();
        }
    }

    private static boolean isLocked(String name) {
        return redis.keys().contains("distributed_lock:" + name);
    }

    private void lose() throws InterruptedException {
        redis.command("DEL", "distributed_lock:a");
        CountDownLatch lost = new CountDownLatch(1);
        holds.all().forEach(hold -> hold.lease().lost().thenRun(lost::countDown));
        assertThat(lost.await(30, TimeUnit.SECONDS)).isTrue();
    }

    /** In a transaction: one of its own, or the one that there is. */
    private static void inTransaction(boolean ofItsOwn, Work inside) {
        TransactionTemplate transaction = new TransactionTemplate(app.getBean(PlatformTransactionManager.class));
        transaction.setPropagationBehavior(
                ofItsOwn ? TransactionDefinition.PROPAGATION_REQUIRES_NEW : TransactionDefinition.PROPAGATION_REQUIRED);
        transaction.executeWithoutResult(status -> {
            try {
                inside.run();
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** Runs on the one thread that serves all requests. */
    private void serve(Work one) throws Exception {
        request.submit(() -> {
                    one.run();
                    return null;
                })
                .get(10, TimeUnit.SECONDS);
    }

    private void refused(Work one) {
        assertThatThrownBy(() -> serve(one)).hasRootCauseInstanceOf(LockTimeoutException.class);
    }

    @Test
    void aFutureOutOfACall_keepsTheThreadsNextRequestOut() throws Exception {
        List<CompletableFuture<String>> result = new ArrayList<>();
        serve(() -> desk.call(() -> result.add(desk.future(work, () -> {}))));
        refused(() -> desk.call(() -> {}));
        work.complete("done");
        assertThat(result.get(0).get(30, TimeUnit.SECONDS)).isEqualTo("done");
        serve(() -> desk.call(() -> {}));
    }

    @Test
    void aFutureThatHasEndedInATransaction_leavesTheLockToItsNextCalls() {
        inTransaction(false, () -> {
            assertThat(desk.future(CompletableFuture.completedFuture("first"), () -> {})
                            .get(30, TimeUnit.SECONDS))
                    .isEqualTo("first");
            assertThat(desk.future(CompletableFuture.completedFuture("second"), () -> {})
                            .get(30, TimeUnit.SECONDS))
                    .isEqualTo("second");
            desk.call(() -> {});
            assertThat(isLocked("a")).isTrue();
        });
        assertThat(isLocked("a")).isFalse();
    }

    @Test
    void aFutureThatOutlastsItsTransaction_keepsTheThreadsNextRequestOut() throws Exception {
        serve(() -> inTransaction(false, () -> desk.future(work, () -> {})));
        refused(() -> desk.call(() -> {}));
    }

    @Test
    void aFutureWithOneMoreLock_takesOnlyThatFromTheThread() throws Exception {
        desk.call(() -> {
            CompletableFuture<String> result = desk.futureOfBoth(work);
            desk.call(() -> {});
            assertThatThrownBy(() -> desk.callOther(() -> {})).isInstanceOf(LockTimeoutException.class);
            work.complete("done");
            assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("done");
            assertThat(isLocked("b")).isFalse();
            assertThat(isLocked("a")).isTrue();
        });
        assertThat(isLocked("a")).isFalse();
    }

    // --- callers that do not wait for the end

    @Test
    void aFutureThatIsCancelled_keepsTheLockUntilItsWorkHasEnded() throws Exception {
        CompletableFuture<String> result = desk.future(work, () -> {});
        assertThat(result.cancel(true)).isTrue();
        // To cancel it would end it for those who look, and not its work.
        assertThat(work).isNotDone();
        refused(() -> desk.call(() -> {}));
        work.complete("done");
        Awaitility.await().until(() -> !isLocked("a"));
        assertThat(result).isCancelled();
    }

    // --- all the ways to nest them

    /** Where the lock is taken, or what it is tied to. */
    enum Level {
        CALL,
        FUTURE,
        TRANSACTION,
        TRANSACTION_OF_ITS_OWN
    }

    /** One nesting while it runs, and what is expected at each point of it. */
    private final class Nesting {
        private final List<Level> levels;
        private final List<CompletableFuture<String>> works = new ArrayList<>();
        private final List<CompletableFuture<String>> results = new ArrayList<>();
        /** For each transaction that runs whether the lock was taken in it; the innermost comes first. */
        private final Deque<Boolean> transactions = new ArrayDeque<>();

        private int callsAround;

        Nesting(List<Level> levels) {
            this.levels = levels;
        }

        void run(int depth) throws Exception {
            if (depth < levels.size()) {
                enter(levels.get(depth), () -> {
                    run(depth + 1);
                    look();
                });
            }
        }

        private void enter(Level level, Work inside) throws Exception {
            switch (level) {
                case CALL -> {
                    tie();
                    desk.call(() -> around(inside));
                }
                case FUTURE -> {
                    tie();
                    CompletableFuture<String> own = new CompletableFuture<>();
                    CompletableFuture<String> result = desk.future(own, () -> around(inside));
                    works.add(own);
                    results.add(result);
                }
                case TRANSACTION -> {
                    boolean joins = !transactions.isEmpty();
                    FuturesIT.inTransaction(false, () -> transaction(joins, inside));
                }
                case TRANSACTION_OF_ITS_OWN -> FuturesIT.inTransaction(true, () -> transaction(false, inside));
            }
        }

        private void transaction(boolean joins, Work inside) throws Exception {
            if (!joins) {
                transactions.push(false);
            }
            inside.run();
            if (!joins) {
                transactions.pop();
            }
        }

        private void tie() {
            if (!transactions.isEmpty()) {
                transactions.pop();
                transactions.push(true);
            }
        }

        private void around(Work inside) throws Exception {
            callsAround++;
            inside.run();
            callsAround--;
        }

        /** Whether a further call here goes on with the lock, waits for it, or takes it anew. */
        private void look() {
            boolean has = callsAround > 0 || transactions.contains(true);
            assertThat(holds.all().isEmpty()).as("%s", levels).isEqualTo(!has);
            Throwable failure = catchThrowable(() -> desk.call(() -> {}));
            if (has || works.isEmpty()) {
                assertThat(failure).as("%s", levels).isNull();
                tie();
            } else {
                assertThat(failure).as("%s", levels).isInstanceOf(LockTimeoutException.class);
            }
        }

        /** Ends the futures, in the order in which they began or the other way round. */
        void end(boolean lastFirst) throws Exception {
            while (!works.isEmpty()) {
                assertThat(isLocked("a")).as("%s", levels).isTrue();
                int next = lastFirst ? works.size() - 1 : 0;
                works.remove(next).complete("done");
                results.remove(next).get(30, TimeUnit.SECONDS);
            }
            assertThat(isLocked("a")).as("%s", levels).isFalse();
        }
    }

    private static List<List<Level>> nestings(int depth) {
        List<List<Level>> all = new ArrayList<>();
        all.add(List.of());
        int from = 0;
        for (int i = 0; i < depth; i++) {
            int to = all.size();
            for (List<Level> outer : List.copyOf(all.subList(from, to))) {
                for (Level inner : Level.values()) {
                    List<Level> one = new ArrayList<>(outer);
                    one.add(inner);
                    all.add(List.copyOf(one));
                }
            }
            from = to;
        }
        return all;
    }

    @Test
    void howeverTheyAreNested_theThreadHasTheLockWhileACallOrTransactionOfItsOwnDoes() throws Exception {
        for (List<Level> levels : nestings(4)) {
            for (boolean lastFirst : new boolean[] {true, false}) {
                Nesting nesting = new Nesting(levels);
                nesting.run(0);
                nesting.look();
                nesting.end(lastFirst);
            }
        }
    }

    // --- when the lease is lost, or the transaction ends elsewhere

    @Test
    void aLossInACall_isHeardOfByItsCallerAndByItsFuture() {
        List<CompletableFuture<String>> result = new ArrayList<>();
        assertThatThrownBy(() -> desk.call(() -> {
                    result.add(desk.future(work, () -> {}));
                    lose();
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(holds.all()).isEmpty();
        work.complete("done");
        assertThatThrownBy(() -> result.get(0).get(30, TimeUnit.SECONDS))
                .hasRootCauseInstanceOf(LeaseLostException.class);
    }

    @Test
    void aLossInATransaction_isHeardOfByItsNextCallAndByItsCommit() throws Exception {
        assertThatThrownBy(() -> inTransaction(false, () -> {
                    desk.future(work, () -> {});
                    lose();
                    assertThatThrownBy(() -> desk.call(() -> {})).isInstanceOf(LeaseLostException.class);
                    assertThatThrownBy(() -> inTransaction(true, () -> {})).isInstanceOf(LeaseLostException.class);
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(holds.all()).isEmpty();
        desk.call(() -> {}); // the next holder
    }

    /** As transactions do that are kept by somebody else than Spring. */
    private static void endElsewhere(List<TransactionSynchronization> ties) {
        CompletableFuture.runAsync(
                        () -> ties.forEach(tie -> tie.afterCompletion(TransactionSynchronization.STATUS_ROLLED_BACK)))
                .join();
    }

    @Test
    void aTransactionThatEndsElsewhere_leavesTheLockToItsFutureAlone() throws Exception {
        TransactionSynchronizationManager.initSynchronization();
        TransactionSynchronizationManager.setActualTransactionActive(true);
        CompletableFuture<String> result;
        try {
            result = desk.future(work, () -> {});
            endElsewhere(TransactionSynchronizationManager.getSynchronizations());
        } finally {
            TransactionSynchronizationManager.clear();
        }
        assertThat(holds.all()).isEmpty();
        assertThatThrownBy(() -> desk.call(() -> {})).isInstanceOf(LockTimeoutException.class);
        work.complete("done");
        assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("done");
        assertThat(isLocked("a")).isFalse();
    }

    @Test
    void aTransactionThatEndsElsewhere_failsACallThatCountedOnItsLock() throws Exception {
        try (Holdfast locks = Holdfast.connect(redis.uri());
                Lease other = locks.lock("b").acquire(Duration.ofSeconds(5))) {
            CompletableFuture<List<TransactionSynchronization>> ties = new CompletableFuture<>();
            Future<Throwable> failure = request.submit(() -> {
                TransactionSynchronizationManager.initSynchronization();
                TransactionSynchronizationManager.setActualTransactionActive(true);
                desk.call(() -> {});
                ties.complete(TransactionSynchronizationManager.getSynchronizations());
                return catchThrowable(() -> desk.callBoth(() -> {}));
            });
            Awaitility.await().until(() -> waitsFor(locks, "b"));
            endElsewhere(ties.get(10, TimeUnit.SECONDS));
            assertThat(isLocked("a")).isFalse();
            other.release();
            assertThat(failure.get(10, TimeUnit.SECONDS))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'a'");
        }
        assertThat(isLocked("b")).isFalse();
    }

    private static boolean waitsFor(Holdfast locks, String name) {
        return locks.inspect(name).stream().anyMatch(found -> !found.waiters().isEmpty());
    }
}
