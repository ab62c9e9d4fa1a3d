package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Where a gate finds the connection of the transaction its caller is in: usually what a framework has bound to the
 * thread. A fresh connection of a pool is not that, since the write would happen in another transaction than the check.
 */
@FunctionalInterface
public interface ConnectionSource {

    /** The connection of the transaction that runs now. */
    Connection current() throws SQLException;

    /** Called once the gate is done with what {@link #current} gave. Does nothing by default: it is the caller's. */
    default void done(Connection connection) throws SQLException {}
}
