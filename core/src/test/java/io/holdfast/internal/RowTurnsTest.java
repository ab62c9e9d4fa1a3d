package io.holdfast.internal;

import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Hold;
import io.holdfast.LockListener;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** As {@link LineTurnsTest}, among those who stand in a row in the store's queue: for a write lock, or for permits. */
class RowTurnsTest {
    private static final int MOST_AGAIN = 31;

    private final StepPlatform platform = new StepPlatform(true);
    private final List<Loss> losses = new ArrayList<>();
    private @Nullable Engine engine;
    private @Nullable QueueStore store;

    private Share share = Share.WHOLE;
    private LockOptions options = LockOptions.DEFAULT;
    /** As on Redis: of a whole lock a release takes back only the tickets of those who were served. */
    private boolean keepsServed;

    private void open(int permits) {
        share = permits == 0 ? Share.WHOLE : Share.permits(1, permits);
        LockListener listener = new LockListener() {
            @Override
            public void lost(Hold hold, Loss loss) {
                losses.add(loss);
            }
        };
        engine = Engine.open(
                context -> store = new QueueStore(context, Math.max(1, permits)) {
                    @Override
                    void takesFromServed(List<String> served) {
                        if (!keepsServed) {
                            super.takesFromServed(served);
                        }
                    }
                },
                "p:",
                ofSeconds(2),
                platform,
                List.of(listener));
    }

    @AfterEach
    void nothingIsLeft() {
        platform.settle();
        assertThat(engine().requests().underWay()).isZero();
        assertThat(engine().lines().isEmpty()).isTrue();
        assertThat(engine().held()).isZero();
        assertThat(store().isEmpty()).isTrue();
        engine().close();
    }

    private Engine engine() {
        return requireNonNull(engine);
    }

    private QueueStore store() {
        return requireNonNull(store);
    }

    private TurnTaker taker(String name, Order order) {
        return new TurnTaker(engine(), platform, name, options, share, order);
    }

    private TurnTaker taker(String name) {
        return taker(name, Order.QUEUE);
    }

    /** The first of these has it, in a row with the others behind it in their order. */
    private void contend(TurnTaker... row) {
        TurnTaker before = taker("before").asks();
        for (TurnTaker one : row) {
            one.asks();
        }
        assertThat(before.unlocks()).isTrue();
        platform.settle();
        row[0].comes();
        assertThat(row[0].has()).isTrue();
    }

    private void handOver(TurnTaker from, TurnTaker to) {
        assertThat(from.unlocks()).isTrue();
        to.comes();
        platform.settle();
        to.comes();
        assertThat(to.has()).isTrue();
    }

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

    // --- nobody is known to be next, and somebody asks

    /** One has it in a row, and another asks to stand behind it, to whom the store has not answered yet. */
    private TurnTaker[] oneHoldsAndAnotherAsks(Order order) {
        TurnTaker first = taker("first", order);
        TurnTaker second = taker("second", order);
        contend(first);
        store().keepsAnswers();
        second.asks();
        return new TurnTaker[] {first, second};
    }

    @ParameterizedTest
    @EnumSource(
            value = Order.class,
            names = {"QUEUE", "STRICT"})
    void whatIsGivenUpWhileTheNextAsks_goesToIt_whenItIsAnswered(Order order) {
        open(0);
        TurnTaker[] both = oneHoldsAndAnotherAsks(order);
        int requests = store().requests();

        assertThat(both[0].unlocks()).isTrue();
        platform.settle();
        assertThat(store().requests()).isEqualTo(requests);
        assertThat(both[1].has()).isFalse();
        store().givesAnswers();
        both[1].comes();

        assertThat(both[1].has()).isTrue();
        assertThat(both[1].token()).isEqualTo(both[0].token() + 1);
        assertThat(store().requests()).as("the store was not asked").isEqualTo(requests);
        assertThat(both[1].unlocks()).isTrue();
    }

    @Test
    void permitThatIsGivenUpWhileTheNextAsks_goesToIt_whenItIsAnswered() {
        open(1);
        TurnTaker[] both = oneHoldsAndAnotherAsks(Order.QUEUE);
        int requests = store().requests();

        assertThat(both[0].unlocks()).isTrue();
        store().givesAnswers();
        both[1].comes();

        assertThat(both[1].has()).isTrue();
        assertThat(store().requests()).isEqualTo(requests);
        assertThat(both[1].unlocks()).isTrue();
    }

    /** Somebody of another client came between. */
    @Test
    void whatIsGivenUpWhileTheNextAsks_goesBack_ifItIsToldThatAnotherIsNext() {
        open(0);
        TurnTaker first = taker("first", Order.STRICT);
        TurnTaker second = taker("second", Order.STRICT);
        contend(first);
        store().acquire(new AcquireRequest("x", "another:1:1", ofSeconds(30), true));
        store().keepsAnswers();
        second.asks();

        assertThat(first.unlocks()).isTrue();
        store().givesAnswers();
        platform.settle();

        assertThat(second.has()).isFalse();
        store().release("x", "another:1:1");
        platform.settle();
        second.comes();
        assertThat(second.has()).isTrue();
        assertThat(second.unlocks()).isTrue();
    }

