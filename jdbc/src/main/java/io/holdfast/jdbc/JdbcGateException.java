package io.holdfast.jdbc;

import java.sql.SQLException;

/**
 * The database failed while a gate asked it, so nobody knows whether the token is stale: roll back. The cause is what
 * the driver said; after a deadlock or a serialization failure the whole transaction may be tried again.
 */
public final class JdbcGateException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final SQLException reason;

    JdbcGateException(String resource, SQLException reason) {
        super("the gate of '" + resource + "' could not ask its table: " + reason.getMessage(), reason);
        this.reason = reason;
    }

    /** What the driver said. */
    public SQLException reason() {
        return reason;
    }
}
