package io.holdfast.testkit.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.Hold;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import io.holdfast.Loss;
import io.holdfast.OnLoss;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreFailure;
import io.holdfast.testkit.Faults;
import io.holdfast.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store that says, unasked, that it has given the lock: when that is enough, and when it is asked all the same. */
class PushedGrantTest {
    private static final Duration GRANT = Duration.ofSeconds(2);

    private final ManualClock clock = new ManualClock();
    private final PushingStore store = new PushingStore();
    private final List<String> stalls = new CopyOnWriteArrayList<>();
    private final Holdfast locks = Holdfast.builder()
            .platform(clock.platform())
            .listener(new LockListener() {
                @Override
                public void stalled(Hold hold, String detail) {
                    stalls.add(detail);
                }
            })
            .store(context -> {
                store.context = context;
                return store;
            })
            .build();

    @AfterEach
    void close() {
        locks.close();
    }

    /** One whose ticket stands in the store. */
    private CompletableFuture<Lease> waiting() {
        CompletableFuture<Lease> waiter =
                locks.lock("a").acquireAsync(Duration.ofSeconds(60)).toCompletableFuture();
        clock.advance(Duration.ZERO);
        assertThat(store.asks).hasSize(1);
        return waiter;
    }

    private void push(String owner, Duration age) {
        store.events()
                .granted(new PushedGrant(
                        "a",
                        owner,
                        7,
                        1,
                        GRANT,
                        clock.nanoTime() - age.toNanos(),
                        clock.wallMillis() - age.toMillis()));
        clock.advance(Duration.ZERO);
    }

    @Test
    void youngGrant_isHeldWithoutAsking() {
        CompletableFuture<Lease> waiter = waiting();

        push(store.asks.get(0).owner(), Duration.ofMillis(1));

        assertThat(waiter.join().token()).isEqualTo(7);
        assertThat(waiter.join().isValid()).isTrue();
        assertThat(waiter.join().remaining()).isLessThan(GRANT);
        assertThat(store.asks).hasSize(1);
    }

    @Test
    void youngGrant_hasItsFullLeaseSoon() {
        CompletableFuture<Lease> waiter = waiting();
        push(store.asks.get(0).owner(), Duration.ofMillis(1));

        clock.advance(Duration.ofMillis(20));

        assertThat(store.renewals).hasSize(1);
        assertThat(waiter.join().remaining()).isGreaterThan(Duration.ofSeconds(29));
    }

    @Test
    void sectionThatIsShort_needsNoRenewal() {
        CompletableFuture<Lease> waiter = waiting();
        push(store.asks.get(0).owner(), Duration.ofMillis(1));

        CompletableFuture<Boolean> released =
                CompletableFuture.supplyAsync(() -> waiter.join().release());
        assertThat(released.join()).isTrue();
        clock.advance(Duration.ofSeconds(1));

        assertThat(store.renewals).isEmpty();
        assertThat(store.asks).hasSize(1);
    }

    /** Nobody knows how long the message was under way, beyond what the store could tell. */
    @Test
    @Faults(9)
    void oldGrant_isAskedFor() {
        CompletableFuture<Lease> waiter = waiting();

        push(store.asks.get(0).owner(), Duration.ofMillis(1_500));

        assertThat(waiter).isNotDone();
        assertThat(store.asks).hasSize(2);
    }

    @Test
    void leaseThatIsNotRenewed_isAskedFor_sinceAGrantIsShorter() {
        CompletableFuture<Lease> waiter = locks.lock("a", o -> o.renewal(false))
                .acquireAsync(Duration.ofSeconds(60))
                .toCompletableFuture();
        clock.advance(Duration.ZERO);

        push(store.asks.get(0).owner(), Duration.ofMillis(1));

        assertThat(waiter).isNotDone();
        assertThat(store.asks).hasSize(2);
    }

    /** If it had ended the wait, the answer would have been undone, and the lock with it. */
    @Test
    void grantThatComesWhileARequestIsUnderWay_leavesTheAnswerToCount() {
        CompletableFuture<Lease> waiter = waiting();
        CompletableFuture<AcquireReply> answer = new CompletableFuture<>();
        store.next = answer;
        store.events().wake("a", store.asks.get(0).owner());
        clock.advance(Duration.ZERO);
        assertThat(store.asks).hasSize(2);

        push(store.asks.get(0).owner(), Duration.ofMillis(1));
        assertThat(waiter).isNotDone();
        answer.complete(new AcquireReply.Granted(7, 1));
        clock.advance(Duration.ZERO);

        assertThat(waiter.join().isValid()).isTrue();
        assertThat(store.releases).isEmpty();
    }

