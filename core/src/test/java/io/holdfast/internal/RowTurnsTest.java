package io.holdfast.internal;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** As {@link LineTurnsTest}, among those who stand in a row in the store's queue: for a write lock, or for permits. */
class RowTurnsTest extends RowFixture {
    private static final int MOST_AGAIN = 31;

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void whatIsGivenUpSoon_goesToTheNextThatComes(int permits) {
        open(permits);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        contend(first, second);
        int requests = store().requests();

        assertThat(first.unlocks()).isTrue();
        assertThat(first.has()).isFalse();
        assertThat(second.has()).isFalse();
        assertThat(second.isCalled()).isTrue();
        second.comes();

        assertThat(second.has()).isTrue();
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(store().requests()).isEqualTo(requests);
        assertThat(second.unlocks()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void threadWhoseTurnItIs_takesItAgain_untilTheNextHasCome(int permits) {
        open(permits);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        contend(first, second);
        int requests = store().requests();
        List<Long> tokens = new ArrayList<>(List.of(first.token()));
        for (int i = 0; i < 5; i++) {
            assertThat(first.unlocks()).isTrue();
            assertThat(first.asks(i % 2 == 0 ? 0 : ofSeconds(9).toNanos()).has())
                    .isTrue();
            tokens.add(first.token());
        }
        second.comes();
        assertThat(second.has()).as("it has come in vain").isFalse();

        assertThat(first.unlocks()).isTrue();
        assertThat(second.has()).as("passed at once to one that has come").isTrue();
        tokens.add(second.token());
        assertThat(tokens).doesNotHaveDuplicates().isSorted();
        assertThat(store().requests()).isEqualTo(requests);

        assertThat(first.asks().has()).isFalse();
        handOver(second, first);
        assertThat(first.unlocks()).isTrue();
    }

    @Test
    void turn_endsAfterItsTime() {
        open(1);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        contend(first, second);
        assertThat(first.unlocks()).isTrue();
        assertThat(first.asks().has()).isTrue();
        assertThat(first.unlocks()).isTrue();
        platform.jump(Procession.TURN_NANOS);

        assertThat(first.asks().has()).isFalse();

        second.comes();
        assertThat(second.has()).isTrue();
        handOver(second, first);
        assertThat(first.unlocks()).isTrue();
    }

    @Test
    void turn_endsAfterSoManyTimes() {
        open(0);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        contend(first, second);
        for (int i = 0; i < MOST_AGAIN; i++) {
            assertThat(first.unlocks()).isTrue();
            assertThat(first.asks(0).has()).as("time %d", i).isTrue();
        }

        assertThat(first.unlocks()).isTrue();

        assertThat(second.has()).as("passed on directly").isTrue();
        assertThat(second.unlocks()).isTrue();
    }

    /** Each who stands in the row is to have a token, so nobody has two; and whoever has the last of them gives it back. */
    @Test
    void withATokenForEach_nobodyTakesItAgain_andNobodyHasMoreThanWereReserved() {
        open(0);
        store().reservesNoMoreThan(3);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        TurnTaker third = taker("third");
        TurnTaker fourth = taker("fourth");
        contend(first, second, third, fourth);
        int requests = store().requests();

        assertThat(first.unlocks()).isTrue();
        assertThat(second.has()).as("passed on directly").isTrue();
        assertThat(second.unlocks()).isTrue();
        assertThat(third.has()).isTrue();
        assertThat(third.token()).isEqualTo(first.token() + 2);
        assertThat(store().requests()).isEqualTo(requests);

        assertThat(third.unlocks()).isTrue();
        assertThat(store().requests()).as("it went back").isGreaterThan(requests);
        platform.settle();
        fourth.comes();
        assertThat(fourth.token()).isGreaterThan(third.token());
        assertThat(fourth.unlocks()).isTrue();
    }

    @Test
    void whatWasHeldForLonger_isPassedOnAtOnce() {
        open(0);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        contend(first, second);
        platform.jump(Procession.TURN_NANOS);

        assertThat(first.unlocks()).isTrue();

        assertThat(second.has()).isTrue();
        assertThat(second.unlocks()).isTrue();
    }

    @Test
    void oneThatWaitsStrictly_isPassedItAtOnce() {
        open(0);
        TurnTaker first = taker("first", Order.STRICT);
        TurnTaker second = taker("second", Order.STRICT);
        contend(first, second);

        assertThat(first.unlocks()).isTrue();

        assertThat(second.has()).isTrue();
        assertThat(first.asks(0).has()).isFalse();
        assertThat(second.unlocks()).isTrue();
    }

    /** It could be called, but its kind of lock promises that nobody has it out of turn. */
    @Test
    void oneThatWantsItStrictly_doesNotTakeItAgain() {
        open(0);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        contend(first, second);
        assertThat(first.unlocks()).isTrue();

        assertThat(taker("first", Order.STRICT).asks(0).has()).isFalse();

        second.comes();
        assertThat(second.unlocks()).isTrue();
    }

    @Test
    void withoutHandOverTime_nobodyTakesItAgain() {
        options = LockOptions.builder().handOver(Duration.ZERO).build();
        open(1);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        contend(first, second);

        assertThat(first.unlocks()).isTrue();

        assertThat(second.has()).isTrue();
        assertThat(second.unlocks()).isTrue();
    }

    @Test
    void threadWhoseTurnItIsNot_standsInTheQueue() {
        open(1);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        TurnTaker third = taker("third");
        contend(first, second);
        assertThat(first.unlocks()).isTrue();

        assertThat(third.asks().has()).isFalse();
        assertThat(taker("fourth").asks(0).has()).isFalse();
        second.comes();

        assertThat(second.has()).isTrue();
        handOver(second, third);
        assertThat(third.unlocks()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void oneThatIsCalledAndLeaves_leavesItToTheNext(int permits) {
        open(permits);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        TurnTaker third = taker("third");
        contend(first, second, third);
        assertThat(first.unlocks()).isTrue();

        second.attempt().abandon();
        platform.settle();
        third.comes();

        assertThat(third.has()).isTrue();
        second.comes();
        assertThat(second.has()).isFalse();
        assertThat(third.unlocks()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void oneThatIsCalledAndLeaves_withNobodyBehind_leavesItToTheStore(int permits) {
        open(permits);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        contend(first, second);
        assertThat(first.unlocks()).isTrue();

        second.attempt().abandon();
        platform.settle();

        TurnTaker third = taker("third").asks(0);
        assertThat(third.has()).isTrue();
        assertThat(third.unlocks()).isTrue();
        second.comes();
    }

    /** It is called between the end of its wait and its leaving, and has to see to what lies ready for it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
    void whatIsLaidReadyForOneThatIsJustLeaving_goesToTheNext(int point) {
        open(1);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        TurnTaker third = taker("third");
        contend(first, second, third);
        platform.arm(point, false, () -> {
            platform.disarm();
            assertThat(first.unlocks()).isTrue();
        });
        second.attempt().abandon();
        platform.disarm();
        if (!platform.hasHappened()) {
            assertThat(first.unlocks()).isTrue();
        }
        platform.settle();
        third.comes();
        platform.settle();
        third.comes();

        assertThat(third.has()).isTrue();
        assertThat(third.unlocks()).isTrue();
        second.comes();
    }

    /** Both permits lie ready, one of the threads has been called: it calls the next. */
    @Test
    void severalThatLieReady_goToThoseWhoCome_oneAfterTheOther() {
        open(2);
        TurnTaker other = taker("other").asks();
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        TurnTaker third = taker("third");
        TurnTaker fourth = taker("fourth");
        contend(first, second, third, fourth);
        assertThat(other.unlocks()).isTrue();
        platform.settle();
        second.comes();
        assertThat(second.has()).isTrue();

        assertThat(first.unlocks()).isTrue();
        assertThat(second.unlocks()).isTrue();
        assertThat(third.isCalled()).isTrue();
        assertThat(fourth.isCalled()).isFalse();
        third.comes();
        assertThat(fourth.isCalled()).isTrue();
        fourth.comes();

        assertThat(third.has()).isTrue();
        assertThat(fourth.has()).isTrue();
        assertThat(third.unlocks()).isTrue();
        assertThat(fourth.unlocks()).isTrue();
    }

    /** Two permits lie ready, and one thread waits: the other permit is nobody's here. */
    @Test
    void moreThatLieReadyThanThereAreThreads_goBackToTheStore() {
        open(2);
        TurnTaker other = taker("other").asks();
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        TurnTaker third = taker("third");
        contend(first, second, third);
        assertThat(other.unlocks()).isTrue();
        platform.settle();
        second.comes();

        assertThat(first.unlocks()).isTrue();
        assertThat(second.unlocks()).isTrue();
        third.comes();
        platform.settle();

        assertThat(third.has()).isTrue();
        TurnTaker late = taker("late").asks(0);
        assertThat(late.has()).isTrue();
        assertThat(late.unlocks()).isTrue();
        assertThat(third.unlocks()).isTrue();
    }

    /** While one permit lies ready for it, the store gives it another. */
    @Test
    void oneThatIsCalled_andIsServedByTheStoreMeanwhile_leavesItToTheNext() {
        open(2);
        TurnTaker other = taker("other").asks();
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        TurnTaker third = taker("third");
        contend(first, second, third);
        assertThat(first.unlocks()).isTrue();
        assertThat(second.isCalled()).isTrue();

        assertThat(other.unlocks()).isTrue();
        platform.settle();
        second.comes();
        assertThat(second.has()).isTrue();
        third.comes();
        platform.settle();
        third.comes();

        assertThat(third.has()).isTrue();
        assertThat(second.unlocks()).isTrue();
        assertThat(third.unlocks()).isTrue();
    }

    /** Who gave it up was told that all was well; the next is not to have it either. */
    @Test
    void whatIsReleasedByForceWhileItLiesReady_isNotPassedOn() {
        open(0);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        contend(first, second);
        String lay = first.lease().owner();
        assertThat(first.unlocks()).isTrue();
        store().events().expelled("x", lay, "by a person");
        platform.settle();

        second.comes();
        platform.settle();
        second.comes();

        assertThat(second.has()).isTrue();
        assertThat(second.lease().owner()).as("the store was asked").isNotEqualTo(lay);
        assertThat(losses).as("the first was told that all was well").isEmpty();
        assertThat(second.unlocks()).isTrue();
    }

    /** Its thread has ended meanwhile, and nobody renewed it any more; but whoever comes to have it is to be told. */
    @Test
    void whatIsReleasedByForceWhileItLiesReady_andWhoseThreadHasEnded_isNotPassedOn() {
        open(0);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        contend(first, second);
        String lay = first.lease().owner();
        assertThat(first.unlocks()).isTrue();
        platform.threadsEnd();
        platform.advance(100_000_000L);
        platform.settle();
        store().events().expelled("x", lay, "by a person");
        platform.settle();

        second.comes();
        platform.settle();
        second.comes();

        assertThat(second.has()).isTrue();
        assertThat(second.lease().owner()).as("the store was asked").isNotEqualTo(lay);
        assertThat(losses).isEmpty();
        assertThat(second.unlocks()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void oneThatHasGivenUp_isNotCalled(int permits) {
        open(permits);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        TurnTaker third = taker("third");
        contend(first, second, third);

        second.attempt().abandon();
        assertThat(second.attempt().call()).as("it has ended").isFalse();
        assertThat(first.unlocks()).isTrue();
        platform.settle();

        assertThat(second.isCalled()).isFalse();
        third.comes();
        assertThat(third.has()).isTrue();
        assertThat(third.unlocks()).isTrue();
    }

    /** What it is to do next comes after it has come: amid a request it would come only when that is answered. */
    @Test
    void oneThatIsCalled_comesBeforeItAsks() {
        open(1);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        contend(first, second);
        assertThat(first.unlocks()).isTrue();

        second.attempt().wake();
        second.comes();

        assertThat(second.has()).isTrue();
        assertThat(second.unlocks()).isTrue();
        platform.settle();
    }

    /** The store gave it to one who had had it already, and whom nobody waits for: it stayed there until the grant was over. */
    @Test
    void lockThatWasTakenAway_andGivenToOneThatWasServedBefore_isGivenBack() {
        keepsServed = true;
        open(0);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        TurnTaker third = taker("third");
        contend(first, second, third);
        handOver(first, second);
        handOver(second, third);

        store().losesHoldersAnd(0);
        platform.settle();

        assertThat(third.unlocks()).isFalse();
        platform.settle();
        assertThat(losses).hasSize(1);
        assertThat(store().isEmpty()).as("nobody has it").isTrue();
    }

    /** The store has forgotten who had it, and gives it to the next: what lay ready is nobody's. */
    @Test
    void whatTheStoreGivesToAnotherWhileItLiesReady_isLeft() {
        open(0);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        TurnTaker third = taker("third");
        contend(first, second, third);
        String lay = first.lease().owner();
        assertThat(first.unlocks()).isTrue();

        store().losesHoldersAnd(0);
        platform.settle();
        second.comes();
        platform.settle();

        assertThat(second.has()).isTrue();
        assertThat(second.lease().owner()).isNotEqualTo(lay);
        handOver(second, third);
        assertThat(third.unlocks()).isTrue();
    }

    /** The same, and who was called for it has no ticket any more. */
    @Test
    void whatTheStoreGivesToOneFurtherBehindWhileItLiesReady_isLeft() {
        open(0);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        TurnTaker third = taker("third");
        contend(first, second, third);
        assertThat(first.unlocks()).isTrue();

        store().losesHoldersAnd(1);
        platform.settle();
        second.comes();

        assertThat(second.has()).isFalse();
        assertThat(third.has()).isTrue();
        second.attempt().abandon();
        assertThat(third.unlocks()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void clientThatIsClosed_givesBackWhatLiesReady(int permits) {
        open(permits);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second");
        contend(first, second);
        assertThat(first.unlocks()).isTrue();

        engine().close();
        platform.settle();
        second.comes();

        assertThat(second.attempt().result()).isCompletedExceptionally();
        assertThat(engine().requests().underWay()).isZero();
    }
}
