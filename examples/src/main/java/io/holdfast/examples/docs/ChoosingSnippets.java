package io.holdfast.examples.docs;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import io.holdfast.DistributedLock;
import io.holdfast.Hold;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import io.holdfast.Loss;
import io.holdfast.OnLoss;
import io.holdfast.spi.StoreHealth;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** What {@code docs/choosing.md} shows, beside the examples themselves. */
public final class ChoosingSnippets {
    private ChoosingSnippets() {}

    /** Checks between the steps. */
    public static void stepByStep(Holdfast locks, List<String> invoices, BiConsumer<String, Long> billing)
            throws InterruptedException {
        DistributedLock lock = locks.lock("billing:run:2026-11", options -> options.lease(ofSeconds(20)));
        try (Lease lease = lock.acquire(ofSeconds(5))) {
            for (String invoice : invoices) {
                lease.ensureValid(); // ends here, with LeaseLostException, once the lock is gone
                billing.accept(invoice, lease.token());
            }
        }
    }

    /** Makes sure of the time that a step needs. */
    public static void stepThatCannotBeUndone(Lease lease, Runnable sendTheMoney) {
        if (lease.remaining().compareTo(ofSeconds(8)) < 0) {
            lease.extend(ofSeconds(20)); // asks the store; throws if the lock is gone or nobody answers
        }
        sendTheMoney.run(); // takes 4 s at worst
    }

    /** Ends a hold that hangs. */
    public static DistributedLock limited(Holdfast locks) {
        return locks.lock(
                "report:daily:2026-11-15",
                options -> options.lease(ofSeconds(15)).maxHold(ofMinutes(10)).onLoss(OnLoss.INTERRUPT));
    }

    /** Runs a job once, whoever comes first. */
    public static boolean onceForAll(Holdfast locks, Runnable warmUp) {
        DistributedLock lock = locks.lock(
                "cache:warmup:prices", options -> options.lease(ofMinutes(2)).renewal(false));
        if (!lock.tryLock()) {
            return false; // another instance is at it
        }
        try {
            warmUp.run(); // twice would be a waste, not a fault
        } finally {
            lock.unlock();
        }
        return true;
    }

    /** Early signs and the alarm. */
    public static LockListener watch(BiConsumer<String, Duration> metrics, Consumer<String> pager) {
        return new LockListener() {
            @Override
            public void renewed(Hold hold, Duration lag) {
                metrics.accept("lock.renewal.lag", lag);
            }

            @Override
            public void renewalFailed(Hold hold, Duration remaining, Throwable reason) {
                metrics.accept("lock.renewal.failed.remaining", remaining);
            }

            @Override
            public void lost(Hold hold, Loss loss) {
                pager.accept(hold.lockName() + " lost with token " + hold.token() + ": " + loss.detail());
            }
        };
    }

    /** At the start, and from time to time. */
    public static void healthCheck(Holdfast locks, Consumer<String> pager) {
        StoreHealth health = locks.health();
        health.warnings().forEach(pager);
    }

    /** For whoever looks for the culprit. */
    public static void whoHasIt(Holdfast locks, Consumer<String> console) {
        locks.inspect("billing:*")
                .forEach(lock ->
                        console.accept(lock.name() + " held by " + lock.owner().orElse("nobody") + " for "
                                + lock.remaining() + " more, waiting: " + lock.waiters()));
    }
}
