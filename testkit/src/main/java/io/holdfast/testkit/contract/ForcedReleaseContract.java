package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.ClientClosedException;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Loss;
import io.holdfast.spi.Capability;
import io.holdfast.spi.LockInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A person takes a lock from its holder. */
interface ForcedReleaseContract extends Contract {

    @Test
    default void forceRelease_takesItFromItsHolder_whoLearnsIt_andTheNextGoesOn() throws InterruptedException {
        Holdfast person = bench().client();
        Lease lease = bench().client(Bench.KEPT).lock(bench().name()).acquire(Duration.ZERO);
        DistributedLock next = bench().lock();
        Actor<Boolean> waiter = bench().waiter(next);

        assertThat(person.forceRelease(bench().name(), holders(person).get(0))).isTrue();

        assertThat(waiter.join()).as("has had it").isTrue();
        Loss loss = lease.lost()
                .toCompletableFuture()
                .orTimeout(Bench.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
        assertThat(loss.cause()).isIn(Loss.Cause.FORCED, Loss.Cause.GONE);
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.release()).isFalse();
        assertThat(bench().nextToken()).isGreaterThan(lease.token());
    }

    @Test
    default void forceRelease_byAnOwnerIdOfBefore_touchesNobody() throws InterruptedException {
        Holdfast person = bench().client();
        Lease before = bench().lock().acquire(Duration.ZERO);
        String old = holders(person).get(0);
        assertThat(before.release()).isTrue();
        assertThat(person.forceRelease(bench().name(), old)).as("free").isFalse();

        Lease now = bench().lock().acquire(Duration.ZERO);
        Actor<Boolean> waiter = bench().waiter(bench().lock());
        String waits = person.inspect(bench().name()).get(0).waiters().get(0);

        assertThat(person.forceRelease(bench().name(), old)).isFalse();
        assertThat(person.forceRelease(bench().name(), waits)).as("only waits").isFalse();
        assertThat(person.forceRelease(bench().name(), "nobody")).isFalse();

        assertThat(person.inspect(bench().name()).get(0).waiters()).contains(waits);
        assertThat(now.isValid()).isTrue();
        assertThat(now.release()).isTrue();
        assertThat(waiter.join()).isTrue();
    }

    /** Threads of one client pass a fair lock on among themselves: whoever has it by then learns that it is gone. */
    @Test
    default void forceRelease_ofAFairLockThatWasPassedOn_isToldToWhoeverHasItNow() throws InterruptedException {
        bench().needs(Capability.FIRST_COME);
        Holdfast person = bench().client();
        DistributedLock lock = bench().client(Bench.KEPT).fairLock(bench().name());
        Lease first = lock.acquire(Duration.ZERO);
        List<CompletableFuture<Lease>> line = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            int standing = i;
            line.add(lock.acquireAsync(Bench.PATIENCE).toCompletableFuture());
            bench().until(() -> person.inspect(bench().name()).get(0).waiters().size() == standing);
        }
        assertThat(first.release()).isTrue();
        Lease second = line.get(0).join();

        assertThat(person.forceRelease(bench().name(), holders(person).get(0))).isTrue();

        Lease third = line.get(1).join();
        assertThat(third.token()).isGreaterThan(second.token());
        Loss loss = second.lost()
                .toCompletableFuture()
                .orTimeout(Bench.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
        assertThat(loss.cause()).isIn(Loss.Cause.FORCED, Loss.Cause.GONE);
        assertThat(second.release()).isFalse();
        assertThat(third.isValid()).isTrue();
        assertThat(third.release()).isTrue();
        assertThat(line.get(2).join().release()).isTrue();
    }

    @Test
    default void forceRelease_ofOneWhoReads_leavesTheOthers_andLetsAWriterInAfterTheLast() throws InterruptedException {
        bench().needs(Capability.SHARING);
        Holdfast person = bench().client();
        Holdfast readers = bench().client();
        Lease first = readers.readWriteLock(bench().name()).readLock().acquire(Duration.ZERO);
        String one = holders(person).get(0);
        Lease second = readers.readWriteLock(bench().name()).readLock().acquire(Duration.ZERO);
        Actor<Boolean> writer =
                bench().waiter(bench().client().readWriteLock(bench().name()).writeLock());

        assertThat(person.forceRelease(bench().name(), one)).isTrue();
        assertThat(holders(person)).hasSize(1).doesNotContain(one);
        assertThat(second.isValid()).isTrue();
        assertThat(second.release()).isTrue();

        assertThat(writer.join()).isTrue();
        assertThat(first.release()).isFalse();
    }

    @Test
    default void forceRelease_ofPermits_letsOthersHaveThem() throws InterruptedException {
        bench().needs(Capability.SHARING);
        Holdfast person = bench().client();
        DistributedSemaphore semaphore = bench().client().semaphore(bench().name(), 2);
        Lease all = semaphore.acquire(2, Duration.ZERO);
        assertThat(person.semaphore(bench().name(), 2).tryAcquire()).isEmpty();

        assertThat(person.forceRelease(bench().name(), holders(person).get(0))).isTrue();

        try (Lease one = person.semaphore(bench().name(), 2).acquire(1, Bench.PATIENCE)) {
            assertThat(one.isValid()).isTrue();
        }
        assertThat(all.release()).isFalse();
    }

    @Test
    default void forceRelease_withoutALock_orOfAClosedClient() {
        Holdfast person = bench().client();
        assertThat(person.forceRelease(bench().name(), "a:1:b")).isFalse();
        assertThatThrownBy(() -> person.forceRelease("", "a:1:b")).isInstanceOf(IllegalArgumentException.class);
        person.close();
        assertThatThrownBy(() -> person.forceRelease(bench().name(), "a:1:b"))
                .isInstanceOf(ClientClosedException.class);
    }

    private List<String> holders(Holdfast client) {
        return client.inspect(bench().name()).get(0).holders().stream()
                .map(LockInfo.Party::owner)
                .toList();
    }
}