    @Test
    void onceOneIsToldThatAnotherIsNext_nothingWaitsForAnswers() {
        open(0);
        TurnTaker first = taker("first", Order.STRICT);
        TurnTaker second = taker("second", Order.STRICT);
        TurnTaker third = taker("third", Order.STRICT);
        contend(first);
        store().acquire(new AcquireRequest("x", "another:1:1", ofSeconds(30), true));
        second.asks();
        store().keepsAnswers();
        third.asks();
        int requests = store().requests();

        assertThat(first.unlocks()).isTrue();
        assertThat(store().requests()).as("it goes back").isGreaterThan(requests);

        store().givesAnswers();
        store().release("x", "another:1:1");
        platform.settle();
        second.comes();
        assertThat(second.has()).isTrue();
        handOver(second, third);
        assertThat(third.unlocks()).isTrue();
    }

    /** It is of the same client, but does not stand in the row: the others would wait for each other's answers, and it for them. */
    @Test
    void onceOneIsToldThatAWholeLineIsNext_nothingWaitsForAnswers() {
        open(0);
        TurnTaker first = taker("first", Order.STRICT);
        TurnTaker line = taker("line", Order.LINE);
        TurnTaker second = taker("second", Order.STRICT);
        TurnTaker third = taker("third", Order.STRICT);
        contend(first);
        line.asks();
        second.asks();
        store().keepsAnswers();
        third.asks();

        assertThat(first.unlocks()).isTrue();
        platform.settle();
        line.comes();
        assertThat(line.has()).isTrue();

        store().givesAnswers();
        handOver(line, second);
        handOver(second, third);
        assertThat(third.unlocks()).isTrue();
    }

    /** Whoever waits in the store would wait for as long as somebody comes here. */
    @Test
    void whatIsGivenUp_waitsForThoseAloneWhoHadAskedByThen() {
        open(0);
        TurnTaker first = taker("first", Order.STRICT);
        TurnTaker leaves = taker("leaves", Order.STRICT);
        TurnTaker second = taker("second", Order.STRICT);
        TurnTaker third = taker("third", Order.STRICT);
        TurnTaker fourth = taker("fourth", Order.STRICT);
        contend(first);
        leaves.asks();
        second.asks();
        leaves.attempt().abandon();
        platform.settle();
        store().keepsAnswers();
        third.asks();
        assertThat(first.unlocks()).isTrue();
        fourth.asks();

        store().givesFirstAnswer();
        platform.settle();
        second.comes();

        assertThat(second.has()).as("by the store").isTrue();
        store().givesAnswers();
        handOver(second, third);
        handOver(third, fourth);
        assertThat(fourth.unlocks()).isTrue();
    }

    /** One that wants replicas is never passed what the store has given to another. */
    @Test
    void whatIsGivenUp_doesNotWaitForOneThatCannotHaveIt() {
        open(0);
        TurnTaker first = taker("first", Order.STRICT);
        contend(first);
        options = LockOptions.builder().minReplicas(1).build();
        TurnTaker second = taker("second", Order.STRICT);
        store().keepsAnswers();
        second.asks();
        int requests = store().requests();

        assertThat(first.unlocks()).isTrue();

        assertThat(store().requests()).isGreaterThan(requests);
        store().givesAnswers();
        platform.settle();
        second.comes();
        assertThat(second.has()).isTrue();
        assertThat(second.unlocks()).isTrue();
    }

    @Test
    void permitsThatAreGivenUp_waitForAsManyAsAsk() {
        open(2);
        TurnTaker one = taker("one").asks();
        TurnTaker another = taker("another").asks();
        TurnTaker first = taker("first").asks();
        TurnTaker third = taker("third").asks();
        assertThat(one.unlocks()).isTrue();
        assertThat(another.unlocks()).isTrue();
        platform.settle();
        first.comes();
        third.comes();
        TurnTaker second = taker("second");
        store().keepsAnswers();
        second.asks();
        int requests = store().requests();

        assertThat(first.unlocks()).isTrue();
        assertThat(store().requests()).isEqualTo(requests);
        assertThat(third.unlocks()).isTrue();
        assertThat(store().requests()).as("it goes back").isGreaterThan(requests);

        store().givesAnswers();
        platform.settle();
        second.comes();
        assertThat(second.has()).isTrue();
        assertThat(second.unlocks()).isTrue();
    }

