package io.holdfast.examples.docs;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import io.holdfast.DistributedLatch;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Election;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** What {@code docs/primitives.md} shows. */
public final class PrimitivesSnippets {
    private PrimitivesSnippets() {}

    /** In the order of coming. */
    public static void inOrder(Holdfast locks, Consumer<Long> reserve) throws InterruptedException {
        try (Lease lease = locks.fairLock("shop:seats:hall-4").acquire(ofSeconds(10))) {
            reserve.accept(lease.token());
        }
    }

    /** Beside others who read. */
    public static void reading(Holdfast locks, Runnable export) throws InterruptedException {
        DistributedReadWriteLock catalogue = locks.readWriteLock("shop:catalogue");
        try (Lease lease = catalogue.readLock().acquire(ofSeconds(5))) {
            export.run();
            lease.ensureValid(); // nobody has written up to here
        }
    }

    /** Writes, then reads on. */
    public static boolean writingThenReading(Holdfast locks, Runnable rebuild, Runnable publish) {
        DistributedReadWriteLock catalogue = locks.readWriteLock("shop:catalogue");
        boolean safe;
        catalogue.writeLock().lock();
        try {
            rebuild.run();
            catalogue.readLock().lock(); // no command: this thread has it whole
        } finally {
            safe = catalogue.writeLock().unlock(); // from here on others may read, too
        }
        try {
            publish.run();
        } finally {
            safe &= catalogue.readLock().unlock();
        }
        return safe;
    }

    /** Not more than ten at once. */
    public static void limited(Holdfast locks, List<String> orders, Consumer<String> send) throws InterruptedException {
        DistributedSemaphore calls = locks.semaphore("partner:api", 10);
        try (Lease permit = calls.acquire(ofSeconds(5))) {
            for (String order : orders) {
                permit.ensureValid(); // ends here once the permit is lost
                send.accept(order);
            }
        }
    }

    /** From ten to twenty. */
    public static DistributedSemaphore moreOfThem(Holdfast locks, Consumer<String> note) {
        DistributedSemaphore calls = locks.semaphore("partner:api", 20); // an object that means the new number
        if (!calls.setPermits(20)) {
            note.accept("nobody has a permit now: whoever takes the first decides");
        }
        return calls;
    }

    /** From one account to another. */
    public static void together(Holdfast locks, String from, String to, BiConsumer<Long, Long> transfer)
            throws InterruptedException {
        DistributedLock both = locks.allOf(locks.lock(from), locks.lock(to));
        try (Lease lease = both.acquire(ofSeconds(5))) {
            transfer.accept(lease.token(from), lease.token(to)); // each guards its own
        }
    }

    /** When all four have imported. */
    public static void setUp(Holdfast locks, Runnable startImports) {
        DistributedLatch imported = locks.latch("import:2026-11-15");
        if (imported.trySetCount(4, ofHours(6))) { // false: another has set it
            startImports.run();
        }
    }

    /** One of the four. */
    public static void imported(Holdfast locks) {
        locks.latch("import:2026-11-15").countDown();
    }

    /** Whoever needs all of it. */
    public static void afterAll(Holdfast locks, Runnable report) throws InterruptedException {
        if (locks.latch("import:2026-11-15").await(ofMinutes(30))) {
            report.run();
        }
    }

    /** One of all the processes. */
    public static Election.Candidacy leading(Holdfast locks, Consumer<Long> dispatch) {
        Election.Candidacy candidacy = locks.election("shop:scheduler").stand(lease -> {
            while (lease.isValid()) {
                dispatch.accept(lease.token()); // the token tells a later leader's work from an earlier one's
            }
        });
        return candidacy;
    }

    /** For whoever wonders. */
    public static void whoIsIn(Holdfast locks, Consumer<String> console) {
        locks.inspect("shop:*")
                .forEach(lock ->
                        console.accept(lock.name() + " shared by " + lock.sharedBy() + ", waiting: " + lock.waiters()));
    }
}
