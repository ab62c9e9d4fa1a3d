package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class H2GateIT extends JdbcGateContract {
    private static final String URL = "jdbc:h2:mem:gate;LOCK_TIMEOUT=20000";
    private static Connection keepsIt;

    @BeforeAll
    static void start() throws SQLException {
        keepsIt = DriverManager.getConnection(URL);
    }

    @AfterAll
    static void stop() throws SQLException {
        keepsIt.close();
    }

    @Override
    Connection connect() throws SQLException {
        return DriverManager.getConnection(URL);
    }

    @Test
    void tableInASchema_isFound() throws SQLException {
        try (Connection connection = connect();
                var statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA IF NOT EXISTS shop");
            JdbcFencingGate gate = JdbcFencingGate.create("shop.fence");
            gate.createTable(connection);
            connection.setAutoCommit(false);
            gate.admit(connection, "a", 1);
            try (var rows = statement.executeQuery("SELECT COUNT(*) FROM shop.fence")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isEqualTo(1);
            }
        }
    }
}
