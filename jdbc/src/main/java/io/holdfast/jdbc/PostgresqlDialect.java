package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * One statement decides. A conflicting row is locked whether or not it is changed, and at READ COMMITTED the condition is
 * put to its latest version, after whoever had it locked is done. Above that, a row that has changed since the snapshot
 * is a serialization failure. No statement fails on the way, which would end the caller's transaction.
 */
final class PostgresqlDialect implements Dialect {
    @Override
    public long raise(Connection connection, String table, String resource, long token) throws SQLException {
        String raise = """
                INSERT INTO %s AS fence (resource, token, seen_at) VALUES (?, ?, clock_timestamp())
                ON CONFLICT (resource) DO UPDATE SET token = excluded.token, seen_at = excluded.seen_at
                WHERE fence.token <= excluded.token
                """.formatted(table);
        try (PreparedStatement statement = connection.prepareStatement(raise)) {
            statement.setString(1, resource);
            statement.setLong(2, token);
            if (statement.executeUpdate() == 1) {
                return token;
            }
        }
        return newest(connection, table, resource);
    }

    private static long newest(Connection connection, String table, String resource) throws SQLException {
        String read = "SELECT token FROM %s WHERE resource = ?".formatted(table);
        try (PreparedStatement statement = connection.prepareStatement(read)) {
            statement.setString(1, resource);
            try (ResultSet rows = statement.executeQuery()) {
                return Rows.token(rows, table, resource);
            }
        }
    }

    @Override
    public String definition() {
        return "fence-postgresql.sql";
    }
}
