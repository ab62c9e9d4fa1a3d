package io.holdfast.examples.shop;

import static java.time.Duration.ofSeconds;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StaleTokenException;
import io.holdfast.jdbc.JdbcFencingGate;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Sells what is in stock. A purchase is done under the lock of its item, so that instances wait in line instead of
 * failing in the database; in one transaction, so that a crash leaves nothing half done; with the lock's token at the
 * gate, so that an instance which slept through its lease changes nothing; and under an id that the buyer has chosen, so
 * that a buyer who got no answer may ask again.
 *
 * <p>Thread safe.
 */
public final class Shop {
    private static final int ATTEMPTS = 3;

    /** What a purchase came to. */
    public enum Result {
        SOLD,
        SOLD_OUT
    }

    /** Where connections come from; a real application has a pool. */
    interface Database {
        Connection connect() throws SQLException;
    }

    /** Told where a purchase is, so that tests can stop it there. */
    interface Steps {
        void reached(String step, String orderId);
    }

    private final Holdfast locks;
    private final Database database;
    private final Steps steps;
    private final JdbcFencingGate gate = JdbcFencingGate.create();

    Shop(Holdfast locks, Database database, Steps steps) {
        this.locks = locks;
        this.database = database;
        this.steps = steps;
    }

    /** Buys one piece. The same order may be given again: it is sold once. */
    public Result buy(String orderId, String item) throws SQLException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                return buyOnce(orderId, item);
            } catch (StaleTokenException e) {
                steps.reached("refused", orderId);
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private Result buyOnce(String orderId, String item) throws SQLException, InterruptedException {
        DistributedLock lock = locks.lock("stock:" + item);
        Lease lease = lock.acquire(ofSeconds(30));
        try {
            steps.reached("locked", orderId);
            return sell(orderId, item, lease.token());
        } finally {
            // Whether it was lost does not matter any more: the gate has decided.
            lease.release();
        }
    }

    private Result sell(String orderId, String item, long token) throws SQLException {
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            try {
                gate.admit(connection, "stock:" + item, token); // before anything is read
                Result result = isKnown(connection, orderId) ? Result.SOLD : take(connection, orderId, item);
                steps.reached("before commit", orderId);
                connection.commit();
                return result;
            } catch (SQLException | RuntimeException e) {
                connection.rollback();
                throw e;
            }
        }
    }

    private static boolean isKnown(Connection connection, String orderId) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT 1 FROM orders WHERE id = ?")) {
            query.setString(1, orderId);
            try (ResultSet rows = query.executeQuery()) {
                return rows.next();
            }
        }
    }

    private static Result take(Connection connection, String orderId, String item) throws SQLException {
        long left = left(connection, item);
        if (left == 0) {
            return Result.SOLD_OUT;
        }
        // Read, compute, write: wrong without a lock, and wrong with one whose holder may be too late, but for the
        // gate.
        try (PreparedStatement update = connection.prepareStatement("UPDATE stock SET amount = ? WHERE item = ?")) {
            update.setLong(1, left - 1);
            update.setString(2, item);
            update.executeUpdate();
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders (id, item) VALUES (?, ?)")) {
            insert.setString(1, orderId);
            insert.setString(2, item);
            insert.executeUpdate();
        }
        return Result.SOLD;
    }

    private static long left(Connection connection, String item) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT amount FROM stock WHERE item = ?")) {
            query.setString(1, item);
            try (ResultSet rows = query.executeQuery()) {
                return rows.next() ? rows.getLong(1) : 0;
            }
        }
    }
}