    /** The answer was given before the lock was. */
    @Test
    void grantThatOvertakesTheAnswerThatItIsQueued_isHeldWithoutAskingAgain() {
        CompletableFuture<Lease> waiter = waiting();
        CompletableFuture<AcquireReply> answer = new CompletableFuture<>();
        store.next = answer;
        store.events().wake("a", store.asks.get(0).owner());
        clock.advance(Duration.ZERO);

        push(store.asks.get(0).owner(), Duration.ofMillis(1));
        answer.complete(new AcquireReply.Queued(Duration.ofSeconds(20), true));
        clock.advance(Duration.ZERO);

        assertThat(waiter.join().isValid()).isTrue();
        assertThat(store.asks).hasSize(2);
        assertThat(store.releases).isEmpty();
    }

    /** A pause could last as long as what was given. */
    @Test
    @Faults({14, 45})
    void grantThatComesWhileARequestIsUnderWay_isAskedForAtOnceIfThatFails() {
        CompletableFuture<Lease> waiter = waiting();
        CompletableFuture<AcquireReply> answer = new CompletableFuture<>();
        store.next = answer;
        store.events().wake("a", store.asks.get(0).owner());
        clock.advance(Duration.ZERO);
        push(store.asks.get(0).owner(), Duration.ofMillis(1));

        store.next = CompletableFuture.completedFuture(new AcquireReply.Granted(7, 1));
        answer.completeExceptionally(StoreFailure.unavailable("out of order", null));
        clock.advance(Duration.ZERO);

        assertThat(waiter.join().token()).isEqualTo(7);
        assertThat(store.asks).hasSize(3);
    }

    /** What was given was taken away by force before the answer came, which is the store's last word: it stands in line. */
    @Test
    @Faults(45)
    void grantThatWasTakenAwayWhileARequestIsUnderWay_isAskedFor() {
        CompletableFuture<Lease> waiter = waiting();
        String owner = store.asks.get(0).owner();
        CompletableFuture<AcquireReply> answer = new CompletableFuture<>();
        store.next = answer;
        store.events().wake("a", owner);
        clock.advance(Duration.ZERO);
        push(owner, Duration.ofMillis(1));
        store.events().expelled("a", owner, "by a person");
        clock.advance(Duration.ZERO);

        store.next = null;
        answer.complete(new AcquireReply.Queued(Duration.ofSeconds(20), true));
        clock.advance(Duration.ZERO);

        assertThat(waiter).isNotDone();
        assertThat(store.asks).hasSize(3);
    }

    /** An async caller's grant is looked at by the worker, which may be busy. */
    @Test
    @Faults(45)
    void grantThatWasTakenAwayBeforeAnybodyLookedAtIt_isAskedFor() {
        CompletableFuture<Lease> waiter = waiting();
        String owner = store.asks.get(0).owner();
        CountDownLatch busy = new CountDownLatch(1);
        store.hangs = busy;
        locks.fairLock("b").acquireAsync(Duration.ofSeconds(60));
        await().until(() -> store.asks.size() == 2);
        push(owner, Duration.ofMillis(1));
        store.events().expelled("a", owner, "by a person");
        store.hangs = null;

        busy.countDown();

        await().until(() -> store.asks.size() == 3);
        assertThat(waiter).isNotDone();
    }

    @Test
    void grantForAnotherId_changesNothing() {
        CompletableFuture<Lease> waiter = waiting();

        push("somebody:1:x", Duration.ofMillis(1));

        assertThat(waiter).isNotDone();
        assertThat(store.asks).hasSize(1);
    }

    @Test
    void grantThatComesTwice_isTakenOnce() {
        CompletableFuture<Lease> waiter = waiting();
        String owner = store.asks.get(0).owner();

        push(owner, Duration.ofMillis(1));
        push(owner, Duration.ofMillis(1));

        assertThat(waiter.join().isValid()).isTrue();
        assertThat(store.releases).isEmpty();
        assertThat(store.asks).hasSize(1);
    }

    // --- with those of the same client that stand behind it

    /** One that stands in the store's queue behind those before it. */
    private CompletableFuture<Lease> inLine(Duration patience, Duration lease) {
        CompletableFuture<Lease> waiter =
                locks.fairLock("a", o -> o.lease(lease)).acquireAsync(patience).toCompletableFuture();
        clock.advance(Duration.ZERO);
        return waiter;
    }

    private CompletableFuture<Lease> inLine() {
        return inLine(Duration.ofSeconds(60), Duration.ofSeconds(30));
    }

