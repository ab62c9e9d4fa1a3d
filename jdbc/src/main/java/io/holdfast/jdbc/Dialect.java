package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/** What differs between databases. Stateless. */
interface Dialect {

    /**
     * Raises the token of a resource, if it is lower, and locks its row until the transaction ends, either way. Returns
     * the highest token now: the given one, or, if that one is stale, a higher one.
     */
    long raise(Connection connection, String table, String resource, long token) throws SQLException;

    /** The file with the table's definition. */
    String definition();

    /** The dialect of a connection; asks nothing of the server. */
    static Dialect of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        return switch (product) {
            case "PostgreSQL" -> new PostgresqlDialect();
            case "MySQL", "MariaDB" -> new MysqlDialect();
            case "H2" -> new H2Dialect();
            default ->
                throw new IllegalArgumentException("the gate does not know the database '" + product
                        + "': it knows PostgreSQL, MySQL, MariaDB and H2");
        };
    }
}
