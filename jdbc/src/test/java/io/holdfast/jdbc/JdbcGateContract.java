package io.holdfast.jdbc;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.FencingGate;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StaleTokenException;
import io.holdfast.testkit.Faults;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the gate promises on every database. A subclass brings the database. */
abstract class JdbcGateContract {
    private static final String APPLES = "stock:apples";

    private final JdbcFencingGate gate = JdbcFencingGate.create();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Connection> open = new ArrayList<>();

    /** A new connection, in autocommit mode. */
    abstract Connection connect() throws SQLException;

    @BeforeEach
    void emptyTables() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS holdfast_fence");
            statement.execute("DROP TABLE IF EXISTS stock");
            statement.execute("DROP TABLE IF EXISTS customer");
            gate.createTable(connection);
            gate.createTable(connection); // a second time changes nothing
            statement.execute("CREATE TABLE stock (item VARCHAR(40) PRIMARY KEY, amount BIGINT NOT NULL)");
            statement.execute("INSERT INTO stock VALUES ('apples', 10)");
            statement.execute("CREATE TABLE customer (id BIGINT PRIMARY KEY)");
        }
    }

    @AfterEach
    void close() throws SQLException {
        threads.shutdownNow();
        for (Connection connection : open) {
            connection.close();
        }
    }

    private Connection begin() throws SQLException {
        return begin(Connection.TRANSACTION_READ_COMMITTED);
    }

    synchronized Connection begin(int isolation) throws SQLException {
        Connection connection = connect();
        open.add(connection);
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(isolation);
        return connection;
    }

    static long amount(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT amount FROM stock WHERE item = 'apples'")) {
            assertThat(rows.next()).isTrue();
            return rows.getLong(1);
        }
    }

    static void setAmount(Connection connection, long amount) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE stock SET amount = " + amount + " WHERE item = 'apples'");
        }
    }

    private void seen(long token) throws SQLException {
        Connection connection = begin();
        gate.admit(connection, APPLES, token);
        connection.commit();
    }

    // ---- one after the other

    @Test
    @Faults(1)
    void lowerToken_isRefused_theSameAndHigherOnesPass() throws SQLException {
        Connection connection = begin();
        gate.admit(connection, APPLES, 17);
        gate.admit(connection, APPLES, 17);
        connection.commit();
        gate.admit(connection, APPLES, 17);
        gate.admit(connection, APPLES, 18);
        connection.commit();

        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> gate.admit(connection, APPLES, 17))
                .withMessage("resource 'stock:apples' refuses token 17: it has already seen 18");
        gate.admit(connection, "stock:pears", 1);
        connection.commit();
    }

    @Test
    void refusal_leavesTheTransactionUsable() throws SQLException {
        seen(18);
        Connection connection = begin();
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> gate.admit(connection, APPLES, 17));

        assertThat(amount(connection)).isEqualTo(10);
        gate.admit(connection, APPLES, 18);
        connection.commit();
    }

    @Test
    void rolledBackTransaction_isForgotten() throws SQLException {
        seen(16);
        Connection connection = begin();
        gate.admit(connection, APPLES, 18);
        connection.rollback();

        gate.admit(connection, APPLES, 17);
        connection.commit();
    }

    @Test
    void resources_areToldApartToTheLastByte() throws SQLException {
        Connection connection = begin();
        for (String resource :
                List.of("a", "A", "a ", " a", "ä", "a\u0308", "𝕒", "a'; DROP TABLE stock; --", "%", "_")) {
            gate.admit(connection, resource, 100);
            connection.commit();
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> gate.admit(connection, resource, 99));
            connection.rollback();
        }
        gate.admit(connection, "b", 1);
        gate.admit(connection, "𝕒".repeat(128), 1);
        connection.commit();
        assertThat(amount(connection)).isEqualTo(10);
    }

    @Test
    @Faults(58)
    void tokens_ofAnySize_areComparedExactly() throws SQLException {
        Connection connection = begin();
        long last = -1;
        for (long token :
                new long[] {0, 9, 10, 99, 100, 1L << 53, (1L << 53) + 1, Long.MAX_VALUE - 1, Long.MAX_VALUE}) {
            gate.admit(connection, APPLES, token);
            connection.commit();
            long before = last;
            if (before >= 0) {
                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() -> gate.admit(connection, APPLES, before));
                connection.rollback();
            }
            last = token;
        }
    }

    @Test
    void autocommit_isRefused_andNothingIsRemembered() throws SQLException {
        try (Connection connection = connect()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> gate.admit(connection, APPLES, 18))
                    .withMessage(
                            "the gate of 'stock:apples' was asked on a connection in autocommit mode: its answer would"
                                    + " be over before the write begins. Ask it inside the transaction that writes");
        }
        seen(17);
    }

    @Test
    void missingTable_isTheDatabasesOwnError() throws SQLException {
        Connection connection = begin();
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> JdbcFencingGate.create("not_there").admit(connection, APPLES, 1))
                .satisfies(e -> assertThat(e.getMessage()).containsIgnoringCase("not_there"));
    }

    @Test
    void gateOnASource_asksOnItsConnection_andGivesItBack() throws SQLException {
        Connection connection = begin();
        AtomicInteger given = new AtomicInteger();
        AtomicInteger back = new AtomicInteger();
        FencingGate plain = gate.on(new ConnectionSource() {
            @Override
            public Connection current() {
                given.incrementAndGet();
                return connection;
            }

            @Override
            public void done(Connection same) {
                assertThat(same).isSameAs(connection);
                back.incrementAndGet();
            }
        });
        plain.admit(APPLES, 18);
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> plain.admit(APPLES, 17));
        connection.rollback();
        plain.admit(APPLES, 17);
        connection.close();

        assertThatExceptionOfType(JdbcGateException.class)
                .isThrownBy(() -> plain.admit(APPLES, 19))
                .withMessageStartingWith("the gate of 'stock:apples' could not ask its table: ")
                .satisfies(e -> assertThat(e.getCause()).isSameAs(e.reason()));
        assertThat(given).hasValue(4);
        assertThat(back).hasValue(4);
    }

    // ---- at the same time

    static Stream<Arguments> levels() {
        return Stream.of(
                        Connection.TRANSACTION_READ_COMMITTED,
                        Connection.TRANSACTION_REPEATABLE_READ,
                        Connection.TRANSACTION_SERIALIZABLE)
                .flatMap(level -> Stream.of(Arguments.of(level, false), Arguments.of(level, true)));
    }

    /** What a transaction came to, in a thread of its own. */
    enum End {
        ADMITTED,
        STALE,
        TRY_AGAIN
    }

    private interface Work {
        void run() throws SQLException;
    }

    private static End end(Connection connection, Work work) throws SQLException {
        try {
            work.run();
            connection.commit();
            return End.ADMITTED;
        } catch (StaleTokenException e) {
            connection.rollback();
            return End.STALE;
        } catch (SQLException e) {
            connection.rollback();
            if (!isPassing(e)) {
                throw e;
            }
            return End.TRY_AGAIN;
        }
    }

    /** Deadlock and serialization failure, as the standard names them; 1020 is MariaDB's word for the latter. */
    static boolean isPassing(SQLException e) {
        return String.valueOf(e.getSQLState()).startsWith("40") || e.getErrorCode() == 1020;
    }

    private static void assertWaits(Future<?> future) {
        assertThatThrownBy(() -> future.get(100, MILLISECONDS)).isInstanceOf(TimeoutException.class);
    }

    @ParameterizedTest
    @MethodSource("levels")
    @Faults({1, 3})
    void olderHolder_thatComesSecond_waitsAndIsRefused(int level, boolean known) throws Exception {
        if (known) {
            seen(1);
        }
        Connection newer = begin(level);
        Connection older = begin(level);
        gate.admit(newer, APPLES, 18);
        setAmount(newer, 9);
        Future<End> late = threads.submit(() -> end(older, () -> {
            gate.admit(older, APPLES, 17);
            setAmount(older, 100);
        }));
        assertWaits(late);
        newer.commit();

        assertThat(late.get(20, SECONDS)).isNotEqualTo(End.ADMITTED);
        assertThat(amount(begin())).isEqualTo(9);
    }

    @ParameterizedTest
    @MethodSource("levels")
    @Faults({1, 3})
    void newerHolder_thatComesSecond_waitsAndSeesWhatTheOlderWrote(int level, boolean known) throws Exception {
        if (known) {
            seen(1);
        }
        Connection newer = begin(level);
        Connection older = begin(level);
        gate.admit(older, APPLES, 17);
        setAmount(older, amount(older) - 1);
        Future<End> late = threads.submit(() -> end(newer, () -> {
            gate.admit(newer, APPLES, 18);
            setAmount(newer, amount(newer) - 1);
        }));
        assertWaits(late);
        older.commit();

        End first = late.get(20, SECONDS);
        if (first == End.TRY_AGAIN) {
            assertThat(level).isGreaterThan(Connection.TRANSACTION_READ_COMMITTED);
            assertThat(end(newer, () -> {
                        gate.admit(newer, APPLES, 18);
                        setAmount(newer, amount(newer) - 1);
                    }))
                    .isEqualTo(End.ADMITTED);
        } else {
            assertThat(first).isEqualTo(End.ADMITTED);
        }
        assertThat(amount(begin())).isEqualTo(8);
    }

    @ParameterizedTest
    @MethodSource("levels")
    void otherOneRollsBack_andTheWaitingOneIsAdmitted(int level, boolean known) throws Exception {
        if (known) {
            seen(1);
        }
        Connection newer = begin(level);
        Connection older = begin(level);
        gate.admit(newer, APPLES, 18);
        Future<End> late = threads.submit(() -> end(older, () -> gate.admit(older, APPLES, 17)));
        assertWaits(late);
        newer.rollback();

        assertThat(late.get(20, SECONDS)).isEqualTo(End.ADMITTED);
    }

    /**
     * As when the gate is asked deep in a transaction, which has read something else before: what it sees then may be older
     * than the sale of the holder before it, even if that one has written with the same token earlier.
     */
    @ParameterizedTest
    @MethodSource("levels")
    void transactionThatBeganBeforeTheSaleOfTheOlder_seesItOrIsToTryAgain(int level, boolean known) throws Exception {
        if (known) {
            seen(17);
        }
        Connection newer = begin(level);
        readSomethingElse(newer);
        Connection older = begin(level);
        assertThat(sale(older, 17)).isEqualTo(End.ADMITTED);

        if (sale(newer, 18) == End.TRY_AGAIN) {
            assertThat(level).isGreaterThan(Connection.TRANSACTION_READ_COMMITTED);
            assertThat(sale(newer, 18)).isEqualTo(End.ADMITTED);
        }
        assertThat(amount(begin())).as("two sales of 10").isEqualTo(8);
    }

    static void readSomethingElse(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM customer")) {
            assertThat(rows.next()).isTrue();
        }
    }

    End sale(Connection connection, long token) throws SQLException {
        return end(connection, () -> {
            gate.admit(connection, APPLES, token);
            setAmount(connection, amount(connection) - 1);
        });
    }

    @Test
    void otherResources_doNotWait() throws Exception {
        Connection one = begin();
        Connection two = begin();
        gate.admit(one, APPLES, 18);
        CompletableFuture.runAsync(
                        () -> {
                            try {
                                gate.admit(two, "stock:pears", 17);
                            } catch (SQLException e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        threads)
                .get(20, SECONDS);
    }

    /** Writers that come in any order: each finds the token of a smaller one, or its own, or is refused. */
    @ParameterizedTest
    @MethodSource("levels")
    @Faults({1, 3})
    void writersInAnyOrder_neverWriteOverNewerData(int level, boolean known) throws Exception {
        if (known) {
            seen(1);
        }
        List<Long> tokens =
                new ArrayList<>(LongStream.rangeClosed(100, 160).boxed().toList());
        Collections.shuffle(tokens, new Random(42));
        int writers = 4;
        List<Future<List<End>>> ends = new ArrayList<>();
        for (int writer = 0; writer < writers; writer++) {
            int first = writer;
            Connection connection = begin(level);
            ends.add(threads.submit(() -> {
                List<End> mine = new ArrayList<>();
                for (int i = first; i < tokens.size(); i += writers) {
                    mine.add(write(connection, tokens.get(i)));
                }
                return mine;
            }));
        }
        List<End> all = new ArrayList<>();
        for (Future<List<End>> end : ends) {
            all.addAll(end.get(60, SECONDS));
        }

        assertThat(all).hasSize(tokens.size()).contains(End.ADMITTED, End.STALE).doesNotContain(End.TRY_AGAIN);
        assertThat(amount(begin())).isEqualTo(160);
    }

    private End write(Connection connection, long token) throws SQLException {
        End end = End.TRY_AGAIN;
        for (int attempt = 0; attempt < 200 && end == End.TRY_AGAIN; attempt++) {
            end = end(connection, () -> {
                gate.admit(connection, "writers", token);
                assertThat(amount(connection)).as("what token %s finds", token).isLessThan(token);
                setAmount(connection, token);
            });
        }
        return end;
    }

    // ---- what it is for

    @Test
    @Faults({1, 3})
    void holderThatSleptThroughItsLease_isRefused() throws Exception {
        assertThat(saleOfASleeper(true)).isEqualTo(End.STALE);
        assertThat(amount(begin()))
                .as("10 less the one sale that was committed")
                .isEqualTo(9);
    }

    /** The same without the gate: both sales are committed, and one of them is lost. */
    @Test
    void holderThatSleptThroughItsLease_withoutAGate_undoesTheSaleOfTheNext() throws Exception {
        assertThat(saleOfASleeper(false)).isEqualTo(End.ADMITTED);
        assertThat(amount(begin())).as("two sales of 10").isEqualTo(9).isNotEqualTo(8);
    }

    private End saleOfASleeper(boolean gated) throws Exception {
        try (Holdfast here = Holdfast.connect("memory:" + getClass().getSimpleName() + gated);
                Holdfast there = Holdfast.connect("memory:" + getClass().getSimpleName() + gated)) {
            Lease slow = here.lock(
                            APPLES, options -> options.lease(ofMillis(150)).renewal(false))
                    .acquire(ofSeconds(5));
            long seenByTheSleeper = amount(begin());
            slow.lost().toCompletableFuture().get(10, SECONDS); // sleeps, in the middle of its sale

            try (Lease next = there.lock(APPLES).acquire(ofSeconds(5))) {
                Connection connection = begin();
                assertThat(end(connection, () -> {
                            if (gated) {
                                gate.admit(connection, APPLES, next.token());
                            }
                            setAmount(connection, amount(connection) - 1);
                        }))
                        .isEqualTo(End.ADMITTED);
            }

            Connection connection = begin();
            return end(connection, () -> {
                if (gated) {
                    gate.admit(connection, APPLES, slow.token());
                }
                setAmount(connection, seenByTheSleeper - 1);
            });
        }
    }
}