    private String id(int place) {
        return store.asks.get(place).owner();
    }

    /** To the first in line, with the second and all others behind it. */
    private void pushToTheFirst(int tokens) {
        store.events()
                .granted(new PushedGrant(
                        "a",
                        id(0),
                        7,
                        tokens,
                        GRANT,
                        clock.nanoTime(),
                        clock.wallMillis(),
                        store.asks.stream().skip(1).map(AcquireRequest::owner).toList()));
        clock.advance(Duration.ZERO);
    }

    private boolean release(CompletableFuture<Lease> holder) {
        CompletableFuture<Boolean> released =
                CompletableFuture.supplyAsync(() -> holder.join().release());
        return released.orTimeout(10, TimeUnit.SECONDS).join();
    }

    @Test
    void thoseBehind_haveItOneAfterTheOther_withoutAWordToTheStore() {
        List<CompletableFuture<Lease>> line = List.of(inLine(), inLine(), inLine());
        pushToTheFirst(3);

        for (int i = 0; i < 3; i++) {
            assertThat(line.get(i).join().token()).isEqualTo(7 + i);
            assertThat(line.get(i).join().isValid()).isTrue();
            assertThat(store.releases).isEmpty();
            assertThat(release(line.get(i))).isTrue();
        }

        assertThat(store.asks).hasSize(3);
        assertThat(store.releases)
                .as("the tickets of those who were served, then the lock")
                .containsExactly(id(1), id(2), id(0));
    }

    /** Each renewal is answered when the next of the row has the lock already: to the store they are one holder. */
    @Test
    @Faults(5)
    void rowOfShortSections_isHeldForLongerThanTheGrant() {
        List<CompletableFuture<Lease>> line = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            line.add(inLine(Duration.ofSeconds(600), Duration.ofSeconds(30)));
        }
        store.answersLater = true;
        pushToTheFirst(64);

        for (CompletableFuture<Lease> holder : line) {
            clock.advance(Duration.ofMillis(40));
            assertThat(holder.join().isValid()).isTrue();
            List<CompletableFuture<List<RenewReply>>> late = List.copyOf(store.later);
            store.later.clear();
            assertThat(release(holder)).isTrue();
            late.forEach(answer -> answer.complete(List.of(new RenewReply.Renewed())));
        }

