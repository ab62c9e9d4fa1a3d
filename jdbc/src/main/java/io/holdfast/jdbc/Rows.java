package io.holdfast.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;

/** Reads what a gate has written. */
final class Rows {
    private Rows() {}

    static long token(ResultSet rows, String table, String resource) throws SQLException {
        if (!rows.next()) {
            throw new SQLException(
                    "the row of '" + resource + "' in " + table
                            + " is gone, although this transaction has it locked: something like a trigger or a policy hides it");
        }
        return rows.getLong(1);
    }
}
