package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreRefusedException;
import io.holdfast.spi.Capability;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Never more permits out than there are, and none that do not come back. */
interface SemaphoreContract extends Contract {

    private DistributedSemaphore semaphore(int permits) {
        bench().needs(Capability.SHARING);
        return bench().client().semaphore(bench().name(), permits);
    }

    /** Whether all of them can be had at once, asked from another client; nothing is changed by it. */
    private boolean areAllBack(int permits) {
        try (Holdfast client = bench().client()) {
            return client.semaphore(bench().name(), permits)
                    .tryAcquire(permits)
                    .map(Lease::release)
                    .orElse(false);
        }
    }

    @Test
    @Faults(56)
    default void permits_areGivenOutAsLongAsThereAreAny() {
        DistributedSemaphore one = semaphore(3);
        DistributedSemaphore other = semaphore(3);
        Lease first = one.tryAcquire().orElseThrow();
        Lease second = other.tryAcquire(2).orElseThrow();

        assertThat(one.tryAcquire()).isEmpty();
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(second.release()).isTrue();
        assertThat(one.tryAcquire(3)).as("all or none").isEmpty();
        assertThat(one.tryAcquire(2).map(Lease::release)).contains(true);
        assertThat(first.release()).isTrue();
    }

    @Test
    @Faults(56)
    default void waitForAPermit_endsWithItOrWithNothing() throws Exception {
        DistributedSemaphore semaphore = semaphore(1);
        Lease held = semaphore.acquire(Bench.PATIENCE);

        assertThat(semaphore.tryAcquire(Bench.SHORT)).isEmpty();
        assertThat(semaphore
                        .tryAcquireAsync(1, Bench.SHORT)
                        .toCompletableFuture()
                        .get())
                .isEmpty();

        assertThat(held.release()).isTrue();
        assertThat(semaphore.tryAcquire(Bench.PATIENCE).map(Lease::release)).contains(true);
        assertThat(semaphore
                        .tryAcquireAsync(1, Bench.PATIENCE)
                        .toCompletableFuture()
                        .get()
                        .map(Lease::release))
                .contains(true);
    }

    @Test
    @Faults({51, 56})
    default void permit_givenBackTwice_isRefused() {
        DistributedSemaphore semaphore = semaphore(1);
        Lease permit = semaphore.tryAcquire().orElseThrow();
        assertThat(permit.release()).isTrue();

        assertThat(permit.release()).isFalse();

        Lease next = semaphore.tryAcquire().orElseThrow();
        assertThat(permit.release()).isFalse();
        assertThat(semaphore.tryAcquire()).isEmpty();
        assertThat(next.release()).isTrue();
    }

    /** Those who want few would overtake it for ever. */
    @Test
    @Faults({49, 56})
    default void waiterForSeveral_isNotOvertaken() throws InterruptedException {
        bench().needs(Capability.FIRST_COME);
        DistributedSemaphore semaphore = semaphore(2);
        Lease one = semaphore.acquire(Bench.PATIENCE);
        Lease two = semaphore.acquire(Bench.PATIENCE);
        List<String> served = new CopyOnWriteArrayList<>();
        Actor<Boolean> greedy = bench().start(() -> {
            try (Lease both = semaphore.acquire(2, Bench.PATIENCE)) {
                served.add("both");
                return both.isValid();
            }
        });
        bench().awaitWaiting(1);
        Actor<Boolean> modest = bench().start(() -> {
            try (Lease single = semaphore.acquire(Bench.PATIENCE)) {
                served.add("single");
                return single.isValid();
            }
        });
        bench().awaitWaiting(2);

        assertThat(one.release()).isTrue();
        assertThat(bench().within(Duration.ofMillis(100), () -> !served.isEmpty()))
                .isFalse();
        assertThat(two.release()).isTrue();

        assertThat(greedy.join()).isTrue();
        assertThat(modest.join()).isTrue();
        assertThat(served).containsExactly("both", "single");
    }

