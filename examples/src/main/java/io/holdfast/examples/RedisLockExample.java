package io.holdfast.examples;

import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockException;
import java.io.PrintStream;
import java.util.Optional;

/**
 * A tour of locks on Redis, in the order in which one meets things. It needs a server, prints what happens, and leaves
 * nothing behind but the counters of the fencing tokens.
 *
 * <pre>
 * java -cp "examples/target/classes:examples/target/lib/*" io.holdfast.examples.RedisLockExample redis://localhost:6379
 * </pre>
 */
public final class RedisLockExample {
    private final Holdfast locks;
    private final Orders orders;
    private final PrintStream out;

    private RedisLockExample(Holdfast locks, Orders orders, PrintStream out) {
        this.locks = locks;
        this.orders = orders;
        this.out = out;
    }

    /**
     * Runs the tour.
     *
     * @param args the store's URI; {@code redis://localhost:6379} unless given
     */
    public static void main(String[] args) throws Exception {
        String uri = args.length == 0 ? "redis://localhost:6379" : args[0];
        try {
            run(uri, new Orders(), System.out);
        } catch (LockException e) {
            System.err.println(e.getMessage());
            System.exit(69);
        }
    }

    static void run(String uri, Orders orders, PrintStream out) throws Exception {
        Connecting.run(uri, out);
        try (Holdfast locks = Holdfast.connect(uri)) {
            RedisLockExample example = new RedisLockExample(locks, orders, out);
            example.basicUse();
            example.timedWait();
            example.leaseOfItsOwn();
            example.reentrancy();
            example.handle();
            example.async();
        }
        LostLeaseExample.run(uri, orders, out);
        FencingExample.run(uri, out);
        ErrorHandlingExample.run(uri, orders, out);
    }

    private void basicUse() {
        DistributedLock lock = locks.lock("shop:order:1001");
        if (!lock.tryLock()) {
            out.println("basic use: somebody else has it");
            return;
        }
        boolean safe;
        try {
            orders.set("1001", "PAID");
        } finally {
            safe = lock.unlock();
        }
        if (!safe) {
            orders.set("1001", "NEW"); // not protected to the end: roll back
        }
        out.println("basic use: order 1001 is " + orders.status("1001") + ", protected to the end: " + safe);
    }

    private void timedWait() throws InterruptedException {
        Lease other = locks.lock("shop:order:1002").acquire(ofSeconds(1));
        DistributedLock lock = locks.lock("shop:order:1002");
        out.println("timed wait: while another has it: " + lock.tryLock(300, MILLISECONDS));
        out.println("timed wait: the other gives it back: " + other.release());
        out.println("timed wait: now: " + lock.tryLock(5, SECONDS) + ", and given back: " + lock.unlock());
    }

    /** An explicit lease is not renewed: the lock is lost when it is over, whatever the holder does. */
    private void leaseOfItsOwn() throws InterruptedException {
        DistributedLock lock = locks.lock("shop:order:1003");
        if (lock.tryLock(5, 60, SECONDS)) {
            out.println("own lease: held for 60 s at most, given back in time: " + lock.unlock());
        }
    }

    /** Counted in this process: entering again costs no round trip. */
    private void reentrancy() {
        DistributedLock lock = locks.lock("shop:order:1004");
        lock.lock();
        boolean again = lock.tryLock();
        int holds = lock.getHoldCount();
        boolean inner = lock.unlock();
        boolean outer = lock.unlock();
        out.println("re-entrancy: again " + again + ", holds " + holds + ", unlocked " + inner + " and " + outer
                + ", still held " + lock.isHeldByCurrentThread() + ", one unlock too many " + lock.unlock());
    }

    /** A lease belongs to no thread: pass it on, and let the token travel with what is written. */
    private void handle() {
        Optional<Lease> obtained = locks.lock("shop:order:1005").tryAcquire();
        obtained.ifPresent(lease -> {
            try (lease) {
                long seconds = lease.remaining().toSeconds();
                out.println("handle: token " + lease.token() + ", valid for " + seconds + " s without a renewal");
            }
        });
    }

    private void async() {
        locks.lock("shop:order:1006")
                .acquireAsync(ofSeconds(5))
                .thenAccept(lease -> {
                    try (lease) {
                        out.println("async: " + lease.lockName() + " held, no thread waited");
                    }
                })
                .toCompletableFuture()
                .join();
    }
}
