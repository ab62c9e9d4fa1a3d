package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;

/**
 * H2, by the MERGE of the standard. Two that find no row both insert one; the second waits for the end of the first, and
 * then fails with a duplicate key where other databases look again. So we look again. If the row is still not to be seen,
 * the snapshot of the transaction is older than it, which is a serialization failure.
 */
final class H2Dialect implements Dialect {
    private static final String DUPLICATE_KEY = "23505";
    private static final String SERIALIZATION_FAILURE = "40001";

    @Override
    public long raise(Connection connection, String table, String resource, long token) throws SQLException {
        try {
            merge(connection, table, resource, token);
        } catch (SQLException first) {
            if (!isDuplicate(first)) {
                throw first;
            }
            mergeAgain(connection, table, resource, token);
        }
        return newest(connection, table, resource);
    }

    private static void mergeAgain(Connection connection, String table, String resource, long token)
            throws SQLException {
        try {
            merge(connection, table, resource, token);
        } catch (SQLException second) {
            if (!isDuplicate(second)) {
                throw second;
            }
            throw new SQLTransactionRollbackException(
                    "the row of '" + resource + "' in " + table
                            + " is younger than this transaction's snapshot: roll back",
                    SERIALIZATION_FAILURE,
                    second);
        }
    }

    private static boolean isDuplicate(SQLException e) {
        return DUPLICATE_KEY.equals(e.getSQLState());
    }

    private static void merge(Connection connection, String table, String resource, long token) throws SQLException {
        String merge = """
                MERGE INTO %s fence USING (VALUES (CAST(? AS VARCHAR), CAST(? AS BIGINT))) asked (resource, token)
                ON fence.resource = asked.resource
                WHEN MATCHED THEN UPDATE SET
                    token = GREATEST(fence.token, asked.token), seen_at = CURRENT_TIMESTAMP
                WHEN NOT MATCHED THEN INSERT (resource, token, seen_at)
                    VALUES (asked.resource, asked.token, CURRENT_TIMESTAMP)
                """.formatted(table);
        try (PreparedStatement statement = connection.prepareStatement(merge)) {
            statement.setString(1, resource);
            statement.setLong(2, token);
            statement.executeUpdate();
        }
    }

    private static long newest(Connection connection, String table, String resource) throws SQLException {
        String read = "SELECT token FROM %s WHERE resource = ? FOR UPDATE".formatted(table);
        try (PreparedStatement statement = connection.prepareStatement(read)) {
            statement.setString(1, resource);
            try (ResultSet rows = statement.executeQuery()) {
                return Rows.token(rows, table, resource);
            }
        }
    }

    @Override
    public String definition() {
        return "fence-h2.sql";
    }
}