    /** They may pass it on among themselves, but not past one of another client that came between. */
    @Test
    @Faults({49, 56})
    default void threadsOfTwoClients_haveThePermitInTheOrderOfTheirComing() {
        bench().needs(Capability.FIRST_COME);
        bench().needs(Capability.SHARING);
        Holdfast one = bench().client();
        Holdfast other = bench().client();
        List<Integer> served = new CopyOnWriteArrayList<>();
        List<Actor<Boolean>> waiters = new ArrayList<>();
        Lease held = one.semaphore(bench().name(), 1).tryAcquire().orElseThrow();
        for (Holdfast client : List.of(one, one, one, other, one, one, other, other)) {
            int number = waiters.size();
            waiters.add(bench().start(() -> {
                try (Lease permit = client.semaphore(bench().name(), 1).acquire(Bench.PATIENCE)) {
                    served.add(number);
                    return permit.isValid();
                }
            }));
            bench().awaitWaiting(number + 1);
        }

        assertThat(held.release()).isTrue();

        waiters.forEach(waiter -> assertThat(waiter.join()).isTrue());
        assertThat(served).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        bench().until(() -> areAllBack(1));
    }

    /** However they are passed on, each is held once, under a token of its own, and comes back in the end. */
    @Test
    @Faults({49, 56})
    default void crowdOfTwoClients_neverHasMoreThanThereAre() {
        bench().needs(Capability.SHARING);
        Holdfast one = bench().client();
        Holdfast other = bench().client();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Long> tokens = new CopyOnWriteArrayList<>();
        List<Actor<Boolean>> crowd = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            DistributedSemaphore semaphore = (i % 3 == 0 ? other : one).semaphore(bench().name(), 3);
            crowd.add(bench().start(() -> {
                boolean safe = true;
                for (int turn = 0; turn < 40; turn++) {
                    Lease permit = semaphore.acquire(Bench.PATIENCE);
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    tokens.add(permit.token());
                    inside.decrementAndGet();
                    safe &= permit.release();
                }
                return safe;
            }));
        }

        crowd.forEach(actor -> assertThat(actor.join()).isTrue());

