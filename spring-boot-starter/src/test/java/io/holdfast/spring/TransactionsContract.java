package io.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.FencingGate;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.StaleTokenException;
import io.holdfast.jdbc.JdbcFencingGate;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.sql.Connection;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Locks and transactions, on a real database and a real Redis. */
abstract class TransactionsContract {
    @SuppressWarnings("NullAway.Init")
    private static RedisServer redis;

    @SuppressWarnings("NullAway.Init")
    private static ConfigurableApplicationContext app;

    @SuppressWarnings("NullAway.Init")
    private static String database;

    private final JdbcTemplate jdbc = app.getBean(JdbcTemplate.class);
    private final Account account = app.getBean(Account.class);
    private final TransactionTemplate transaction =
            new TransactionTemplate(app.getBean(PlatformTransactionManager.class));

    /** To be called before all tests. */
    static void begin(String url) {
        database = "spring.datasource.url=" + url;
        redis = RedisServer.start();
        app = Apps.start(redis, Bank.class, database);
    }

    /** To be called after all tests. */
    static void end() {
        app.close();
        redis.close();
    }

    @BeforeEach
    void table() {
        jdbc.execute("CREATE TABLE IF NOT EXISTS account(id INT PRIMARY KEY, balance INT)");
        jdbc.execute("DELETE FROM account");
        jdbc.execute("INSERT INTO account VALUES (1, 0)");
        gate = FencingGate.inMemory();
    }

