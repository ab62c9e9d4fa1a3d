package io.holdfast.examples;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.holdfast.DistributedLock;
import io.holdfast.Hold;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockListener;
import io.holdfast.Loss;
import io.holdfast.OnLoss;
import java.io.PrintStream;
import java.net.URI;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import redis.clients.jedis.Jedis;

/** Four ways to learn that a lock was lost, and what to do then: roll back. */
final class LostLeaseExample {
    private final String uri;
    private final Holdfast locks;
    private final Orders orders;
    private final PrintStream out;
    private final CountDownLatch fourAlarms;

    private LostLeaseExample(String uri, Holdfast locks, Orders orders, PrintStream out, CountDownLatch fourAlarms) {
        this.uri = uri;
        this.locks = locks;
        this.orders = orders;
        this.out = out;
        this.fourAlarms = fourAlarms;
    }

    static void run(String uri, Orders orders, PrintStream out) throws Exception {
        CountDownLatch fourAlarms = new CountDownLatch(4);
        LockListener alarm = new LockListener() {
            @Override
            public void lost(Hold hold, Loss loss) {
                out.println("alarm: " + hold.lockName() + " lost: " + loss.cause());
                fourAlarms.countDown();
            }
        };
        try (Holdfast locks = Holdfast.builder().uri(uri).listener(alarm).build()) {
            LostLeaseExample example = new LostLeaseExample(uri, locks, orders, out, fourAlarms);
            example.unlockSaysFalse();
            example.closeThrows();
            example.signal();
            example.interrupt();
            example.everyLossWasReported();
        }
    }

    /** The work takes longer than a lease that is not renewed. */
    private void unlockSaysFalse() throws InterruptedException {
        DistributedLock lock = locks.lock(
                "shop:order:2001", options -> options.lease(ofMillis(150)).renewal(false));
        String before = orders.status("2001");
        lock.lock();
        boolean safe;
        try {
            orders.set("2001", "PAID");
            while (lock.isHeldByCurrentThread()) {
                Thread.onSpinWait(); // work that takes too long
            }
        } finally {
            safe = lock.unlock();
        }
        if (!safe) {
            orders.set("2001", before);
        }
        out.println("unlock() said " + safe + ": order 2001 is " + orders.status("2001") + " again");
    }

    /** A lease of a try statement cannot be lost in silence. */
    private void closeThrows() throws InterruptedException {
        DistributedLock lock = locks.lock(
                "shop:order:2002", options -> options.lease(ofMillis(150)).renewal(false));
        try (Lease lease = lock.acquire(ofSeconds(5))) {
            orders.set("2002", "PAID");
            while (lease.isValid()) {
                Thread.onSpinWait(); // work that takes too long
            }
        } catch (LeaseLostException e) {
            orders.set("2002", "NEW");
            out.println("close() threw: order 2002 is NEW again, because " + e.reason());
        }
    }

    /** The lease is renewed every 300 ms; then somebody deletes the key, and the next renewal finds out. */
    private void signal() throws Exception {
        DistributedLock lock = locks.lock("shop:order:2003", options -> options.lease(ofMillis(900)));
        Lease lease = lock.acquire(ofSeconds(5));
        CompletableFuture<String> job = new CompletableFuture<>(); // work that goes on elsewhere
        lease.lost().thenAccept(loss -> job.cancel(true));
        somebodyDeletes("shop:order:2003");
        try {
            orders.set("2003", job.get(10, SECONDS));
        } catch (CancellationException e) {
            out.println("lost() stopped the job: order 2003 is " + orders.status("2003"));
        }
        out.println("release() said " + lease.release());
    }

    /** For work that blocks and listens to nothing else. Only the thread that called lock() is interrupted. */
    private void interrupt() {
        DistributedLock lock = locks.lock(
                "shop:order:2004", options -> options.lease(ofMillis(900)).onLoss(OnLoss.INTERRUPT));
        lock.lock();
        boolean safe;
        try {
            somebodyDeletes("shop:order:2004");
            boolean done = new CountDownLatch(1).await(10, SECONDS); // work that blocks
            out.println("the work ended by itself: " + done);
        } catch (InterruptedException e) {
            out.println("interrupted in the middle of the work");
        } finally {
            safe = lock.unlock();
        }
        out.println("unlock() said " + safe + " after the interrupt");
    }

    private void everyLossWasReported() throws InterruptedException {
        out.println("alarms came for all four: " + fourAlarms.await(10, SECONDS));
    }

    /** As an operator might, or FLUSHALL, or a server that restarts without its memory. */
    private void somebodyDeletes(String lockName) {
        try (Jedis jedis = new Jedis(URI.create(uri))) {
            jedis.del("distributed_lock:" + lockName);
        }
    }
}