        assertThat(store.renewals).isNotEmpty();
    }

    /** To the store they are one holder, also if it has no such holder any more: whoever has the lock by then is told. */
    @Test
    @Faults({5, 32})
    void rowWhoseLockIsGone_isToldToWhoeverHasItWhenTheAnswerComes() {
        List<CompletableFuture<Lease>> line = List.of(inLine(), inLine(), inLine());
        store.answersLater = true;
        pushToTheFirst(3);
        clock.advance(Duration.ofMillis(30));
        assertThat(store.renewals).hasSize(1);
        assertThat(release(line.get(0))).isTrue();
        Lease second = line.get(1).join();
        assertThat(second.isValid()).isTrue();

        store.later.get(0).complete(List.of(new RenewReply.Gone()));
        clock.advance(Duration.ZERO);

        assertThat(second.isValid()).isFalse();
        assertThat(second.lost()).isCompletedWithValueMatching(loss -> loss.cause() == Loss.Cause.GONE);
        assertThat(release(line.get(1))).isFalse();
        assertThat(line.get(2)).as("asks the store").isNotDone();
    }

    /** One that is not known here may be of a copy of this process, with the same ids, and then it comes first. */
    @Test
    @Faults(45)
    void oneBehindThatGaveUp_leavesTheRestToTheStore() {
        CompletableFuture<Lease> first = inLine();
        CompletableFuture<Lease> impatient = inLine(Duration.ofSeconds(1), Duration.ofSeconds(30));
        CompletableFuture<Lease> last = inLine();
        pushToTheFirst(3);
        clock.advance(Duration.ofMillis(1_100));
        assertThat(impatient).isCompletedExceptionally();

        assertThat(release(first)).isTrue();

        assertThat(store.releases).containsExactly(id(1), id(0));
        assertThat(last).isNotDone();
    }

    /** It would have another lease than it asked for. */
    @Test
    void oneBehindWithOtherTerms_isLeftToTheStore() {
        CompletableFuture<Lease> first = inLine();
        CompletableFuture<Lease> other = inLine(Duration.ofSeconds(60), Duration.ofSeconds(10));
        CompletableFuture<Lease> last = inLine();
        pushToTheFirst(3);

        assertThat(release(first)).isTrue();

        assertThat(store.releases).containsExactly(id(0));
        assertThat(other).isNotDone();
        assertThat(last).isNotDone();
    }

    @Test
    void moreBehindThanThereAreTokens_areLeftToTheStore() {
        CompletableFuture<Lease> first = inLine();
        CompletableFuture<Lease> second = inLine();
        CompletableFuture<Lease> third = inLine();
        pushToTheFirst(2);

        assertThat(release(first)).isTrue();
        assertThat(release(second)).isTrue();

        assertThat(store.releases).containsExactly(id(1), id(0));
        assertThat(third).isNotDone();
    }

    /** Otherwise their tickets would be given the lock, one after the other, and nobody would take it. */
    @Test
    @Faults(2)
    void leaseThatIsLost_takesTheTicketsOfThoseWhoWereServedWithIt() {
        CompletableFuture<Lease> first = inLine();
        CompletableFuture<Lease> second = inLine();
        CompletableFuture<Lease> third = inLine();
        pushToTheFirst(3);
        assertThat(release(first)).isTrue();
        store.gone = true;

        clock.advance(Duration.ofSeconds(1));

        assertThat(second.join().isValid()).isFalse();
        assertThat(store.releases).containsExactly(id(1));
        assertThat(third).as("still has its place").isNotDone();
    }

    @Test
    @Faults(14)
    void releaseThatFails_isSaidAgainForAllOfThem() {
        CompletableFuture<Lease> first = inLine();
        CompletableFuture<Lease> second = inLine();
        pushToTheFirst(2);
        assertThat(release(first)).isTrue();
        store.broken = true;

        assertThat(release(second)).isTrue();
        clock.advance(Duration.ZERO);
        store.broken = false;
        store.releases.clear();
        clock.advance(Duration.ofSeconds(1));

        assertThat(store.releases).containsExactlyInAnyOrder(id(0), id(1));
    }

    @Test
    void closing_takesTheTicketsOfThoseWhoWereServedBack() {
        CompletableFuture<Lease> first = inLine();
        CompletableFuture<Lease> second = inLine();
        pushToTheFirst(2);
        assertThat(release(first)).isTrue();

        locks.close();

        assertThat(second.join().isValid()).isFalse();
        assertThat(store.releases).contains(id(0), id(1));
    }

    // --- with those of the same client that come to stand behind it

    private static AcquireReply behind(String owner) {
        return new AcquireReply.Queued(Duration.ofSeconds(20), true, owner);
    }

    private CompletableFuture<Lease> inLineBehind(String owner) {
        store.next = CompletableFuture.completedFuture(behind(owner));
        return inLine();
    }

    @Test
    void thoseWhoCameLater_haveItOneAfterTheOther_withoutAWordToTheStore() {
        CompletableFuture<Lease> first = inLine();
        pushToTheFirst(3);
        CompletableFuture<Lease> second = inLineBehind(id(0));
        CompletableFuture<Lease> third = inLineBehind(id(1));
        CompletableFuture<Lease> fourth = inLineBehind(id(2));

        assertThat(release(first)).isTrue();
        assertThat(second.join().token()).isEqualTo(8);
        assertThat(release(second)).isTrue();
        assertThat(third.join().token()).isEqualTo(9);
        assertThat(store.releases).isEmpty();
        assertThat(release(third)).isTrue();

        assertThat(store.releases).containsExactly(id(1), id(2), id(0));
        assertThat(fourth).as("no token is left").isNotDone();
    }

    @Test
    void oneThatStandsBehindOneOfAnotherClient_isLeftToTheStore() {
        CompletableFuture<Lease> first = inLine();
        pushToTheFirst(3);
        CompletableFuture<Lease> second = inLineBehind("another:1:1");
        CompletableFuture<Lease> third = inLineBehind(id(1));

        assertThat(release(first)).isTrue();

        assertThat(store.releases).containsExactly(id(0));
        assertThat(second).isNotDone();
        assertThat(third).isNotDone();
    }

    /** Others stand behind it, but where it stands itself is not known yet. */
    @Test
    void oneWhosePlaceIsNotKnownYet_isWaitedFor() {
        CompletableFuture<Lease> first = inLine();
        pushToTheFirst(3);
        CompletableFuture<AcquireReply> late = new CompletableFuture<>();
        store.next = late;
        CompletableFuture<Lease> second = inLine();
        CompletableFuture<Lease> third = inLineBehind(id(1));

        assertThat(release(first)).isTrue();
        assertThat(second).isNotDone();
        late.complete(behind(id(0)));

        assertThat(second.join().token()).isEqualTo(8);
        assertThat(release(second)).isTrue();
        assertThat(third.join().token()).isEqualTo(9);
        assertThat(store.releases).isEmpty();
        assertThat(release(third)).isTrue();
    }

    /** Its ticket may have run out meanwhile, and been taken anew behind others. */
    @Test
    @Faults(45)
    void oneThatAsksAgain_standsWhereItIsTold() {
        CompletableFuture<Lease> first = inLine();
        pushToTheFirst(3);
        CompletableFuture<Lease> second = inLineBehind(id(0));
        store.next = null;
        clock.advance(Duration.ofSeconds(20));
        assertThat(store.asks).hasSizeGreaterThan(2);

        assertThat(release(first)).isTrue();

        assertThat(store.releases).containsExactly(id(0));
        assertThat(second).isNotDone();
    }

    @Test
    void oneThatWasPassedTheLockWhileItAsked_leavesItsTicketToTheRelease() throws Exception {
        CompletableFuture<Lease> first = inLine();
        CompletableFuture<AcquireReply> late = new CompletableFuture<>();
        store.next = late;
        AtomicReference<CompletableFuture<Lease>> other = new AtomicReference<>();
        Thread thread = new Thread(() -> other.set(inLine()));
        thread.start();
        thread.join();
        CompletableFuture<Lease> second = requireNonNull(other.get());
        pushToTheFirst(2);
        assertThat(release(first)).isTrue();
        assertThat(second.join().token()).isEqualTo(8);

        late.complete(behind(id(0)));
        clock.advance(Duration.ofSeconds(1));
        assertThat(store.releases).isEmpty();
        assertThat(stalls).as("it has the lock, and does not wait for it").isEmpty();
        assertThat(release(second)).isTrue();

        assertThat(store.releases).containsExactly(id(1), id(0));
    }

    /** What the release took back may have been put there once more by the request. */
    @Test
    @Faults(16)
    void oneThatIsAnsweredAfterTheRelease_takesItsTicketBackItself() {
        CompletableFuture<Lease> first = inLine();
        CompletableFuture<AcquireReply> late = new CompletableFuture<>();
        store.next = late;
        CompletableFuture<Lease> second = inLine();
        pushToTheFirst(2);
        assertThat(release(first)).isTrue();
        assertThat(release(second)).isTrue();
        store.releases.clear();

        late.complete(behind(id(0)));
        clock.advance(Duration.ofSeconds(1));

        assertThat(store.releases).containsExactly(id(1));
    }

    /** One behind the first, whose thread is amid a request that hangs until the latch is counted down. */
    private <T> CompletableFuture<T> amidARequest(CountDownLatch hangs, Callable<T> call) {
        store.hangs = hangs;
        CompletableFuture<T> outcome = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                outcome.complete(call.call());
            } catch (Throwable e) {
                outcome.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        await().until(() -> store.asks.size() == 2);
        return outcome;
    }

    /** The first passes the lock on to it, the store does not know that any more, and then it looks up and asks again. */
    private void passesOnWhatIsLost(CompletableFuture<Lease> first, CountDownLatch answered) {
        pushToTheFirst(2);
        assertThat(release(first)).isTrue();
        store.gone = true;
        clock.advance(Duration.ofSeconds(3));
        store.gone = false;
        answered.countDown();
    }

    /** It has asked again, and is given it. */
    private void givesToWhoAsksAgain() {
        await().until(() -> store.asks.size() == 3);
        clock.awaitWaiting(1);
        push(id(2), Duration.ZERO);
    }

    /** What is passed to a thread that does not look up is over when it does. */
    @Test
    @Faults({2, 52})
    void leaseThatWasLostBeforeItsCallerLookedUp_isNotReturned_butAskedForAgain() {
        CompletableFuture<Lease> first = inLine();
        CountDownLatch answered = new CountDownLatch(1);
        CompletableFuture<Lease> second =
                amidARequest(answered, () -> locks.fairLock("a").acquire(Duration.ofSeconds(60)));

        passesOnWhatIsLost(first, answered);
        givesToWhoAsksAgain();

        assertThat(second.orTimeout(10, TimeUnit.SECONDS).join().isValid()).isTrue();
        assertThat(id(2)).isNotEqualTo(id(1));
        assertThat(store.releases).as("nothing of the first attempt is left").contains(id(0));
    }

    /** The interrupt would tell of a loss that it never hears of. */
    @Test
    @Faults({2, 46})
    void leaseThatWasLostBeforeItsCallerLookedUp_interruptsNobody() {
        CompletableFuture<Lease> first = inLine();
        CountDownLatch answered = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = amidARequest(answered, () -> {
            assertThat(locks.fairLock("a", o -> o.onLoss(OnLoss.INTERRUPT)).tryLock(Duration.ofSeconds(60)))
                    .isTrue();
            return Thread.interrupted();
        });

        passesOnWhatIsLost(first, answered);
        givesToWhoAsksAgain();

        assertThat(interrupted.orTimeout(10, TimeUnit.SECONDS).join()).isFalse();
    }

    @Test
    @Faults({2, 50})
    void leaseThatWasLostBeforeItsCallerLookedUp_withNoTimeLeft_isAFailureOfTheStore() {
        CompletableFuture<Lease> first = inLine();
        CountDownLatch answered = new CountDownLatch(1);
        CompletableFuture<Lease> second =
                amidARequest(answered, () -> locks.fairLock("a").acquire(Duration.ofSeconds(2)));

        passesOnWhatIsLost(first, answered);

        assertThatThrownBy(() -> second.orTimeout(10, TimeUnit.SECONDS).join())
                .hasCauseInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("it was lost before its caller could be told")
                .hasMessageContaining("lock 'a'");
        assertThat(store.asks).hasSize(2);
    }

    // --- permits, of which several may be out

    /** One that stands in the store's queue for so many permits. */
    private CompletableFuture<Lease> forPermits(int weight, int permits) {
        CompletableFuture<Lease> waiter = locks.semaphore("a", permits)
                .asLock(weight)
                .acquireAsync(Duration.ofSeconds(60))
                .toCompletableFuture();
        clock.advance(Duration.ZERO);
        return waiter;
    }

    private CompletableFuture<Lease> forPermit() {
        return forPermits(1, 2);
    }

    private CompletableFuture<Lease> forPermitBehind(String owner) {
        store.next = CompletableFuture.completedFuture(behind(owner));
        CompletableFuture<Lease> waiter = forPermit();
        store.next = null;
        return waiter;
    }

    /** The store gives a permit, or says so, to one behind whom these stand. */
    private void give(int place, long token, int... places) {
        List<String> standing = new ArrayList<>();
        for (int other : places) {
            standing.add(id(other));
        }
        store.events()
                .granted(new PushedGrant(
                        "a", id(place), token, 64, GRANT, clock.nanoTime(), clock.wallMillis(), standing));
        clock.advance(Duration.ZERO);
    }

    @Test
    @Faults({49, 56})
    void permit_goesToThoseBehind_withoutAWordToTheStore() {
        List<CompletableFuture<Lease>> line = List.of(forPermit(), forPermit(), forPermit());
        give(0, 7, 1, 2);

        for (int i = 0; i < 3; i++) {
            assertThat(line.get(i).join().token()).isEqualTo(7 + i);
            assertThat(line.get(i).join().isValid()).isTrue();
            assertThat(store.releases).isEmpty();
            assertThat(release(line.get(i))).isTrue();
        }

        assertThat(store.releases).containsExactly(id(1), id(2), id(0));
    }

    /** Whichever comes free goes to whoever is next, under one of its own tokens. */
    @Test
    @Faults({49, 56})
    void severalPermits_goToOneLine_whicheverComesFree() {
        List<CompletableFuture<Lease>> line =
                List.of(forPermit(), forPermit(), forPermit(), forPermit(), forPermit(), forPermit());
        give(0, 7);
        give(1, 100, 2, 3, 4, 5);

        assertThat(release(line.get(0))).isTrue();
        assertThat(line.get(2).join().token()).isEqualTo(8);
        assertThat(release(line.get(1))).isTrue();
        assertThat(line.get(3).join().token()).isEqualTo(101);
        assertThat(release(line.get(3))).isTrue();
        assertThat(line.get(4).join().token()).isEqualTo(102);
        assertThat(release(line.get(2))).isTrue();
        assertThat(line.get(5).join().token()).isEqualTo(9);
        assertThat(store.releases).isEmpty();

        assertThat(release(line.get(4))).isTrue();
        assertThat(store.releases)
                .as("what comes free would be given to the ticket of whoever was served, so all of them go")
                .containsExactlyInAnyOrder(id(3), id(4), id(2), id(5), id(1))
                .endsWith(id(1));
        store.releases.clear();
        assertThat(release(line.get(5))).isTrue();
        assertThat(store.releases).containsExactly(id(0));
    }

    /** The store cannot know that it was passed one meanwhile. */
    @Test
    @Faults({45, 56})
    void permitForOneThatWasServed_goesToTheNext() {
        CompletableFuture<Lease> first = forPermit();
        CompletableFuture<Lease> second = forPermit();
        CompletableFuture<Lease> third = forPermit();
        give(0, 7, 1, 2);
        assertThat(release(first)).isTrue();
        assertThat(second.join().token()).isEqualTo(8);

        give(1, 100, 2);
        assertThat(third.join().token()).isEqualTo(100);
        assertThat(third.join().isValid()).isTrue();
        assertThat(store.releases).isEmpty();

        assertThat(release(second)).isTrue();
        assertThat(store.releases)
                .as("what the third holds is not taken back as if it were a ticket")
                .containsExactly(id(2), id(0));
        clock.advance(Duration.ofMillis(20));
        assertThat(store.renewals).extracting(RenewItem::owner).containsExactly(id(1));
        assertThat(release(third)).isTrue();
        assertThat(store.releases).containsExactly(id(2), id(0), id(1));
    }

    /** Nobody would renew it meanwhile, and the worker may be amid a request that hangs. */
    @Test
    @Faults({4, 56})
    void permitForAnAsyncCaller_isHeldBeforeTheWorkerGetsToIt() {
        CompletableFuture<Lease> first = forPermit();
        CompletableFuture<Lease> second = forPermit();
        CompletableFuture<Lease> third = forPermit();
        give(0, 7, 1, 2);
        assertThat(release(first)).isTrue();
        assertThat(second.join().token()).isEqualTo(8);

        CountDownLatch hangs = new CountDownLatch(1);
        store.hangs = hangs;
        CompletionStage<Lease> busy = locks.semaphore("a", 2).asLock(1).acquireAsync(Duration.ofSeconds(60));
        try {
            store.events()
                    .granted(new PushedGrant(
                            "a", id(1), 100, 64, GRANT, clock.nanoTime(), clock.wallMillis(), List.of(id(2))));

            assertThat(third).succeedsWithin(Duration.ofSeconds(10));
            assertThat(third.join().token()).isEqualTo(100);
            assertThat(busy.toCompletableFuture()).isNotDone();
        } finally {
            hangs.countDown();
        }
    }

    @Test
    @Faults({45, 56})
    void permitForOneThatWasServed_withNobodyBehind_isGivenBack_withAllSuchTickets() {
        CompletableFuture<Lease> first = forPermit();
        CompletableFuture<Lease> second = forPermit();
        CompletableFuture<Lease> third = forPermit();
        give(0, 7, 1, 2);
        assertThat(release(first)).isTrue();
        assertThat(release(second)).isTrue();

        give(1, 100, 2);
        give(1, 100, 2);

        assertThat(store.releases).containsExactly(id(2), id(1));
        assertThat(third.join().isValid()).isTrue();
        assertThat(release(third)).isTrue();
        assertThat(store.releases).containsExactly(id(2), id(1), id(0));
    }

    @Test
    @Faults({9, 56})
    void permitForOneThatWasServed_ofWhichNobodyKnowsHowOldItIs_isGivenBack() {
        CompletableFuture<Lease> first = forPermit();
        CompletableFuture<Lease> second = forPermit();
        CompletableFuture<Lease> third = forPermit();
        give(0, 7, 1, 2);
        assertThat(release(first)).isTrue();

        store.events().wake("a", id(1));
        clock.advance(Duration.ZERO);

        assertThat(store.releases).containsExactly(id(1));
        assertThat(second.join().isValid()).isTrue();
        assertThat(third).isNotDone();
    }

    /** The answer will be undone, and with it whatever is held under that id. */
    @Test
    @Faults({16, 56})
    void permitForOneThatWasServedWhileItAsked_isNobodys() {
        CompletableFuture<Lease> first = forPermit();
        CompletableFuture<AcquireReply> late = new CompletableFuture<>();
        store.next = late;
        CompletableFuture<Lease> second = forPermit();
        store.next = null;
        CompletableFuture<Lease> third = forPermit();
        give(0, 7, 1, 2);
        assertThat(release(first)).isTrue();
        assertThat(second.join().token()).isEqualTo(8);

        give(1, 100, 2);
        assertThat(third).isNotDone();
        assertThat(store.releases).containsExactly(id(1));
        late.complete(new AcquireReply.Granted(100, 64));
        clock.advance(Duration.ZERO);

        assertThat(store.releases).containsExactly(id(1), id(1));
        assertThat(second.join().isValid()).isTrue();
    }

    /** It has one already, and only waits for an answer that was given before. */
    @Test
    @Faults({16, 56})
    void oneThatTheStoreHasServed_isNotPassedAnother() {
        CompletableFuture<Lease> first = forPermit();
        CompletableFuture<AcquireReply> late = new CompletableFuture<>();
        store.next = late;
        CompletableFuture<Lease> second = forPermit();
        store.next = null;
        CompletableFuture<Lease> third = forPermit();
        give(0, 7, 1, 2);
        give(1, 100, 2);

        assertThat(release(first)).isTrue();
        assertThat(third.join().token()).isEqualTo(8);
        late.complete(behind(id(0)));
        clock.advance(Duration.ZERO);

        assertThat(second.join().token()).isEqualTo(100);
        assertThat(store.releases).isEmpty();
    }

    /** Its ticket, if it stayed, would stop those behind it who want one, while one is free. */
    @Test
    @Faults({49, 56})
    void oneThatWantsSeveral_isLeftToTheStore_andSoIsOneThatMeansAnotherNumber() {
        CompletableFuture<Lease> first = forPermit();
        CompletableFuture<Lease> second = forPermit();
        CompletableFuture<Lease> greedy = forPermits(2, 2);
        CompletableFuture<Lease> other = forPermits(1, 3);
        CompletableFuture<Lease> last = forPermit();
        give(0, 7, 2, 4);
        give(1, 100, 3, 4);

        assertThat(release(first)).isTrue();
        assertThat(store.releases).containsExactly(id(0));
        give(2, 200, 4);
        assertThat(greedy.join().token()).isEqualTo(200);
        assertThat(release(greedy)).isTrue();
        assertThat(store.releases).containsExactly(id(0), id(2));
        give(3, 300, 4);
        assertThat(release(other)).isTrue();

        assertThat(store.releases).containsExactly(id(0), id(2), id(3));
        assertThat(second.join().isValid()).isTrue();
        assertThat(last).isNotDone();
    }

    /** Nobody is before it, so it has the next permit, whoever gives it back. */
    @Test
    @Faults({49, 56})
    void firstInTheQueue_hasWhateverComesFree_andThoseBehindItFollow() {
        CompletableFuture<Lease> first = forPermit();
        give(0, 7);
        CompletableFuture<Lease> second = forPermitBehind(AcquireReply.Queued.FIRST);
        CompletableFuture<Lease> third = forPermitBehind(id(1));

        assertThat(release(first)).isTrue();
        assertThat(second.join().token()).isEqualTo(8);
        assertThat(release(second)).isTrue();
        assertThat(third.join().token()).isEqualTo(9);
        assertThat(store.releases).isEmpty();
    }

    /** To its holder, which waits for nothing, there is nothing else to tell. */
    @Test
    @Faults(56)
    void permitOfASemaphoreThatHasFewerNow_goesBackToTheStore() {
        CompletableFuture<Lease> first = forPermit();
        CompletableFuture<Lease> second = forPermit();
        give(0, 7, 1);

        store.events().wake("a", id(0));
        clock.advance(Duration.ZERO);

        assertThat(first.join().isValid()).isTrue();
        assertThat(release(first)).isTrue();
        assertThat(store.releases).containsExactly(id(0));
        assertThat(second).isNotDone();
    }

    /** Whoever waits asks then; for those who were served, nobody would. */
    @Test
    @Faults({27, 56})
    void messagesThatMayHaveBeenMissed_areMadeUpForByGivingBackWhatTheServedWereGiven() {
        CompletableFuture<Lease> first = forPermit();
        CompletableFuture<Lease> second = forPermit();
        give(0, 7, 1);
        assertThat(release(first)).isTrue();

        store.events().wakeAll();
        clock.advance(Duration.ZERO);

        assertThat(store.releases).containsExactly(id(1));
        assertThat(release(second)).isTrue();
        assertThat(store.releases).containsExactly(id(1), id(0));
    }

    @Test
    @Faults({2, 56})
    void permitThatIsLost_takesItsOwnTicketsWithIt_andNoOthers() {
        List<CompletableFuture<Lease>> line = List.of(forPermit(), forPermit(), forPermit(), forPermit());
        give(0, 7);
        clock.advance(Duration.ofMillis(30));
        give(1, 100, 2, 3);
        assertThat(release(line.get(0))).isTrue();
        store.gone = true;
        clock.advance(Duration.ofMillis(25));
        store.gone = false;
        assertThat(line.get(1).join().isValid()).isFalse();
        assertThat(line.get(2).join().isValid()).isTrue();
        assertThat(store.releases).isEmpty();

        assertThat(release(line.get(2))).isTrue();
        assertThat(line.get(3).join().token()).isEqualTo(9);
    }
}
