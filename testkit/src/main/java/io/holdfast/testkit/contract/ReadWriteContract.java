package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.spi.Capability;
import io.holdfast.spi.LockInfo;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many readers or one writer. */
interface ReadWriteContract extends Contract {

    private DistributedReadWriteLock lock(Holdfast client) {
        bench().needs(Capability.SHARING);
        return client.readWriteLock(bench().name());
    }

    private DistributedReadWriteLock lock() {
        return lock(bench().client());
    }

    @Test
    @Faults(55)
    default void readers_readTogether_andKeepAWriterOut() {
        DistributedLock first = lock().readLock();
        DistributedLock second = lock().readLock();
        DistributedLock writer = lock().writeLock();
        assertThat(first.tryLock()).isTrue();
        assertThat(bench().start(() -> {
                            boolean got = second.tryLock();
                            return got && writerIsRefused(writer) && second.unlock();
                        })
                        .join())
                .isTrue();
        assertThat(bench().start(writer::tryLock).join()).isFalse();

        assertThat(first.unlock()).isTrue();

        assertThat(bench().start(() -> writer.tryLock() && writer.unlock()).join())
                .isTrue();
    }

    private boolean writerIsRefused(DistributedLock writer) {
        return !bench().start(writer::tryLock).join();
    }

    @Test
    @Faults(55)
    default void writer_keepsEverybodyOut_andIsThePlainLockOfThatName() {
        Holdfast client = bench().client();
        DistributedLock writer = lock(client).writeLock();
        DistributedLock reader = lock().readLock();
        DistributedLock plain = bench().client().lock(bench().name());
        assertThat(writer.tryLock()).isTrue();
        assertThat(client.lock(bench().name()).isHeldByCurrentThread()).isTrue();

        assertThat(bench().start(reader::tryLock).join()).isFalse();
        assertThat(bench().start(plain::tryLock).join()).isFalse();

        assertThat(writer.unlock()).isTrue();
        assertThat(bench().start(() -> reader.tryLock() && reader.unlock()).join())
                .isTrue();
    }

    /** Otherwise readers that keep coming would keep it out for ever. */
    @Test
    @Faults(55)
    default void writerThatWaits_stopsReadersThatComeAfterIt() throws InterruptedException {
        bench().needs(Capability.FIRST_COME);
        Lease reading = lock().readLock().acquire(Bench.PATIENCE);
        DistributedLock writer = lock().writeLock();
        List<String> served = new CopyOnWriteArrayList<>();
        Actor<Boolean> writes = bench().start(() -> {
            writer.lock();
            served.add("writer");
            return writer.unlock();
        });
        bench().awaitWaiting(1);
        DistributedLock late = lock().readLock();
        assertThat(late.tryAcquire()).isEmpty();
        Actor<Boolean> reads = bench().start(() -> {
            late.lock();
            served.add("reader");
            return late.unlock();
        });
        bench().awaitWaiting(2);

        assertThat(reading.release()).isTrue();

        assertThat(writes.join()).isTrue();
        assertThat(reads.join()).isTrue();
        assertThat(served).containsExactly("writer", "reader");
    }

    /** A writer that leaves without its turn must not leave those behind it waiting for nothing. */
    @Test
    @Faults({45, 55})
    default void writerThatGivesUp_letsTheReadersBehindItIn() throws InterruptedException {
        bench().needs(Capability.FIRST_COME);
        Lease reading = lock().readLock().acquire(Bench.PATIENCE);
        Actor<Boolean> writer = bench().impatient(lock().writeLock(), Duration.ofMillis(400));
        DistributedLock behind = lock().readLock();
        Actor<Boolean> reader = bench().start(() -> {
            behind.lock();
            return behind.unlock();
        });
        // On a busy machine the writer may be gone before the reader comes.
        bench().until(() -> bench().witness().waitingEver(bench().name()) >= 2 || reader.isDone());

        assertThat(writer.join()).isFalse();

        assertThat(reader.join()).isTrue();
        assertThat(reading.release()).isTrue();
    }

