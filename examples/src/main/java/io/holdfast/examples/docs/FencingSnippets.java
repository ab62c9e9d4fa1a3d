package io.holdfast.examples.docs;

import static java.time.Duration.ofSeconds;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StaleTokenException;
import io.holdfast.http.FencingTokens;
import io.holdfast.jdbc.JdbcFencingGate;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** What {@code docs/fencing.md} shows. */
public final class FencingSnippets {
    private FencingSnippets() {}

    /** Takes one from the stock, in one transaction with the check of the token. */
    public static void sell(Holdfast locks, DataSource database) throws SQLException, InterruptedException {
        JdbcFencingGate gate = JdbcFencingGate.create(); // one for the whole application
        try (Lease lease = locks.lock("stock:apples").acquire(ofSeconds(5));
                Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            try {
                gate.admit(connection, "stock:apples", lease.token()); // first of all
                takeOne(connection, "apples");
                connection.commit();
            } catch (SQLException | StaleTokenException e) {
                connection.rollback();
                throw e;
            }
        }
    }

    /** Sends the token along. */
    public static int order(Lease lease, HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpRequest order = FencingTokens.of(lease).addTo(request).build();
        int status = HttpClient.newHttpClient()
                .send(order, BodyHandlers.discarding())
                .statusCode(); // 412: this lock is lost, do not try again with it
        return status;
    }

    private static void takeOne(Connection connection, String item) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE stock SET amount = amount - 1 WHERE item = ?")) {
            update.setString(1, item);
            update.executeUpdate();
        }
    }
}