    /** It may be one that waits strictly, or stand behind somebody who does. */
    @Test
    void whatWaitsForOneThatAsks_isNotTakenAgain() {
        open(0);
        TurnTaker first = taker("first");
        TurnTaker second = taker("second", Order.STRICT);
        contend(first);
        store().keepsAnswers();
        second.asks();
        assertThat(first.unlocks()).isTrue();

        assertThat(first.asks().has()).isFalse();

        store().givesAnswers();
        second.comes();
        assertThat(second.has()).isTrue();
        handOver(second, first);
        assertThat(first.unlocks()).isTrue();
    }

    @Test
    void whatIsGivenUpWhileTheNextAsks_goesBack_ifTheAnswerIsLost() {
        open(0);
        TurnTaker[] both = oneHoldsAndAnotherAsks(Order.STRICT);

        assertThat(both[0].unlocks()).isTrue();
        store().losesAnswers();
        platform.settle();
        both[1].comes();

        assertThat(both[1].has()).as("by its ticket").isTrue();
        assertThat(both[1].unlocks()).isTrue();
    }

    @Test
    void whatIsGivenUpWhileTheNextAsks_goesBack_ifThatHasLeft() {
        open(0);
        TurnTaker[] both = oneHoldsAndAnotherAsks(Order.STRICT);
        assertThat(both[0].unlocks()).isTrue();

        both[1].attempt().abandon();
        store().givesAnswers();
        platform.settle();

        assertThat(store().isEmpty()).isTrue();
    }

    /** Of two who ask the first has left: it waits for the answer to the second. */
    @Test
    void whatIsGivenUpWhileSeveralAsk_goesToTheFirstThatWaits() {
        open(0);
        TurnTaker[] both = oneHoldsAndAnotherAsks(Order.STRICT);
        TurnTaker third = taker("third", Order.STRICT).asks();
        assertThat(both[0].unlocks()).isTrue();

        both[1].attempt().abandon();
        store().givesAnswers();
        platform.settle();
        third.comes();
        platform.settle();
        third.comes();

        assertThat(third.has()).isTrue();
        assertThat(third.unlocks()).isTrue();
    }

    @Test
    void lastOfARow_waitsForNobodyWhoAsks() {
        open(0);
        store().reservesNoMoreThan(2);
        TurnTaker first = taker("first", Order.STRICT);
        TurnTaker second = taker("second", Order.STRICT);
        TurnTaker third = taker("third", Order.STRICT);
        contend(first, second);
        assertThat(first.unlocks()).isTrue();
        store().keepsAnswers();
        third.asks();
        int requests = store().requests();

        assertThat(second.unlocks()).isTrue();
        assertThat(store().requests()).isGreaterThan(requests);

        store().givesAnswers();
        platform.settle();
        third.comes();
        assertThat(third.has()).isTrue();
        assertThat(third.unlocks()).isTrue();
    }

    @Test
    void clientThatIsClosed_givesBackWhatWaitsForOneThatAsks() {
        open(0);
        TurnTaker[] both = oneHoldsAndAnotherAsks(Order.STRICT);
        assertThat(both[0].unlocks()).isTrue();

        platform.schedule(1_000_000L, () -> store().givesAnswers());
        engine().close();
        platform.settle();
        both[1].comes();

        assertThat(both[1].attempt().result()).isCompletedExceptionally();
        assertThat(store().isEmpty()).isTrue();
    }

    /** The answer took longer than the store lends it for, and the store has given it to the one that asked by then. */
    @Test
    void whatRunsOutWhileItWaitsForOneThatAsks_isNotPassedOn() {
        open(0);
        TurnTaker[] both = oneHoldsAndAnotherAsks(Order.STRICT);
        String lay = both[0].lease().owner();
        assertThat(both[0].unlocks()).isTrue();

        platform.jump(ofSeconds(40).toNanos());
        store().losesHoldersAnd(0);
        store().givesAnswers();
        platform.settle();
        both[1].comes();
        platform.settle();
        both[1].comes();

        assertThat(both[1].has()).isTrue();
        assertThat(both[1].lease().owner()).as("what the store gave").isNotEqualTo(lay);
        assertThat(losses).isEmpty();
        assertThat(both[1].unlocks()).isTrue();
    }

    /** Who gave it up was told that all was well; nobody else is to have what is not there any more. */
    @Test
    void whatIsReleasedByForceWhileItWaitsForOneThatAsks_isNotPassedOn() {
        open(0);
        TurnTaker[] both = oneHoldsAndAnotherAsks(Order.STRICT);
        String lay = both[0].lease().owner();
        assertThat(both[0].unlocks()).isTrue();
        store().events().expelled("x", lay, "by a person");
        platform.settle();

        store().givesAnswers();
        platform.settle();
        both[1].comes();

        assertThat(both[1].has()).isTrue();
        assertThat(both[1].lease().owner()).as("the store was asked").isNotEqualTo(lay);
        assertThat(losses).isEmpty();
        assertThat(both[1].unlocks()).isTrue();
    }
}
