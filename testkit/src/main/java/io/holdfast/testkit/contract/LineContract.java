package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.spi.Capability;
import io.holdfast.testkit.Faults;
import io.holdfast.testkit.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The threads of one client stand in a line, and pass the lock on among themselves for a while. */
interface LineContract extends Contract {

    /** A client whose threads pass the lock on for as long as they may, on a machine however slow. */
    private Holdfast client(Duration handOver) {
        return bench().client(builder -> builder.options(
                LockOptions.builder().lease(Bench.LONG).handOver(handOver).build()));
    }

    /** Threads that wait in the line of one client, each of them seen to be waiting before the next comes. */
    private List<Actor<Long>> waiters(Holdfast client, int count) {
        List<Actor<Long>> actors = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Actor<Long> actor = bench().start(() -> {
                try (Lease lease = client.lock(bench().name()).acquire(Bench.PATIENCE)) {
                    return lease.token();
                }
            });
            bench().until(actor::rests);
            actors.add(actor);
        }
        return actors;
    }

    @Test
    @Faults(49)
    default void line_isServedInTheOrderOfArrival_withTokensThatRise() throws InterruptedException {
        Holdfast client = client(LockOptions.MAX_HAND_OVER);
        Lease first = client.lock(bench().name()).acquire(Bench.PATIENCE);
        List<Actor<Long>> waiters = waiters(client, 6);

        assertThat(first.release()).isTrue();

        List<Long> tokens = new ArrayList<>(List.of(first.token()));
        waiters.forEach(waiter -> tokens.add(waiter.join()));
        assertThat(tokens).doesNotHaveDuplicates().isSorted();
    }

    /** However many they are: one request for the first, one that brings the tokens, one release at the end. */
    @Test
    @Faults(44)
    default void lockThatIsPassedOn_costsNoRequest() throws InterruptedException {
        Holdfast client = client(LockOptions.MAX_HAND_OVER);
        Lease first = client.lock(bench().name()).acquire(Bench.PATIENCE);
        List<Actor<Long>> waiters = waiters(client, 12);
        bench().store().forgetCalls();

        first.release();
        waiters.forEach(Actor::join);

        assertThat(bench().store().count(Operation.ACQUIRE)).isLessThan(4);
        assertThat(bench().store().count(Operation.RELEASE)).isLessThan(4);
    }

    @Test
    default void lockThatIsNotToBePassedOn_goesThroughTheStoreEachTime() throws InterruptedException {
        Holdfast client = client(Duration.ZERO);
        Lease first = client.lock(bench().name()).acquire(Bench.PATIENCE);
        List<Actor<Long>> waiters = waiters(client, 5);
        bench().store().forgetCalls();

        first.release();
        waiters.forEach(Actor::join);

        assertThat(bench().store().count(Operation.ACQUIRE)).isGreaterThanOrEqualTo(5);
        assertThat(bench().store().count(Operation.RELEASE)).isGreaterThanOrEqualTo(6);
    }

    @Test
    @Tag("race")
    @Faults(49)
    default void lineThatNeverEnds_givesOthersTheirTurn() throws InterruptedException {
        bench().needs(Capability.FIRST_COME);
        Holdfast busy = bench().client();
        AtomicBoolean over = new AtomicBoolean();
        List<Actor<Integer>> actors = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            DistributedLock lock = busy.lock(bench().name());
            actors.add(bench().start(() -> {
                int turns = 0;
                do {
                    lock.lock();
                    turns++;
                    lock.unlock();
                } while (!over.get());
                return turns;
            }));
        }
        DistributedLock other = bench().lock();
        for (int turn = 0; turn < 20; turn++) {
            assertThat(other.tryLock(Duration.ofSeconds(10)))
                    .as("turn %d", turn)
                    .isTrue();
            assertThat(other.unlock()).isTrue();
        }
        over.set(true);

        actors.forEach(actor -> assertThat(actor.join()).isPositive());
    }

    /** The one in front talks to the store for all; when it gives up, its place in the store's queue is the next one's. */
    @Test
    @Faults({45, 49})
    default void placeInTheQueue_staysWithTheLine() throws InterruptedException {
        bench().needs(Capability.FIRST_COME);
        DistributedLock holder = bench().lock();
        holder.lock();
        Holdfast client = bench().client();
        List<String> served = new CopyOnWriteArrayList<>();
        Actor<Boolean> impatient = bench().impatient(client.lock(bench().name()), Duration.ofMillis(700));
        Actor<Boolean> heir = bench().start(() -> {
            DistributedLock lock = client.lock(bench().name());
            lock.lock();
            served.add("heir");
            return lock.unlock();
        });
        bench().until(heir::rests);
        // On a busy machine it may have come too late to inherit the place, and has to have one before the next comes.
        bench().awaitWaiting(1);
        DistributedLock rival = bench().lock();
        Actor<Boolean> later = bench().start(() -> {
            rival.lock();
            served.add("later");
            return rival.unlock();
        });
        bench().awaitWaitingEver(2);
        assertThat(impatient.join()).isFalse();
        bench().awaitWaitingEver(3);

        holder.unlock();

        assertThat(heir.join()).isTrue();
        assertThat(later.join()).isTrue();
        assertThat(served).containsExactly("heir", "later");
    }

    @Test
    @Faults(47)
    default void oneInTheLineThatIsInterrupted_isPassedOver() throws InterruptedException {
        Holdfast client = client(LockOptions.MAX_HAND_OVER);
        Lease first = client.lock(bench().name()).acquire(Bench.PATIENCE);
        List<Actor<Long>> waiters = waiters(client, 3);

        waiters.get(1).interrupt();
        assertThat(waiters.get(1).failure()).isInstanceOf(InterruptedException.class);
        first.release();

        assertThat(waiters.get(0).join()).isLessThan(waiters.get(2).join());
    }

    @Test
    default void oneInTheLineWhoseTimeIsOver_isPassedOver() throws InterruptedException {
        Holdfast client = bench().client();
        Lease first = client.lock(bench().name()).acquire(Bench.PATIENCE);
        assertThat(client.lock(bench().name()).tryAcquire(Duration.ofMillis(30)))
                .isEmpty();
        CompletionStage<Lease> next = client.lock(bench().name()).acquireAsync(Bench.PATIENCE);

        first.release();

        assertThat(next.toCompletableFuture().join().release()).isTrue();
    }

    /** Whoever holds the lock loses it: the next in the line asks the store, and does not take it over. */
    @Test
    @Faults(32)
    default void lossOfTheHolder_letsTheLineGoOn() throws InterruptedException {
        Holdfast client = bench().client(Bench.KEPT);
        Lease first = client.lock(bench().name()).acquire(Bench.PATIENCE);
        List<Actor<Long>> waiters = waiters(client, 2);

        bench().expire();

        Loss loss = first.lost().toCompletableFuture().join();
        assertThat(loss.cause()).isEqualTo(Loss.Cause.GONE);
        assertThat(waiters.get(0).join()).isGreaterThan(first.token());
        assertThat(waiters.get(1).join()).isGreaterThan(first.token());
    }

    /** What the store cannot be asked is not passed on either once the last grant is old. */
    @Test
    @Faults(32)
    default void lockThatIsGone_isNotPassedOnWhenTheStoreWasAskedLongAgo() throws InterruptedException {
        Holdfast client = bench().client();
        Lease first = client.lock(bench().name()).acquire(Bench.PATIENCE);
        List<Actor<Long>> waiters = waiters(client, 1);
        bench().within(Duration.ofMillis(20), () -> false);

        bench().expire();

        assertThat(first.release()).isFalse();
        assertThat(waiters.get(0).join()).isGreaterThan(first.token());
    }

    /** A lease of a length of its own, or one that is not renewed, begins in the store. */
    @Test
    default void leasesOfDifferentLength_areNotPassedOn() throws InterruptedException {
        Holdfast client = client(LockOptions.MAX_HAND_OVER);
        Lease first = client.lock(bench().name()).acquire(Bench.PATIENCE);
        DistributedLock shorter = client.lock(
                bench().name(), options -> options.lease(Duration.ofSeconds(5)).handOver(LockOptions.MAX_HAND_OVER));
        Actor<Duration> waiter = bench().start(() -> {
            try (Lease lease = shorter.acquire(Bench.PATIENCE)) {
                return lease.remaining();
            }
        });
        bench().until(waiter::rests);

        first.release();

        assertThat(waiter.join()).isLessThanOrEqualTo(Duration.ofSeconds(5));
    }

    @Test
    @Tag("race")
    @Faults({15, 16, 45})
    default void linesOfTwoClients_withTimeOutsAndLostAnswers_neverLetTwoIn() {
        List<Holdfast> clients = List.of(bench().client(), bench().client());
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger obtained = new AtomicInteger();
        List<Actor<Boolean>> actors = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            DistributedLock lock = clients.get(i % 2).lock(bench().name());
            Duration wait = i < 4 ? Bench.PATIENCE : Duration.ofMillis(2);
            actors.add(bench().start(() -> {
                boolean alone = true;
                for (int round = 0; round < 80; round++) {
                    if (round % 20 == 7) {
                        bench().store().loseNextReply(round % 40 == 7 ? Operation.RELEASE : Operation.ACQUIRE);
                    }
                    try {
                        if (lock.tryLock(wait)) {
                            alone &= inside.incrementAndGet() == 1;
                            obtained.incrementAndGet();
                            inside.decrementAndGet();
                            alone &= lock.unlock();
                        }
                    } catch (io.holdfast.StoreUnavailableException lostAnswer) {
                        // Said in time that the store did not answer: as it should be.
                    }
                }
                return alone;
            }));
        }
        actors.forEach(actor -> assertThat(actor.join()).isTrue());
        // An answer that was to be lost may not have been asked for.
        bench().store().restore();

        assertThat(obtained).hasPositiveValue();
        bench().awaitNobodyWaiting();
        bench().until(bench()::isFree);
    }
}
