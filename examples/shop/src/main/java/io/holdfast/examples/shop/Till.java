package io.holdfast.examples.shop;

import io.holdfast.spring.Locked;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * One purchase: under the lock of its item, so that instances wait in line instead of failing in the database; in one
 * transaction, so that a crash leaves nothing half done; with the lock's token at the gate, so that an instance which slept
 * through its lease changes nothing; and under an id that the buyer has chosen, so that a buyer who got no answer may ask again.
 */
@Component
class Till {
    private final JdbcClient database;

    Till(JdbcClient database) {
        this.database = database;
    }

    @Locked(name = "stock:#{#item}", gate = "stock:#{#item}", waitFor = "30s")
    @Transactional
    public Shop.Result sell(String orderId, String item) {
        if (isKnown(orderId)) {
            return Shop.Result.SOLD;
        }
        long left = left(item);
        if (left == 0) {
            return Shop.Result.SOLD_OUT;
        }
        // Read, compute, write: wrong without a lock, and wrong with one whose holder may be too late, but for the
        // gate.
        database.sql("UPDATE stock SET amount = ? WHERE item = ?")
                .params(left - 1, item)
                .update();
        database.sql("INSERT INTO orders (id, item) VALUES (?, ?)")
                .params(orderId, item)
                .update();
        return Shop.Result.SOLD;
    }

    private boolean isKnown(String orderId) {
        List<String> found = database.sql("SELECT id FROM orders WHERE id = ?")
                .param(orderId)
                .query(String.class)
                .list();
        return !found.isEmpty();
    }

    private long left(String item) {
        return database.sql("SELECT amount FROM stock WHERE item = ?")
                .param(item)
                .query(Long.class)
                .optional()
                .orElse(0L);
    }
}
