package io.holdfast.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * MySQL and MariaDB, with InnoDB. The first statement inserts, or locks the row, the latest version of it, and raises
 * its token. How many rows that has changed depends on a setting of the driver, so a second one reads the outcome: with
 * FOR UPDATE, since a plain read would see the transaction's snapshot, which may be older.
 */
final class MysqlDialect implements Dialect {
    @Override
    public long raise(Connection connection, String table, String resource, long token) throws SQLException {
        byte[] key = resource.getBytes(UTF_8);
        String raise = """
                INSERT INTO %s (resource, token, seen_at) VALUES (?, ?, UTC_TIMESTAMP(3))
                ON DUPLICATE KEY UPDATE token = GREATEST(token, ?), seen_at = UTC_TIMESTAMP(3)
                """.formatted(table);
        try (PreparedStatement statement = connection.prepareStatement(raise)) {
            statement.setBytes(1, key);
            statement.setLong(2, token);
            statement.setLong(3, token);
            statement.executeUpdate();
        }
        String read = "SELECT token FROM %s WHERE resource = ? FOR UPDATE".formatted(table);
        try (PreparedStatement statement = connection.prepareStatement(read)) {
            statement.setBytes(1, key);
            try (ResultSet rows = statement.executeQuery()) {
                return Rows.token(rows, table, resource);
            }
        }
    }

    @Override
    public String definition() {
        return "fence-mysql.sql";
    }
}
