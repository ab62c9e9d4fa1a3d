package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.ClientClosedException;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.Loss;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Capability;
import io.holdfast.testkit.Faults;
import io.holdfast.testkit.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Several locks are had together, or none of them is. */
interface JointContract extends Contract {

    /** Names of this test, in their order; the last but one is the test's own lock. */
    private List<String> names() {
        String own = bench().name();
        return List.of(own + "!", own + "#", own, own + "~");
    }

    private static DistributedLock all(Holdfast client, List<String> names) {
        return client.allOf(names.stream().map(client::lock).toList());
    }

    private DistributedLock all(Holdfast client) {
        return all(client, names());
    }

    private boolean isFree(String name) {
        try (Holdfast client = bench().client()) {
            return client.lock(name).tryAcquire().map(Lease::release).orElse(false);
        }
    }

    private void awaitAllFree(List<String> names) {
        bench().until(() -> names.stream().allMatch(this::isFree));
    }

    private List<String> others() {
        return names().stream().filter(name -> !name.equals(bench().name())).toList();
    }

    @Test
    @Faults(57)
    default void allOf_takesAllAndGivesAllBack() throws InterruptedException {
        DistributedLock all = all(bench().client());

        Lease lease = all.acquire(Bench.PATIENCE);

        assertThat(lease.isValid()).isTrue();
        assertThat(lease.remaining()).isPositive();
        assertThat(names()).noneMatch(this::isFree);
        assertThat(lease.release()).isTrue();
        assertThat(names()).allMatch(this::isFree);
        assertThat(lease.release()).as("a second time").isFalse();
    }

