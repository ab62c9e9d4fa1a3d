package io.holdfast.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.holdfast.FencingGate;
import io.holdfast.StaleTokenException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Pattern;

/**
 * A gate whose memory is a table next to the data, asked in the transaction that writes the data. So the check and the
 * write happen together or not at all.
 *
 * <pre>{@code
 * JdbcFencingGate gate = JdbcFencingGate.create();
 * try (Lease lease = locks.lock("stock:apples").acquire(ofSeconds(5))) {
 *     connection.setAutoCommit(false);
 *     gate.admit(connection, "stock:apples", lease.token()); // before anything is read
 *     …                                                      // read, compute, write
 *     connection.commit();
 * }
 * }</pre>
 *
 * <p><b>Ask first.</b> The gate keeps the order of tokens from its answer to the end of the transaction: it locks the
 * row of the resource, so a second transaction waits here until the first one is done, and then sees what that one wrote.
 * What was read before asking may be older than that. If the transaction is rolled back, the gate forgets with it.
 *
 * <p>Works on PostgreSQL, MySQL, MariaDB and H2, at any isolation level. From REPEATABLE READ upwards a transaction that
 * had to wait, or that has read something before it asks, may end with a serialization failure: its snapshot is older than
 * the last admission, and what it would read is, too. That is the database's own, or on MySQL and MariaDB one of the gate,
 * with the same SQLSTATE 40001. Anywhere there may be a deadlock, if resources are asked for in different orders. All of these
 * mean that nothing was written.
 *
 * <p>The table is made by {@link #createTable}, or by one of the files beside this class: {@code fence-postgresql.sql},
 * {@code fence-mysql.sql} (MariaDB too), {@code fence-h2.sql}. It gets one row for each resource ever asked for.
 *
 * <p>Has no state of its own; thread safe.
 */
public final class JdbcFencingGate {
    private static final String TABLE = "holdfast_fence";
    private static final Pattern NAME =
            Pattern.compile("(?:[A-Za-z_][A-Za-z0-9_]{0,62}\\.)?[A-Za-z_][A-Za-z0-9_]{0,62}");
    private static final int LONGEST = 512;

    private final String table;

    private JdbcFencingGate(String table) {
        this.table = table;
    }

    /** A gate on the table {@code holdfast_fence}. */
    public static JdbcFencingGate create() {
        return create(TABLE);
    }

    /** A gate on a table of another name, {@code table} or {@code schema.table}: letters, digits and underscores. */
    public static JdbcFencingGate create(String table) {
        if (!NAME.matcher(requireNonNull(table, "table")).matches()) {
            throw new IllegalArgumentException("table '" + table
                    + "' is not a name such as holdfast_fence or shop.holdfast_fence: letters, digits and underscores,"
                    + " at most 63 each, not starting with a digit");
        }
        return new JdbcFencingGate(table);
    }

    /**
     * Admits the write of a transaction that carries {@code token}, and from its commit on refuses lower ones for {@code
     * resource}. The same token may come again: a holder writes more than once. Waits while another transaction that has
     * asked for this resource is under way, for as long as the database lets a statement wait for a row.
     *
     * @param connection the connection of the transaction, as it will write the data
     * @throws StaleTokenException if a higher token was admitted before: roll back
     * @throws IllegalStateException if the connection is in autocommit mode: there is no transaction then, and a gate
     *     guards nothing
     * @throws SQLException what the database says; the transaction has to be rolled back
     */
    public void admit(Connection connection, String resource, long token) throws SQLException {
        requireNonNull(connection, "connection");
        check(requireNonNull(resource, "resource"), token);
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "the gate of '" + resource + "' was asked on a connection in autocommit mode:"
                            + " its answer would be over before the write begins. Ask it inside the transaction that writes");
        }
        long newest = Dialect.of(connection).raise(connection, table, resource, token);
        if (newest != token) {
            throw new StaleTokenException(resource, token, newest);
        }
    }

    /**
     * This gate for those who ask without a connection at hand. What the database says comes as {@link
     * JdbcGateException}.
     *
     * @param source knows the connection of the caller's transaction
     */
    public FencingGate on(ConnectionSource source) {
        requireNonNull(source, "source");
        return (resource, token) -> {
            try {
                Connection connection = source.current();
                try {
                    admit(connection, resource, token);
                } finally {
                    source.done(connection);
                }
            } catch (SQLException e) {
                throw new JdbcGateException(resource, e);
            }
        };
    }

    /**
     * Makes the table if it is missing. For tests and small applications; MySQL and MariaDB commit the running
     * transaction before it. Where a tool looks after the schema, give it the file instead.
     */
    public void createTable(Connection connection) throws SQLException {
        String definition =
                text(Dialect.of(requireNonNull(connection, "connection")).definition());
        try (Statement statement = connection.createStatement()) {
            // The file ends it as tools want it, and drivers need not.
            statement.execute(definition.replace(TABLE, table).strip().replaceFirst(";$", ""));
        }
    }

    private static void check(String resource, long token) {
        if (token < 0) {
            throw new IllegalArgumentException("token " + token + " is negative (resource '" + resource + "')");
        }
        int length = resource.getBytes(UTF_8).length;
        if (length == 0 || length > LONGEST) {
            throw new IllegalArgumentException(
                    "resource of " + length + " bytes: 1 to " + LONGEST + " bytes of UTF-8 are allowed");
        }
        if (resource.chars().anyMatch(Character::isISOControl)
                || !UTF_8.newEncoder().canEncode(resource)) {
            throw new IllegalArgumentException(
                    "resource '" + resource + "' has a control character or half a surrogate pair");
        }
    }

    private static String text(String file) {
        try (InputStream in = requireNonNull(JdbcFencingGate.class.getResourceAsStream(file), file)) {
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
