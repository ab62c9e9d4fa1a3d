package io.holdfast.examples;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.examples.OrderService.Outcome;
import io.holdfast.testkit.FaultyStore;
import io.holdfast.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How an application tests what it does when a lock fails: no server, no waiting, and every failure on request. */
class OrderServiceTest {
    private final ManualClock clock = new ManualClock();
    private final FaultyStore store = FaultyStore.inMemory();
    private final Holdfast locks =
            Holdfast.builder().store(store.factory()).platform(clock.platform()).build();
    private final Orders orders = new Orders();
    private final List<String> alarms = new ArrayList<>();

    @AfterEach
    void close() {
        locks.close();
    }

    @Test
    void ship_withTheLock_commits() throws Exception {
        assertThat(service(order -> {}).ship("7")).isEqualTo(Outcome.SHIPPED);

        assertThat(orders.status("7")).isEqualTo("SHIPPED");
        assertThat(alarms).isEmpty();
    }

    @Test
    void ship_whenTheLockIsLostOnTheWay_rollsBack() throws Exception {
        OrderService service = service(order -> store.lose("shop:order:" + order));

        assertThat(service.ship("7")).isEqualTo(Outcome.ROLLED_BACK);
        assertThat(orders.status("7")).isEqualTo("NEW");
        assertThat(alarms).hasSize(1);
    }

    @Test
    void ship_whenTheHostSleptThroughTheLease_rollsBack() throws Exception {
        OrderService service = service(order -> clock.suspend(ofSeconds(40)));

        assertThat(service.ship("7")).isEqualTo(Outcome.ROLLED_BACK);
        assertThat(orders.status("7")).isEqualTo("NEW");
    }

    @Test
    void ship_thatTakesLong_keepsItsLock() throws Exception {
        OrderService service = service(order -> clock.advance(ofMinutes(10)));

        assertThat(service.ship("7")).isEqualTo(Outcome.SHIPPED);
    }

    @Test
    void ship_whenTheStoreIsGoneForTooLong_rollsBack() throws Exception {
        OrderService service = service(order -> {
            store.cutOff();
            clock.advance(ofSeconds(31));
        });

        assertThat(service.ship("7")).isEqualTo(Outcome.ROLLED_BACK);
        assertThat(orders.status("7")).isEqualTo("NEW");
    }

    @Test
    void ship_whenANewerHolderHasCommitted_isRefused() throws Exception {
        OrderService service = service(order -> {
            // The store forgets, and this holder does not know it yet.
            store.expireNow("shop:order:" + order);
            ship(order, "SHIPPED BY ANOTHER");
        });

        assertThat(service.ship("7")).isEqualTo(Outcome.ROLLED_BACK);
        assertThat(orders.status("7")).isEqualTo("SHIPPED BY ANOTHER");
    }

    @Test
    void ship_withoutAStore_isForLater() throws Exception {
        store.cutOff();

        assertThat(service(order -> {}).ship("7")).isEqualTo(Outcome.TRY_LATER);
        assertThat(orders.status("7")).isEqualTo("NEW");
    }

    private OrderService service(Consumer<String> warehouse) {
        return new OrderService(locks, orders, Duration.ZERO, warehouse, alarms::add);
    }

    /** In another process. */
    private void ship(String order, String status) {
        try (Holdfast others = Holdfast.builder().store(store.factory()).build()) {
            others.lock("shop:order:" + order).tryAcquire().ifPresent(lease -> {
                try (lease;
                        Orders.Change change = orders.begin(order)) {
                    change.set(status);
                    change.commit(lease.token());
                }
            });
        }
    }
}
