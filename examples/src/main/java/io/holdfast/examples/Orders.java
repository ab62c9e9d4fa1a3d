package io.holdfast.examples;

import io.holdfast.FencingGate;
import io.holdfast.StaleTokenException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The resource that the locks protect: a table of orders, in memory, that behaves as one in a database would. A change
 * counts once it is committed, and what is not committed is rolled back. Thread safe.
 */
public final class Orders {
    private final Map<String, String> statuses = new HashMap<>();
    private final FencingGate gate = FencingGate.inMemory();

    /** The status of an order; {@code NEW} until one is committed. */
    public synchronized String status(String order) {
        return statuses.getOrDefault(order, "NEW");
    }

    /** Sets a status at once, with nothing to guard it. */
    public synchronized void set(String order, String status) {
        statuses.put(order, status);
    }

    /** Begins a change of one order. */
    public Change begin(String order) {
        return new Change(order);
    }

    private synchronized void commit(String order, String status, long token) {
        // Check and write in one step: here by the monitor, in a database by the transaction.
        gate.admit(order, token);
        statuses.put(order, status);
    }

    /** A change of one order, for one thread. Closing it without a commit rolls it back. */
    public final class Change implements AutoCloseable {
        private final String order;
        private @Nullable String staged;

        private Change(String order) {
            this.order = order;
        }

        /** Sets the new status; nobody sees it before the commit. */
        public void set(String status) {
            staged = status;
        }

        /**
         * Makes the change count.
         *
         * @param token of the lease under which the change was made
         * @throws StaleTokenException if somebody with a higher token has changed the order meanwhile
         */
        public void commit(long token) {
            if (staged != null) {
                Orders.this.commit(order, staged, token);
                staged = null;
            }
        }

        /** Rolls back what was not committed. */
        @Override
        public void close() {
            staged = null;
        }
    }
}
