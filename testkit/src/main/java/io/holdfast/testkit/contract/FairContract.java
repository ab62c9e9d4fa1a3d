package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.Capability;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A fair lock is served strictly in the order of coming, whichever client a thread belongs to. */
interface FairContract extends Contract {

    /** Threads of these clients in turn, each of them seen to wait in the store before the next comes. */
    private List<Actor<Boolean>> waiters(List<Holdfast> clients, int count, List<Integer> served) {
        List<Actor<Boolean>> waiters = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int place = i;
            DistributedLock lock = clients.get(i % clients.size()).fairLock(bench().name());
            waiters.add(bench().start(() -> {
                lock.lock();
                served.add(place);
                return lock.unlock();
            }));
            bench().awaitWaiting(i + 1);
        }
        return waiters;
    }

    /** With one ticket for each client the second thread of the first would come before the first of the second. */
    @Test
    @Faults(49)
    default void threadsOfTwoClients_areServedInTheOrderOfTheirComing() {
        bench().needs(Capability.FIRST_COME);
        DistributedLock holder = bench().lock();
        holder.lock();
        List<Integer> served = new CopyOnWriteArrayList<>();
        List<Holdfast> clients = List.of(bench().client(), bench().client());
        List<Actor<Boolean>> waiters = waiters(clients, 8, served);

        holder.unlock();

        waiters.forEach(waiter -> assertThat(waiter.join()).isTrue());
        assertThat(served).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    }

    /** They may pass it on among themselves, but not past one of another client that came between. */
    @Test
    @Faults(49)
    default void threadsOfOneClientInARow_areServedInTheOrderOfTheirComing() {
        bench().needs(Capability.FIRST_COME);
        Holdfast one = bench().client();
        Holdfast other = bench().client();
        DistributedLock holder = one.fairLock(bench().name());
        holder.lock();
        List<Integer> served = new CopyOnWriteArrayList<>();
        List<Actor<Boolean>> waiters = waiters(List.of(one, one, one, other, one, one, other, other), 8, served);

        holder.unlock();

        waiters.forEach(waiter -> assertThat(waiter.join()).isTrue());
        assertThat(served).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        bench().until(() -> bench().isFree());
    }

    @Test
    @Faults(45)
    default void waiterInTheMiddleThatGivesUp_isSkipped() {
        bench().needs(Capability.FIRST_COME);
        Holdfast client = bench().client();
        DistributedLock holder = bench().lock();
        holder.lock();
        List<Integer> served = new CopyOnWriteArrayList<>();
        List<Actor<Boolean>> first = waiters(List.of(client), 1, served);
        Actor<Boolean> impatient = bench().impatient(client.fairLock(bench().name()), Duration.ofMillis(300));
        Actor<Boolean> last = bench().start(() -> {
            DistributedLock lock = client.fairLock(bench().name());
            lock.lock();
            served.add(9);
            return lock.unlock();
        });
        bench().awaitWaitingEver(3);
        assertThat(impatient.join()).isFalse();

        holder.unlock();

        assertThat(first.get(0).join()).isTrue();
        assertThat(last.join()).isTrue();
        assertThat(served).containsExactly(0, 9);
    }

    /** However it is asked for, it is one lock, and one hold of its thread. */
    @Test
    default void fairLock_isTheLockOfThatName() {
        bench().needs(Capability.FIRST_COME);
        Holdfast client = bench().client();
        DistributedLock plain = client.lock(bench().name());
        DistributedLock fair = client.fairLock(bench().name());

        assertThat(fair.tryLock()).isTrue();
        assertThat(plain.tryLock()).as("re-enters").isTrue();
        assertThat(plain.getHoldCount()).isEqualTo(2);
        Actor<Boolean> other = bench().start(plain::tryLock);
        assertThat(other.join()).isFalse();
        assertThat(plain.unlock()).isTrue();
        assertThat(fair.unlock()).isTrue();
        assertThat(bench().isFree()).isTrue();
    }

    @Test
    default void leases_ofAFairLock_areLeasesLikeAnyOther() throws InterruptedException {
        bench().needs(Capability.FIRST_COME);
        Holdfast client = bench().client();
        long before;
        try (Lease first = client.fairLock(bench().name()).acquire(Bench.PATIENCE)) {
            before = first.token();
            assertThat(client.fairLock(bench().name()).tryAcquire()).isEmpty();
        }
        Lease second = client.fairLock(bench().name())
                .acquireAsync(Bench.PATIENCE)
                .toCompletableFuture()
                .join();
        assertThat(second.token()).isGreaterThan(before);
        assertThat(second.release()).isTrue();
    }

    @Test
    @Tag("race")
    @Faults(49)
    default void fairAndPlain_mixed_excludeEachOther() {
        bench().needs(Capability.FIRST_COME);
        List<Holdfast> clients = List.of(bench().client(), bench().client());
        AtomicInteger inside = new AtomicInteger();
        List<Actor<Boolean>> actors = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Holdfast client = clients.get(i % 2);
            DistributedLock lock = i < 3 ? client.fairLock(bench().name()) : client.lock(bench().name());
            actors.add(bench().start(() -> {
                boolean alone = true;
                for (int round = 0; round < 40; round++) {
                    lock.lock();
                    alone &= inside.incrementAndGet() == 1;
                    inside.decrementAndGet();
                    alone &= lock.unlock();
                }
                return alone;
            }));
        }
        actors.forEach(actor -> assertThat(actor.join()).isTrue());
    }
}
