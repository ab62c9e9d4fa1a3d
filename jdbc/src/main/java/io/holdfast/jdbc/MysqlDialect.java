package io.holdfast.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;

/**
 * MySQL and MariaDB, with InnoDB. The first statement inserts, or locks the row without changing it. How many rows that has
 * changed depends on a setting of the driver, so the token is read: with FOR UPDATE, since a plain read sees the transaction's
 * snapshot. At REPEATABLE READ, which is the default, that may be older than the last admission, and so may be whatever the
 * transaction reads behind the gate; other databases fail then, and InnoDB does not. So we compare: a plain read has to see
 * the same admission. The same token may be admitted more than once, so it is told by its time, which is made to rise each time.
 */
final class MysqlDialect implements Dialect {
    private static final String SERIALIZATION_FAILURE = "40001";

    /** An admission, as one read sees it. */
    private record Admission(long token, String time) {}

    @Override
    public long raise(Connection connection, String table, String resource, long token) throws SQLException {
        lock(connection, table, resource, token);
        Admission last = last(connection, table, resource);
        if (last.token() > token) {
            return last.token();
        }
        if (!isInSnapshot(connection, table, resource, last)) {
            throw new SQLTransactionRollbackException(
                    "this transaction's snapshot is older than what was last admitted for '" + resource + "' in "
                            + table + ": roll back",
                    SERIALIZATION_FAILURE);
        }
        set(connection, table, resource, token);
        return token;
    }

    private static void lock(Connection connection, String table, String resource, long token) throws SQLException {
        String insert = """
                INSERT INTO %s (resource, token, seen_at) VALUES (?, ?, UTC_TIMESTAMP(3))
                ON DUPLICATE KEY UPDATE token = token
                """.formatted(table);
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            statement.setBytes(1, key(resource));
            statement.setLong(2, token);
            statement.executeUpdate();
        }
    }

    private static Admission last(Connection connection, String table, String resource) throws SQLException {
        String read = "SELECT token, seen_at FROM %s WHERE resource = ? FOR UPDATE".formatted(table);
        try (PreparedStatement statement = connection.prepareStatement(read)) {
            statement.setBytes(1, key(resource));
            try (ResultSet rows = statement.executeQuery()) {
                return new Admission(Rows.token(rows, table, resource), rows.getString(2));
            }
        }
    }

    /** Not joined with the read above: this one makes the snapshot if there is none yet, which must not be before the lock. */
    private static boolean isInSnapshot(Connection connection, String table, String resource, Admission last)
            throws SQLException {
        String read = "SELECT token, seen_at FROM %s WHERE resource = ?".formatted(table);
        try (PreparedStatement statement = connection.prepareStatement(read)) {
            statement.setBytes(1, key(resource));
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() && new Admission(rows.getLong(1), rows.getString(2)).equals(last);
            }
        }
    }

    private static void set(Connection connection, String table, String resource, long token) throws SQLException {
        String raise = """
                UPDATE %s SET token = ?, seen_at = GREATEST(UTC_TIMESTAMP(3), seen_at + INTERVAL 1000 MICROSECOND)
                WHERE resource = ?
                """.formatted(table);
        try (PreparedStatement statement = connection.prepareStatement(raise)) {
            statement.setLong(1, token);
            statement.setBytes(2, key(resource));
            statement.executeUpdate();
        }
    }

    private static byte[] key(String resource) {
        return resource.getBytes(UTF_8);
    }

    @Override
    public String definition() {
        return "fence-mysql.sql";
    }
}
