package io.holdfast.spring.docs;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spring.DeposedEvent;
import io.holdfast.spring.ElectedEvent;
import io.holdfast.spring.Locked;
import java.time.Duration;
import java.util.function.LongConsumer;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** What {@code docs/spring-boot.md} shows. */
final class SpringSnippets {
    private SpringSnippets() {}

    record Order(String id) {}

    interface Orders {
        void ship(Order order, long token);
    }

    @Service
    static class Shipping {
        private final Holdfast locks;

        Shipping(Holdfast locks) {
            this.locks = locks;
        }

        void ship(Order order, LongConsumer send) throws InterruptedException {
            try (Lease lease = locks.lock("order:" + order.id()).acquire(Duration.ofSeconds(5))) {
                send.accept(lease.token());
            }
        }
    }

    @Service
    static class OrderService {
        private final Orders orders;

        OrderService(Orders orders) {
            this.orders = orders;
        }

        @Locked(name = "order:#{#order.id}", waitFor = "5s")
        @Transactional
        public void ship(Order order, Lease lease) { // callers pass null for the lease
            orders.ship(order, lease.token());
        }

        @Locked(name = "account:#{#from}")
        @Locked(name = "account:#{#to}")
        @Transactional
        public void transfer(String from, String to) {
            // both locks, or neither
        }

        @Locked(name = "stock:#{#item}", gate = "stock:#{#item}")
        @Transactional
        public void take(String item) {
            // the database refuses a holder that slept through its lease
        }

        @Scheduled(cron = "0 0 3 * * *")
        @Locked(name = "nightly-report", atLeast = "1m", atMost = "30m")
        public void report() {
            // on one instance; the others skip it
        }
    }

    static class Leader {
        private volatile boolean leads;

        @EventListener
        public void elected(ElectedEvent event) {
            leads = event.election().equals("scheduler");
        }

        @EventListener
        public void deposed(DeposedEvent event) {
            leads = false;
        }

        boolean leads() {
            return leads;
        }
    }
}