    @Test
    default void readersThatWait_areLetInTogether() throws InterruptedException {
        bench().needs(Capability.FIRST_COME);
        Lease writing = lock().writeLock().acquire(Bench.PATIENCE);
        AtomicInteger inside = new AtomicInteger();
        List<Actor<Boolean>> readers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            DistributedLock reader = lock().readLock();
            readers.add(bench().start(() -> {
                reader.lock();
                inside.incrementAndGet();
                bench().until(() -> inside.get() == 5);
                return reader.unlock();
            }));
            bench().awaitWaiting(i + 1);
        }

        assertThat(writing.release()).isTrue();

        readers.forEach(reader -> assertThat(reader.join()).isTrue());
    }

    /** One TTL for all of them would let the living keep the dead alive. */
    @Test
    @Faults(55)
    default void deadReader_holdsUpAWriterForItsLeaseOnly_whileOthersReadOn() throws InterruptedException {
        bench().needs(Capability.SHARING);
        Holdfast client = bench().client();
        Lease dead = client.readWriteLock(
                        bench().name(), o -> o.lease(Bench.SHORT).renewal(false))
                .readLock()
                .acquire(Bench.PATIENCE);
        Lease living = client.readWriteLock(bench().name(), o -> o.lease(Bench.KEPT))
                .readLock()
                .acquire(Bench.PATIENCE);
        bench().until(() -> !dead.isValid());
        bench().until(() -> client.inspect(bench().name()).stream()
                .map(LockInfo::sharedBy)
                .allMatch(holders -> holders.size() == 1));

        assertThat(living.isValid()).isTrue();
        assertThat(living.release()).isTrue();
        assertThat(bench().lock().tryAcquire().map(Lease::release)).contains(true);
    }

    @Test
    default void reader_isRenewedForAsLongAsItReads() throws InterruptedException {
        bench().needs(Capability.SHARING);
        Lease lease = bench().client()
                .readWriteLock(bench().name(), o -> o.lease(Bench.KEPT))
                .readLock()
                .acquire(Bench.PATIENCE);
        long until = System.nanoTime() + Bench.KEPT.multipliedBy(5).dividedBy(4).toNanos();
        bench().until(() -> System.nanoTime() - until > 0);

        assertThat(lease.isValid()).isTrue();
        assertThat(bench().isFree()).isFalse();
        assertThat(lease.release()).isTrue();
        assertThat(bench().isFree()).isTrue();
    }

    @Test
    default void bothSides_areReentrant() {
        DistributedReadWriteLock lock = lock();
        assertThat(lock.readLock().tryLock()).isTrue();
        assertThat(lock.readLock().tryLock()).isTrue();
        assertThat(lock.readLock().getHoldCount()).isEqualTo(2);
        assertThat(lock.writeLock().isHeldByCurrentThread()).isFalse();
        assertThat(lock.readLock().unlock()).isTrue();
        assertThat(lock.readLock().unlock()).isTrue();
        assertThat(lock.readLock().unlock()).isFalse();

        assertThat(lock.writeLock().tryLock()).isTrue();
        assertThat(lock.writeLock().tryLock()).isTrue();
        assertThat(lock.writeLock().getHoldCount()).isEqualTo(2);
        assertThat(lock.writeLock().unlock()).isTrue();
        assertThat(lock.writeLock().unlock()).isTrue();
        assertThat(bench().isFree()).isTrue();
    }

    @Test
    @Faults(55)
    default void upgrade_isRefusedAtOnce_andExplained() {
        DistributedReadWriteLock lock = lock();
        assertThat(lock.readLock().tryLock()).isTrue();

        assertThatThrownBy(() -> lock.writeLock().lock())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(bench().name())
                .hasMessageContaining("would wait for each other for ever");
        assertThatThrownBy(() -> lock.writeLock().tryLock()).isInstanceOf(IllegalStateException.class);

        assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
        assertThat(lock.readLock().unlock()).isTrue();
    }

    @Test
    @Faults(55)
    default void downgrade_letsNobodyWriteInBetween() {
        DistributedReadWriteLock lock = lock();
        DistributedLock other = lock().writeLock();
        assertThat(lock.writeLock().tryLock()).isTrue();
        Actor<Boolean> waits = bench().start(() -> {
            other.lock();
            return other.unlock();
        });
        bench().awaitWaiting(1);

        assertThat(lock.readLock().tryLock()).isTrue();
        assertThat(lock.writeLock().unlock()).isTrue();

        assertThat(lock.writeLock().isHeldByCurrentThread()).isFalse();
        assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
        assertThat(waits.isDone()).isFalse();
        assertThat(bench().client().inspect(bench().name()))
                .singleElement()
                .satisfies(info -> assertThat(info.sharedBy()).hasSize(1));
        assertThat(lock.readLock().unlock()).isTrue();
        assertThat(waits.join()).isTrue();
    }

    /** Writers of one client pass the lock on among themselves; one of them reads on, with others behind it. */
    @Test
    default void downgrade_byOneWhomTheLockWasPassedTo_letsNobodyWriteInBetween() {
        DistributedReadWriteLock lock = lock();
        assertThat(lock.writeLock().tryLock()).isTrue();
        AtomicBoolean reads = new AtomicBoolean();
        AtomicBoolean wroteMeanwhile = new AtomicBoolean();
        CountDownLatch readsOn = new CountDownLatch(1);
        Actor<Boolean> passedTo = bench().start(() -> {
            lock.writeLock().lock();
            boolean shared = lock.readLock().tryLock();
            reads.set(true);
            boolean wrote = lock.writeLock().unlock();
            readsOn.await();
            reads.set(false);
            return lock.readLock().unlock() && shared && wrote;
        });
        bench().awaitWaiting(1);
        List<Actor<Boolean>> behind = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            behind.add(bench().start(() -> {
                lock.writeLock().lock();
                wroteMeanwhile.compareAndSet(false, reads.get());
                return lock.writeLock().unlock();
            }));
            bench().awaitWaiting(2 + i);
        }

        assertThat(lock.writeLock().unlock()).isTrue();
        bench().until(() -> bench().client().inspect(bench().name()).stream()
                .anyMatch(info -> info.sharedBy().size() == 1));
        assertThat(behind).noneMatch(Actor::isDone);
        readsOn.countDown();

        assertThat(passedTo.join()).isTrue();
        assertThat(behind).allMatch(Actor::join);
        assertThat(wroteMeanwhile).isFalse();
    }

    /** What it wrote was not protected to its end, and what it reads from here on is not either. */
    @Test
    @Faults({52, 55})
    default void downgrade_ofWhatWasTakenAwayUnnoticed_isFalseForBoth() {
        DistributedReadWriteLock lock = lock();
        assertThat(lock.writeLock().tryLock()).isTrue();
        assertThat(lock.readLock().tryLock()).isTrue();
        bench().expire();

        assertThat(lock.writeLock().unlock()).isFalse();

        assertThat(lock.readLock().isHeldByCurrentThread()).isFalse();
        assertThat(lock.readLock().unlock()).isFalse();
        assertThat(bench().isFree()).isTrue();
    }

    /** What it wrote was protected; only that it reads on could not be had. */
    @Test
    @Faults({50, 55})
    default void downgrade_whileTheStoreIsOutOfReach_losesTheReadingOnly() {
        DistributedReadWriteLock lock = lock();
        assertThat(lock.writeLock().tryLock()).isTrue();
        assertThat(lock.readLock().tryLock()).isTrue();
        bench().store().cutOff();

        assertThat(lock.writeLock().unlock()).isTrue();

        assertThat(lock.readLock().isHeldByCurrentThread()).isFalse();
        bench().store().restore();
        assertThat(lock.readLock().unlock()).isFalse();
        bench().until(bench()::isFree);
    }

    @Test
    default void readerInsideAWriter_canBeGivenUpFirst() {
        DistributedReadWriteLock lock = lock();
        assertThat(lock.writeLock().tryLock()).isTrue();
        assertThat(lock.readLock().tryLock()).isTrue();
        assertThat(lock.readLock().unlock()).isTrue();
        assertThat(lock.readLock().isHeldByCurrentThread()).isFalse();
        assertThat(lock.writeLock().isHeldByCurrentThread()).isTrue();
        assertThat(lock.writeLock().unlock()).isTrue();
        assertThat(bench().isFree()).isTrue();
    }

    @Test
    @Faults(55)
    default void tokens_ofWriters_areHigherThanThoseOfReadersBeforeThem() throws InterruptedException {
        DistributedReadWriteLock lock = lock();
        long last = 0;
        for (int i = 0; i < 3; i++) {
            try (Lease reading = lock.readLock().acquire(Bench.PATIENCE)) {
                assertThat(reading.token()).isGreaterThan(last);
                last = reading.token();
            }
            try (Lease writing = lock.writeLock().acquire(Bench.PATIENCE)) {
                assertThat(writing.token()).isGreaterThan(last);
                last = writing.token();
            }
        }
    }

    @Test
    @Faults(52)
    default void readLease_takenAway_isLost() throws InterruptedException {
        Lease reading = lock().readLock().acquire(Bench.PATIENCE);
        bench().loseEverything();

        assertThat(reading.release()).isFalse();
        assertThat(reading.lost().toCompletableFuture().join().detail()).isNotEmpty();
    }

    @Test
    @SuppressWarnings("LockNotBeforeTry") // it is the order of these calls that is tried
    default void jdkView_isTheSameLock() {
        ReadWriteLock jdk = lock().asReadWriteLock();
        jdk.readLock().lock();
        jdk.readLock().unlock();
        jdk.writeLock().lock();
        jdk.readLock().lock();
        jdk.writeLock().unlock();
        assertThatThrownBy(() -> jdk.writeLock().unlock()).isInstanceOf(IllegalMonitorStateException.class);
        jdk.readLock().unlock();
        assertThatThrownBy(() -> jdk.readLock().newCondition())
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("polling");
        assertThat(bench().isFree()).isTrue();
    }

    @Test
    @Tag("race")
    @Faults(55)
    default void readersAndWriters_underContention_neverMeet() {
        List<Holdfast> clients = List.of(
                bench().client(builder ->
                        builder.options(LockOptions.builder().lease(Bench.LONG).build())),
                bench().client());
        AtomicInteger readers = new AtomicInteger();
        AtomicInteger writers = new AtomicInteger();
        AtomicInteger met = new AtomicInteger();
        List<Actor<Boolean>> actors = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            DistributedReadWriteLock lock = lock(clients.get(i % 2));
            boolean writes = i < 2;
            actors.add(bench().start(() -> {
                boolean safe = true;
                for (int round = 0; round < 40; round++) {
                    DistributedLock side = writes ? lock.writeLock() : lock.readLock();
                    side.lock();
                    (writes ? writers : readers).incrementAndGet();
                    if (writers.get() > 1 || (writers.get() > 0 && readers.get() > 0)) {
                        met.incrementAndGet();
                    }
                    LockSupport.parkNanos(1_000);
                    (writes ? writers : readers).decrementAndGet();
                    safe &= side.unlock();
                }
                return safe;
            }));
        }
        actors.forEach(actor -> assertThat(actor.join()).isTrue());
        assertThat(met).hasValue(0);
        assertThat(bench().isFree()).isTrue();
    }
}
