package io.holdfast.examples;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StoreRefusedException;
import java.io.PrintStream;
import java.net.URI;
import java.util.function.Consumer;
import redis.clients.jedis.Jedis;

/** Lets {@link OrderService} meet what can go wrong. */
final class ErrorHandlingExample {
    private final String uri;
    private final Orders orders;
    private final PrintStream out;

    private ErrorHandlingExample(String uri, Orders orders, PrintStream out) {
        this.uri = uri;
        this.orders = orders;
        this.out = out;
    }

    static void run(String uri, Orders orders, PrintStream out) throws Exception {
        ErrorHandlingExample example = new ErrorHandlingExample(uri, orders, out);
        try (Holdfast locks = Holdfast.connect(uri)) {
            example.allIsWell(locks);
            example.lostOnTheWay(locks);
            example.somebodyElseHasIt(locks);
            example.somethingElseIsThere(locks);
        }
        example.nobodyAnswers();
    }

    private void allIsWell(Holdfast locks) throws InterruptedException {
        report("3001", service(locks, order -> {}));
    }

    /** While the warehouse packs, the lock is deleted and somebody else ships the order. */
    private void lostOnTheWay(Holdfast locks) throws InterruptedException {
        report("3002", service(locks, this::anotherIsFaster));
    }

    private void anotherIsFaster(String order) {
        delete(order);
        try (Holdfast others = Holdfast.connect(uri);
                Lease lease = others.lock("shop:order:" + order).acquire(ofSeconds(5));
                Orders.Change change = orders.begin(order)) {
            change.set("SHIPPED BY ANOTHER");
            change.commit(lease.token());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void somebodyElseHasIt(Holdfast locks) throws InterruptedException {
        try (Lease other = locks.lock("shop:order:3003").acquire(ofSeconds(5))) {
            report("3003", service(locks, order -> {}));
            other.ensureValid();
        }
    }

    /** A key without an expiry is no lock, and nobody can know what it is. */
    private void somethingElseIsThere(Holdfast locks) throws InterruptedException {
        try (Jedis jedis = new Jedis(URI.create(uri))) {
            jedis.set("distributed_lock:shop:order:3004", "somebody's note");
        }
        try {
            report("3004", service(locks, order -> {}));
        } catch (StoreRefusedException e) {
            out.println("errors: order 3004: StoreRefusedException, still " + orders.status("3004"));
        } finally {
            delete("3004");
        }
    }

    /** Nobody listens on port 1. */
    private void nobodyAnswers() throws InterruptedException {
        try (Holdfast locks = Holdfast.builder()
                .uri("redis://127.0.0.1:1")
                .commandTimeout(ofMillis(200))
                .build()) {
            report("3005", service(locks, order -> {}));
        }
    }

    private OrderService service(Holdfast locks, Consumer<String> warehouse) {
        return new OrderService(locks, orders, ofMillis(500), warehouse, this::alarm);
    }

    private void report(String order, OrderService service) throws InterruptedException {
        OrderService.Outcome outcome = service.ship(order);
        out.println("errors: order " + order + ": " + outcome + ", now " + orders.status(order));
    }

    private void alarm(String message) {
        out.println("alarm: " + message);
    }

    private void delete(String order) {
        try (Jedis jedis = new Jedis(URI.create(uri))) {
            jedis.del("distributed_lock:shop:order:" + order);
        }
    }
}