    private static volatile FencingGate gate = FencingGate.inMemory();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Account.class, Outer.class})
    static class Bank {
        @Bean
        FencingGate gate() {
            return (resource, token) -> gate.admit(resource, token);
        }
    }

    /** What happens where, told by the keys in Redis. */
    static class Account {
        private final JdbcTemplate jdbc;

        Account(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Locked(name = "account:#{#id}", lease = "4s")
        @Transactional
        public void lockAboveTransaction(int id, Work work) throws Exception {
            add(id);
            work.run(jdbc);
        }

        @Transactional
        @Locked(name = "account:#{#id}", lease = "4s")
        public void transactionAboveLock(int id, Work work) throws Exception {
            add(id);
            work.run(jdbc);
        }

        @Locked(name = "account:#{#id}", lease = "4s")
        public void noTransaction(int id, Work work) throws Exception {
            add(id);
            work.run(jdbc);
        }

        @Locked(name = "account:#{#id}")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void ofItsOwn(int id) {
            add(id);
        }

        @Locked(name = "account:#{#id}", lease = "4s", gate = "account-#{#id}")
        @Transactional
        public void gated(int id, @Nullable Lease lease, Work work) throws Exception {
            add(id);
            work.run(jdbc);
        }

        @Locked(name = "account:#{#id}", gate = "account-#{#id}")
        public void gatedWithoutTransaction(int id) {
            add(id);
        }

        @Locked(name = "account:1", waitFor = "10s")
        @Transactional
        public void increment() {
            Integer balance = jdbc.queryForObject("SELECT balance FROM account WHERE id = 1", Integer.class);
            // Lost updates, if another one reads before this is committed.
            jdbc.update("UPDATE account SET balance = ? WHERE id = 1", Objects.requireNonNull(balance) + 1);
        }

        private void add(int id) {
            jdbc.update("UPDATE account SET balance = balance + 1 WHERE id = ?", id);
        }
    }

    /** Inside of the method. */
    interface Work {
        void run(JdbcTemplate jdbc) throws Exception;
    }

    /** Calls from a transaction. */
    static class Outer {
        private final Account account;

        Outer(Account account) {
            this.account = account;
        }

        @Transactional
        public void inRunning(Work before, Work after) throws Exception {
            account.noTransaction(1, before);
            account.noTransaction(1, after); // the same lock once more, before the commit
        }
    }

    private int balance() {
        return Objects.requireNonNull(jdbc.queryForObject("SELECT balance FROM account WHERE id = 1", Integer.class));
    }

    private static boolean isLocked() {
        return redis.keys().contains("distributed_lock:account:1");
    }

    /** Until the lease is over although this thread holds the lock: as long as it sleeps nobody renews. */
    private static void lose() throws Exception {
        redis.command("DEL", "distributed_lock:account:1");
        CountDownLatch lost = new CountDownLatch(1);
        app.getBean(ThreadHolds.class).all().forEach(hold -> hold.lease().lost().thenRun(lost::countDown));
        assertThat(lost.await(30, TimeUnit.SECONDS)).isTrue();
    }

    private static void watchCompletion(AtomicReference<@Nullable Boolean> lockedAfterCommit) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                lockedAfterCommit.set(isLocked());
            }
        });
    }

    @Test
    void theLock_outlivesTheTransaction_whateverTheOrderOfTheAnnotations() throws Exception {
        for (boolean first : new boolean[] {true, false}) {
            AtomicReference<@Nullable Boolean> locked = new AtomicReference<>();
            Work work = sql -> {
                assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                        .isTrue();
                assertThat(isLocked()).isTrue();
                watchCompletion(locked);
            };
            if (first) {
                account.lockAboveTransaction(1, work);
            } else {
                account.transactionAboveLock(1, work);
            }
            assertThat(locked.get()).as("still locked when committed").isTrue();
            assertThat(isLocked()).isFalse();
        }
        assertThat(balance()).isEqualTo(2);
    }

    /** Transactions with the highest precedence there is. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableTransactionManagement(order = Integer.MIN_VALUE, proxyTargetClass = true)
    @Import(Account.class)
    static class TransactionsFirst {}

    @Test
    void theLock_isTakenBeforeTheTransaction_evenIfThatHasTheHighestPrecedence() throws Exception {
        try (ConfigurableApplicationContext other = Apps.start(redis, TransactionsFirst.class, database)) {
            AtomicReference<@Nullable Boolean> locked = new AtomicReference<>();
            other.getBean(Account.class).lockAboveTransaction(1, sql -> watchCompletion(locked));
            assertThat(locked.get()).isTrue();
            assertThat(isLocked()).isFalse();
        }
    }

    @Test
    void aLockTakenInARunningTransaction_isKeptUntilThatHasEnded() throws Exception {
        AtomicReference<@Nullable Boolean> locked = new AtomicReference<>();
        app.getBean(Outer.class)
                .inRunning(
                        sql -> watchCompletion(locked),
                        sql -> assertThat(isLocked()).isTrue());
        assertThat(locked.get()).isTrue();
        assertThat(isLocked()).isFalse();
        assertThat(balance()).isEqualTo(2);

        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    account.ofItsOwn(2);
                    assertThat(redis.keys()).contains("distributed_lock:account:2");
                    throw new IllegalStateException("rolled back");
                }))
                .hasMessage("rolled back");
        assertThat(redis.keys()).doesNotContain("distributed_lock:account:2");
    }

    @Test
    @Faults({1, 32})
    void aLeaseThatWasLostBeforeTheCommit_rollsTheTransactionBack() {
        Throwable failure = catchThrowable(() -> account.lockAboveTransaction(1, sql -> lose()));
        assertThat(failure).isInstanceOf(LeaseLostException.class);
        assertThat(balance()).isZero();
    }

    @Test
    @Faults(1)
    void aLeaseThatWasLostInARunningTransaction_rollsThatBack() {
        Throwable failure = catchThrowable(() -> app.getBean(Outer.class).inRunning(sql -> {}, sql -> lose()));
        assertThat(failure).isInstanceOf(LeaseLostException.class);
        assertThat(balance()).isZero();
    }

    @Test
    @Faults({1, 37})
    void aServerThatSleepsBeyondTheLease_rollsTheTransactionBack() {
        Throwable failure = catchThrowable(() -> account.lockAboveTransaction(1, sql -> {
            redis.pause();
            try {
                CountDownLatch lost = new CountDownLatch(1);
                app.getBean(ThreadHolds.class)
                        .all()
                        .forEach(hold -> hold.lease().lost().thenRun(lost::countDown));
                assertThat(lost.await(30, TimeUnit.SECONDS)).isTrue();
            } finally {
                redis.resume();
            }
        }));
        assertThat(failure).isInstanceOf(LeaseLostException.class);
        assertThat(balance()).isZero();
    }

    @Test
    void aLossBehindAllSynchronizations_isStillSeen() {
        Throwable failure = catchThrowable(() -> account.lockAboveTransaction(
                1,
                sql -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void beforeCompletion() {
                        try {
                            lose();
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    }
                })));
        assertThat(failure).isInstanceOf(LeaseLostException.class);
        assertThat(balance()).isZero();
    }

    @Test
    void withoutATransaction_theCallerHearsOfTheLoss() {
        assertThatThrownBy(() -> account.noTransaction(1, sql -> lose())).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void whatTheMethodThrows_comesFirst() {
        assertThatThrownBy(() -> account.lockAboveTransaction(1, sql -> {
                    lose();
                    throw new IllegalStateException("mine");
                }))
                .hasMessage("mine")
                .satisfies(e -> assertThat(e.getSuppressed()).hasAtLeastOneElementOfType(LeaseLostException.class));
        assertThat(balance()).isZero();
    }

    /** The pain of a lock that is released before the commit: the next holder reads the old value. */
    @Test
    void manyAtOnce_loseNoUpdate() throws Exception {
        int threads = 4;
        int each = 25;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            Future<?>[] all = new Future<?>[threads];
            for (int i = 0; i < threads; i++) {
                all[i] = pool.submit(() -> {
                    for (int n = 0; n < each; n++) {
                        account.increment();
                    }
                });
            }
            for (Future<?> one : all) {
                one.get(60, TimeUnit.SECONDS);
            }
        } finally {
            pool.shutdownNow();
        }
        assertThat(balance()).isEqualTo(threads * each);
    }

    @Test
    @Faults(3)
    void theGate_isAskedInTheTransaction_andRollsItBackWhenTheTokenIsStale() throws Exception {
        account.gated(1, null, sql -> {});
        assertThat(balance()).isEqualTo(1);
        gate.admit("account-1", Long.MAX_VALUE); // a later holder
        assertThatThrownBy(() -> account.gated(1, null, sql -> {})).isInstanceOf(StaleTokenException.class);
        assertThat(balance()).isEqualTo(1);
    }

    @Test
    void aGateWithoutATransaction_isRefusedBeforeAnythingIsWritten() {
        assertThatThrownBy(() -> account.gatedWithoutTransaction(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("@Transactional");
        assertThat(balance()).isZero();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Account.class)
    static class OwnGate {}

    @Test
    @Faults(3)
    void theGateInTheDatabase_refusesAStaleTokenInTheSameTransaction() throws Exception {
        try (ConfigurableApplicationContext other = Apps.start(redis, OwnGate.class, database)) {
            try (Connection connection = other.getBean(DataSource.class).getConnection()) {
                JdbcFencingGate.create().createTable(connection);
            }
            Account gated = other.getBean(Account.class);
            gated.gated(1, null, sql -> {});
            assertThat(balance()).isEqualTo(1);
            jdbc.update("UPDATE holdfast_fence SET token = ?", Long.MAX_VALUE);
            assertThatThrownBy(() -> gated.gated(1, null, sql -> {})).isInstanceOf(StaleTokenException.class);
            assertThat(balance()).isEqualTo(1);
        }
    }

    @Test
    void afterAll_nothingIsLeftBehind() throws Exception {
        account.lockAboveTransaction(1, sql -> {});
        assertThat(app.getBean(ThreadHolds.class).all()).isEmpty();
        Awaitility.await()
                .until(() -> app.getBean(Holdfast.class).inspect("account:*").isEmpty());
    }

    /** A manager that the application made itself. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Account.class)
    static class OwnManager {
        @Bean
        PlatformTransactionManager mine(DataSource source) {
            return new DataSourceTransactionManager(source);
        }
    }

    @Test
    void aTransactionManagerOfTheApplicationsOwn_isListenedTo() {
        try (ConfigurableApplicationContext other = Apps.start(redis, OwnManager.class, database)) {
            ThreadHolds holds = other.getBean(ThreadHolds.class);
            assertThatThrownBy(() -> other.getBean(Account.class).lockAboveTransaction(1, sql -> {
                        redis.command("DEL", "distributed_lock:account:1");
                        CountDownLatch lost = new CountDownLatch(1);
                        holds.all().forEach(hold -> hold.lease().lost().thenRun(lost::countDown));
                        assertThat(lost.await(30, TimeUnit.SECONDS)).isTrue();
                    }))
                    .isInstanceOf(LeaseLostException.class);
            assertThat(balance()).isZero();
        }
    }
}
