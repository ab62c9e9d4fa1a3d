package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.Capability;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.Origin;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What people are told who look at a lock. */
interface InspectionContract extends Contract {

    @Test
    default void holder_isToldWithTokenAgeAndThread() throws InterruptedException {
        Holdfast client = bench().client();
        try (Lease lease = client.lock(bench().name()).acquire(Duration.ZERO)) {
            LockInfo lock = only(client);

            assertThat(lock.holders()).singleElement().satisfies(holder -> {
                assertThat(lock.owner()).hasValue(holder.owner());
                assertThat(holder.token()).hasValue(lease.token());
                holder.age().ifPresent(age -> assertThat(age).isBetween(Duration.ZERO, Bench.PATIENCE));
                assertThat(holder.since().isPresent()).isEqualTo(holder.age().isPresent());
                assertThat(holder.thread()).hasValue(threadId());
            });
            assertThat(lock.remaining()).isBetween(Duration.ZERO, Bench.LONG);
            assertThat(lock.line()).isEmpty();
        }
        assertThat(client.inspect(bench().name())).isEmpty();
    }

    @SuppressWarnings("deprecation") // threadId() came with 19; getId() is the same number
    private static long threadId() {
        return Thread.currentThread().getId();
    }

    @Test
    default void thoseWhoShare_areToldEach() throws InterruptedException {
        bench().needs(Capability.SHARING);
        Holdfast client = bench().client();
        try (Lease one = client.readWriteLock(bench().name()).readLock().acquire(Duration.ZERO);
                Lease two = client.readWriteLock(bench().name()).readLock().acquire(Duration.ZERO)) {
            LockInfo lock = only(client);

            assertThat(lock.owner()).isEmpty();
            assertThat(lock.holders()).extracting(LockInfo.Party::owner).isEqualTo(lock.sharedBy());
            assertThat(lock.holders().stream().map(holder -> holder.token().orElseThrow()))
                    .containsExactlyInAnyOrder(one.token(), two.token());
        }
    }

    @Test
    default void holderAndWaiter_areToldWithWhereTheyRun() throws InterruptedException {
        bench().needs(Capability.ORIGINS);
        Holdfast holder = bench().client(builder -> builder.application("the holder"));
        Holdfast waiter = bench().client(builder -> builder.application("订单"));
        Lease lease = holder.lock(bench().name()).acquire(Duration.ZERO);
        Actor<Boolean> waits = bench().waiter(waiter.lock(bench().name()));

        // A store may write it down in the background.
        bench().until(() -> applications(only(holder).holders()).equals(List.of("the holder"))
                && applications(only(holder).line()).equals(List.of("订单")));

        Origin origin = only(holder).holders().get(0).origin().orElseThrow();
        assertThat(origin.processId()).isEqualTo(ProcessHandle.current().pid());
        assertThat(origin.host()).isNotBlank();
        assertThat(only(waiter).line().get(0).origin().map(Origin::host)).hasValue(origin.host());
        assertThat(lease.release()).isTrue();
        assertThat(waits.join()).isTrue();
    }

    @Test
    default void clientThatDoesNotTell_isUnknown_andItsLocksAreToldAllTheSame() throws InterruptedException {
        Holdfast client = bench().client(builder -> builder.holderInfo(false));
        try (Lease lease = client.lock(bench().name()).acquire(Duration.ZERO)) {
            LockInfo.Party holder = only(client).holders().get(0);
            assertThat(holder.origin()).isEmpty();
            assertThat(holder.token()).hasValue(lease.token());
        }
    }

    @Test
    default void thoseWhoWait_areToldInOrderWithHowLong() throws InterruptedException {
        bench().needs(Capability.FIRST_COME);
        Holdfast client = bench().client();
        Lease lease = client.lock(bench().name()).acquire(Duration.ZERO);
        Actor<Boolean> first = bench().waiter(bench().lock());
        DistributedLock later = bench().lock();
        Actor<Boolean> second = bench().waiter(later);

        LockInfo lock = only(client);
        assertThat(lock.line()).extracting(LockInfo.Party::owner).isEqualTo(lock.waiters());
        assertThat(lock.line()).hasSize(2);
        List<Duration> ages = lock.line().stream()
                .map(LockInfo.Party::age)
                .flatMap(Optional::stream)
                .toList();
        assertThat(ages).isSortedAccordingTo(Comparator.reverseOrder());
        assertThat(ages).allMatch(age -> !age.isNegative() && age.compareTo(Bench.PATIENCE) < 0);
        assertThat(lock.line()).allMatch(waiter -> waiter.token().isEmpty());
        assertThat(lease.release()).isTrue();
        assertThat(first.join()).isTrue();
        assertThat(second.join()).isTrue();
    }

    private LockInfo only(Holdfast client) {
        List<LockInfo> found = client.inspect(bench().name());
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    private static List<String> applications(List<LockInfo.Party> parties) {
        return parties.stream()
                .map(LockInfo.Party::origin)
                .flatMap(Optional::stream)
                .map(Origin::application)
                .toList();
    }
}