        assertThat(most.get()).isLessThanOrEqualTo(3);
        assertThat(tokens).hasSize(320).doesNotHaveDuplicates();
        bench().until(() -> areAllBack(3));
    }

    /** One release of several lets in as many as fit. */
    @Test
    @Faults(56)
    default void releaseOfSeveral_letsSeveralIn() throws InterruptedException {
        DistributedSemaphore semaphore = semaphore(3);
        Lease all = semaphore.acquire(3, Bench.PATIENCE);
        AtomicInteger inside = new AtomicInteger();
        List<Actor<Boolean>> waiters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiters.add(bench().start(() -> {
                try (Lease permit = semaphore.acquire(Bench.PATIENCE)) {
                    inside.incrementAndGet();
                    bench().until(() -> inside.get() == 3);
                    return permit.isValid();
                }
            }));
            bench().awaitWaiting(i + 1);
        }

        assertThat(all.release()).isTrue();

        waiters.forEach(waiter -> assertThat(waiter.join()).isTrue());
    }

    @Test
    @Faults(56)
    default void permitsOfADeadHolder_comeBack() throws InterruptedException {
        bench().needs(Capability.SHARING);
        DistributedSemaphore dead = bench().client()
                .semaphore(bench().name(), 2, o -> o.lease(Bench.SHORT).renewal(false));
        Lease lost = dead.acquire(2, Bench.PATIENCE);

        Lease next = semaphore(2).acquire(2, Bench.PATIENCE);

        assertThat(lost.isValid()).isFalse();
        assertThat(lost.release()).isFalse();
        assertThat(next.isValid()).isTrue();
        assertThat(next.release()).isTrue();
    }

    @Test
    @Faults(56)
    default void clientThatMeansAnotherNumber_isToldSo() throws InterruptedException {
        Lease permit = semaphore(3).acquire(Bench.PATIENCE);
        DistributedSemaphore other = semaphore(5);

        assertThatThrownBy(other::tryAcquire)
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("a semaphore of 3 permits")
                .hasMessageContaining("one of 5");
        assertThatThrownBy(() -> bench().lock().tryLock())
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("a semaphore of 3 permits")
                .hasMessageContaining("a lock");

        assertThat(permit.release()).isTrue();
        assertThat(other.tryAcquire(5).map(Lease::release))
                .as("nobody holds any more")
                .contains(true);
    }

    @Test
    @Faults(56)
    default void setPermits_toMore_letsThoseInWhoWait() throws InterruptedException {
        DistributedSemaphore semaphore = semaphore(1);
        Lease first = semaphore.acquire(Bench.PATIENCE);
        Actor<Boolean> waiter = bench().start(() -> {
            try (Lease permit = semaphore.acquire(Bench.PATIENCE)) {
                return permit.isValid();
            }
        });
        bench().awaitWaiting(1);

        assertThat(semaphore.setPermits(2)).isTrue();

        assertThat(waiter.join()).isTrue();
        assertThatThrownBy(semaphore::tryAcquire).isInstanceOf(StoreRefusedException.class);
        assertThat(semaphore(2).tryAcquire().map(Lease::release)).contains(true);
        assertThat(first.release()).isTrue();
    }

    @Test
    @Faults(56)
    default void setPermits_toFewer_takesNothingAway() throws InterruptedException {
        DistributedSemaphore semaphore = semaphore(3);
        Lease two = semaphore.acquire(2, Bench.PATIENCE);
        Lease third = semaphore.acquire(Bench.PATIENCE);

        assertThat(semaphore.setPermits(2)).isTrue();

        assertThat(two.isValid()).isTrue();
        assertThat(third.isValid()).isTrue();
        DistributedSemaphore fewer = semaphore(2);
        assertThat(third.release()).isTrue();
        assertThat(fewer.tryAcquire()).isEmpty();
        assertThat(two.release()).isTrue();
        assertThat(fewer.tryAcquire(2).map(Lease::release)).contains(true);
    }

    @Test
    default void setPermits_ofWhatNobodyHolds_saysSo() {
        assertThat(semaphore(3).setPermits(5)).isFalse();
    }

    @Test
    default void wrongNumbers_areRefusedBeforeAnythingIsSent() {
        DistributedSemaphore semaphore = semaphore(3);
        assertThatThrownBy(() -> semaphore(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("permits 0 is less than 1")
                .hasMessageContaining(bench().name());
        assertThatThrownBy(() -> semaphore.tryAcquire(4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("permits 4 is not between 1 and the 3 there are");
        assertThatThrownBy(() -> semaphore.tryAcquire(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Faults(45)
    default void waitThatEnds_leavesNothing() throws InterruptedException {
        DistributedSemaphore semaphore = semaphore(1);
        Lease permit = semaphore.acquire(Bench.PATIENCE);

        assertThatThrownBy(() -> semaphore.acquire(Duration.ofMillis(50))).isInstanceOf(LockTimeoutException.class);
        assertThat(semaphore.tryAcquire(1, Duration.ofMillis(50))).isEmpty();

        assertThat(permit.release()).isTrue();
        assertThat(semaphore
                        .acquireAsync(1, Bench.PATIENCE)
                        .toCompletableFuture()
                        .join()
                        .release())
                .isTrue();
        assertThat(semaphore.tryAcquireAsync(1).toCompletableFuture().join().map(Lease::release))
                .contains(true);
    }

    @Test
    @Tag("race")
    @Faults(56)
    default void permitsOut_underContention_areNeverMoreThanThereAre() {
        int permits = 3;
        AtomicInteger out = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Actor<Boolean>> actors = new ArrayList<>();
        List<DistributedSemaphore> semaphores = List.of(semaphore(permits), semaphore(permits));
        for (int i = 0; i < 6; i++) {
            DistributedSemaphore semaphore = semaphores.get(i % 2);
            int wanted = 1 + i % permits;
            actors.add(bench().start(() -> {
                boolean safe = true;
                for (int round = 0; round < 40; round++) {
                    Lease lease = semaphore.acquire(wanted, Bench.PATIENCE);
                    most.accumulateAndGet(out.addAndGet(wanted), Math::max);
                    out.addAndGet(-wanted);
                    safe &= lease.release();
                }
                return safe;
            }));
        }
        actors.forEach(actor -> assertThat(actor.join()).isTrue());
        assertThat(most.get()).isLessThanOrEqualTo(permits);
        assertThat(areAllBack(permits)).isTrue();
    }
}
