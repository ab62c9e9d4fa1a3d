/**
 * The guard of data in a database: {@link io.holdfast.jdbc.JdbcFencingGate} refuses the write of a holder that has lost
 * its lock, inside the transaction that writes.
 */
@NullMarked
package io.holdfast.jdbc;

import org.jspecify.annotations.NullMarked;