    @Test
    @Faults(57)
    default void allOf_hasATokenForEachMember() throws InterruptedException {
        Lease before = bench().lock().acquire(Bench.PATIENCE);
        assertThat(before.release()).isTrue();

        try (Lease lease = all(bench().client()).acquire(Bench.PATIENCE)) {
            assertThat(names().stream().map(lease::token)).doesNotHaveDuplicates();
            assertThat(lease.token(bench().name())).isGreaterThan(before.token());
            assertThatThrownBy(lease::token)
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("token(lockName)");
            assertThatThrownBy(() -> lease.token("another"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another");
        }
        assertThat(bench().nextToken()).isGreaterThan(before.token());
    }

    @Test
    @Faults(57)
    default void oneBusy_andNoneIsTaken() throws InterruptedException {
        DistributedLock all = all(bench().client());
        Lease busy = bench().lock().acquire(Bench.PATIENCE);

        assertThat(all.tryLock()).isFalse();
        assertThat(all.tryAcquire()).isEmpty();

        awaitAllFree(others());
        assertThat(busy.release()).isTrue();
        assertThat(all.tryLock()).isTrue();
        assertThat(all.unlock()).isTrue();
    }

    @Test
    @Faults(57)
    default void oneBusy_isWaitedFor() throws InterruptedException {
        DistributedLock all = all(bench().client());
        Lease busy = bench().lock().acquire(Bench.PATIENCE);
        Actor<Boolean> waiter = bench().waiter(all);

        assertThat(busy.release()).isTrue();

        assertThat(waiter.join()).isTrue();
        awaitAllFree(names());
    }

    @Test
    @Faults({45, 57})
    default void timeOut_leavesNothingBehind() throws InterruptedException {
        DistributedLock all = all(bench().client());
        Lease busy = bench().lock().acquire(Bench.PATIENCE);

        assertThat(all.tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
        assertThatThrownBy(() -> all.acquire(Duration.ofMillis(50)))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining(names().get(0));

        awaitAllFree(others());
        assertThat(busy.release()).isTrue();
        awaitAllFree(names());
    }

    @Test
    @Faults({46, 57})
    default void interrupt_leavesNothingBehind() throws InterruptedException {
        DistributedLock all = all(bench().client());
        Lease busy = bench().lock().acquire(Bench.PATIENCE);
        Actor<Boolean> waiter = bench().start(() -> {
            assertThatThrownBy(all::lockInterruptibly).isInstanceOf(InterruptedException.class);
            return all.isHeldByCurrentThread();
        });
        bench().awaitWaiting(1);

        waiter.interrupt();

        assertThat(waiter.join()).isFalse();
        awaitAllFree(others());
        assertThat(busy.release()).isTrue();
        awaitAllFree(names());
    }

    @Test
    @Faults({47, 57})
    default void closedWhileWaiting_leavesNothingBehind() throws InterruptedException {
        Holdfast client = bench().client();
        DistributedLock all = all(client);
        Lease busy = bench().lock().acquire(Bench.PATIENCE);
        Actor<Boolean> waiter = bench().start(() -> {
            assertThatThrownBy(all::lock).isInstanceOf(ClientClosedException.class);
            return all.isHeldByCurrentThread();
        });
        bench().awaitWaiting(1);

        client.close();

        assertThat(waiter.join()).isFalse();
        awaitAllFree(others());
        assertThat(busy.release()).isTrue();
        awaitAllFree(names());
    }

    @Test
    @Faults({47, 57})
    default void closedWhileHeld_leavesNothingBehind() throws InterruptedException {
        Holdfast client = bench().client();
        Lease lease = all(client).acquire(Bench.PATIENCE);

        client.close();

        assertThat(lease.lost().toCompletableFuture().join().cause()).isEqualTo(Loss.Cause.CLIENT_CLOSED);
        awaitAllFree(names());
    }

    /** Whoever takes them in the order in which they were given could wait for another who does the same, for ever. */
    @Test
    @Faults(57)
    default void oppositeOrders_doNotWaitForEachOther() {
        List<String> names = names();
        List<String> reversed = new ArrayList<>(names);
        Collections.reverse(reversed);
        int[] counter = new int[1];
        List<Actor<Boolean>> actors = new ArrayList<>();
        for (List<String> order : List.of(names, reversed, names, reversed)) {
            DistributedLock all = all(bench().client(), order);
            actors.add(bench().start(() -> {
                boolean safe = true;
                for (int i = 0; i < 25; i++) {
                    all.lock();
                    counter[0]++;
                    safe &= all.unlock();
                }
                return safe;
            }));
        }

        assertThat(actors).allMatch(Actor::join);
        assertThat(counter[0]).isEqualTo(100);
    }

    @Test
    @Faults(57)
    default void overlappingSets_doNotWaitForEachOther() {
        List<String> names = names();
        int[] counters = new int[names.size()];
        List<Actor<Boolean>> actors = new ArrayList<>();
        for (int skipped = 0; skipped < names.size(); skipped++) {
            int without = skipped;
            int[] mine =
                    IntStream.range(0, names.size()).filter(i -> i != without).toArray();
            DistributedLock some = all(
                    bench().client(), IntStream.of(mine).mapToObj(names::get).toList());
            actors.add(bench().start(() -> {
                boolean safe = true;
                for (int i = 0; i < 20; i++) {
                    some.lock();
                    for (int member : mine) {
                        counters[member]++;
                    }
                    safe &= some.unlock();
                }
                return safe;
            }));
        }

        assertThat(actors).allMatch(Actor::join);
        assertThat(counters).containsOnly(60);
    }

    @Test
    @Faults(57)
    default void allKinds_goTogether() throws InterruptedException {
        bench().needs(Capability.SHARING);
        List<String> names = names();
        Holdfast client = bench().client();
        Holdfast other = bench().client();
        DistributedLock all = client.allOf(
                client.semaphore(names.get(3), 3).asLock(2),
                client.readWriteLock(names.get(2)).readLock(),
                client.readWriteLock(names.get(1)).writeLock(),
                client.fairLock(names.get(0)));

        try (Lease lease = all.acquire(Bench.PATIENCE)) {
            assertThat(lease.isValid()).isTrue();
            assertThat(other.fairLock(names.get(0)).tryAcquire()).isEmpty();
            assertThat(other.readWriteLock(names.get(1)).readLock().tryAcquire())
                    .isEmpty();
            assertThat(other.readWriteLock(names.get(2)).writeLock().tryAcquire())
                    .isEmpty();
            assertThat(other.readWriteLock(names.get(2)).readLock().tryAcquire().map(Lease::release))
                    .contains(true);
            assertThat(other.semaphore(names.get(3), 3).tryAcquire(2)).isEmpty();
            assertThat(other.semaphore(names.get(3), 3).tryAcquire(1).map(Lease::release))
                    .contains(true);
        }
        assertThat(names).allMatch(this::isFree);
    }

    @Test
    @Faults({6, 57})
    default void oneMemberLost_andAllIsLost() throws InterruptedException {
        Lease lease = all(bench().client(Bench.KEPT)).acquire(Bench.PATIENCE);

        bench().expire();

        Loss loss = lease.lost()
                .toCompletableFuture()
                .orTimeout(Bench.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
        assertThat(loss.cause()).isEqualTo(Loss.Cause.GONE);
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThatThrownBy(lease::ensureValid)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("'" + bench().name() + "'");
        assertThatThrownBy(lease::close)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("'" + bench().name() + "'");
        assertThat(lease.release()).isFalse();
        awaitAllFree(names());
    }

    @Test
    @Faults({52, 57})
    default void allOf_isReentrantMemberByMember() {
        Holdfast client = bench().client();
        DistributedLock one = client.lock(bench().name());
        DistributedLock all = all(client);
        one.lock();

        assertThat(all.tryLock()).isTrue();
        assertThat(all.tryLock()).isTrue();
        assertThat(all.getHoldCount()).isEqualTo(2);
        assertThat(one.getHoldCount()).isEqualTo(3);
        assertThat(all.unlock()).isTrue();
        assertThat(all.unlock()).isTrue();

        assertThat(one.isHeldByCurrentThread()).isTrue();
        assertThat(all.isHeldByCurrentThread()).isFalse();
        assertThat(others()).allMatch(this::isFree);
        assertThat(all.unlock()).as("not all of them are held").isFalse();
        assertThat(one.isHeldByCurrentThread())
                .as("and what is held is left alone")
                .isTrue();
        assertThat(one.unlock()).isTrue();
        assertThat(one.unlock()).isFalse();
    }

    @Test
    @Faults({52, 57})
    default void restNotToBeHad_leavesTheCountAlone() throws InterruptedException {
        Holdfast client = bench().client();
        DistributedLock mine = client.lock(names().get(0));
        mine.lock();
        Lease busy = bench().lock().acquire(Bench.PATIENCE);

        assertThat(all(client).tryLock()).isFalse();
        assertThat(all(client).tryLock(Duration.ofMillis(30))).isFalse();

        assertThat(mine.getHoldCount()).isEqualTo(1);
        assertThat(mine.unlock()).isTrue();
        assertThat(busy.release()).isTrue();
        awaitAllFree(names());
    }

    @Test
    @Faults({15, 57})
    default void answerLost_isAskedForAgain() {
        DistributedLock all = all(bench().client());
        bench().store().loseNextReply(Operation.ACQUIRE);

        all.lock();

        assertThat(all.isHeldByCurrentThread()).isTrue();
        assertThat(all.unlock()).isTrue();
        awaitAllFree(names());
    }

    @Test
    @Faults({19, 57})
    default void answerToTheReleaseLost_leavesNothingBehind() {
        DistributedLock all = all(bench().client());
        all.lock();
        bench().store().loseNextReply(Operation.RELEASE);

        assertThat(all.unlock()).isTrue();

        awaitAllFree(names());
    }

    @Test
    @Faults({22, 57})
    default void storeOutOfReach_isAnErrorAndLeavesNothingBehind() {
        Holdfast client = bench().client();
        DistributedLock all = all(client);
        bench().store().cutOff();

        assertThatThrownBy(all::tryLock).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> all.tryLock(Duration.ofMillis(50))).isInstanceOf(StoreUnavailableException.class);
        bench().store().restore();

        awaitAllFree(names());
    }

    @Test
    @Faults(57)
    default void oneRefused_isNamedAndLeavesNothingBehind() throws InterruptedException {
        bench().needs(Capability.SHARING);
        String own = bench().name();
        Holdfast client = bench().client();
        DistributedLock all = all(client);
        Lease permit = bench().client().semaphore(own, 2).acquire(Bench.PATIENCE);

        assertThatThrownBy(all::tryLock)
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("'" + own + "'");
        assertThatThrownBy(() -> all.tryLock(Bench.PATIENCE))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("'" + own + "'");

        awaitAllFree(others());
        assertThat(permit.release()).isTrue();
    }

    @Test
    @Faults(57)
    default void whatCannotGoTogether_isRefused() {
        bench().needs(Capability.SHARING);
        Holdfast client = bench().client();
        Holdfast other = bench().client();
        String own = bench().name();

        assertThatThrownBy(client::allOf)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no lock");
        assertThatThrownBy(() -> client.allOf(client.lock("a"), other.lock(own)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + own + "'");
        assertThatThrownBy(() -> client.allOf(
                        client.readWriteLock(own).readLock(),
                        client.readWriteLock(own).writeLock()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + own + "'")
                .hasMessageContaining("READ")
                .hasMessageContaining("WHOLE");
        assertThat(bench().store().count(Operation.ACQUIRE)).isZero();
    }

    @Test
    @Faults(57)
    default void sameLockTwice_andNested_isOne() {
        Holdfast client = bench().client();
        DistributedLock one = client.lock(bench().name());
        DistributedLock all = client.allOf(one, client.allOf(one, client.lock(names().get(0))), one);

        assertThat(all.tryLock()).isTrue();

        assertThat(one.getHoldCount()).isEqualTo(1);
        assertThat(all.unlock()).isTrue();
    }

    @Test
    @Faults({45, 57})
    default void asyncCancelled_leavesNothingBehind() throws InterruptedException {
        DistributedLock all = all(bench().client());
        Lease busy = bench().lock().acquire(Bench.PATIENCE);
        CompletableFuture<Lease> pending = all.acquireAsync(Bench.PATIENCE).toCompletableFuture();
        bench().awaitWaiting(1);

        assertThat(pending.cancel(false)).isTrue();

        awaitAllFree(others());
        assertThat(busy.release()).isTrue();
        awaitAllFree(names());
        Lease lease = all.acquireAsync(Bench.PATIENCE).toCompletableFuture().join();
        assertThat(lease.release()).isTrue();
    }

    @Test
    @Faults(57)
    default void allOf_isExtendedAndRenewedTogether() throws InterruptedException {
        Lease lease = all(bench().client(Bench.KEPT)).acquire(Bench.PATIENCE);

        bench().until(() -> bench().store().count(Operation.RENEW) >= 2 * names().size());
        assertThat(lease.isValid()).isTrue();
        lease.extend(Duration.ofSeconds(60));

        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(50));
        assertThat(lease.release()).isTrue();
    }

    @Test
    @Faults(57)
    default void asLock_throwsForTheMemberThatWasLost() {
        DistributedLock all = all(bench().client());
        all.asLock().lock();
        bench().expire();

        assertThatThrownBy(() -> all.asLock().unlock())
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("'" + bench().name() + "'");
        assertThatThrownBy(() -> all.asLock().unlock()).isInstanceOf(IllegalMonitorStateException.class);
        awaitAllFree(names());
    }

    /** More than are asked for in one go. */
    @Test
    @Faults(57)
    default void manyNames_areTakenAndWaitedFor() throws InterruptedException {
        List<String> many = IntStream.range(0, 150)
                .mapToObj(i -> bench().name() + (i == 100 ? "" : String.format("+%03d", i)))
                .toList();
        Holdfast client = bench().client();
        DistributedLock all = all(client, many);
        Lease busy = bench().lock().acquire(Bench.PATIENCE);
        assertThat(all.tryLock()).isFalse();
        Actor<Boolean> waiter = bench().start(() -> {
            try (Lease lease = all.acquire(Bench.PATIENCE)) {
                return lease.isValid();
            }
        });
        bench().awaitWaiting(1);

        assertThat(busy.release()).isTrue();

        assertThat(waiter.join()).isTrue();
        assertThat(all.tryLock()).isTrue();
        assertThat(client.inspect(bench().name() + "*"))
                .filteredOn(lock -> lock.owner().isPresent())
                .hasSize(150);
        assertThat(all.unlock()).isTrue();
    }
}
