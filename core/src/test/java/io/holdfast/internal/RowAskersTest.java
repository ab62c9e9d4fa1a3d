package io.holdfast.internal;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockOptions;
import io.holdfast.spi.AcquireRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Of what is passed on in a row, once nobody is known to be next and somebody asks: the store has not answered yet. */
class RowAskersTest extends RowFixture {
    /** One has it in a row, and another asks to stand behind it, to whom the store has not answered yet. */
    private TurnTaker[] oneHoldsAndAnotherAsks(Order order) {
        TurnTaker first = taker("first", order);
        TurnTaker second = taker("second", order);
        contend(first);
        store().keepsAnswers();
        second.asks();
        return new TurnTaker[] {first, second};
    }

    /** What was given up went back, and the store gives it to this one. */
    private void hasItFromTheStore(TurnTaker one, int requestsBefore) {
        assertThat(store().requests()).isGreaterThan(requestsBefore);
        store().givesAnswers();
        platform.settle();
        one.comes();
        assertThat(one.has()).isTrue();
        assertThat(one.unlocks()).isTrue();
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

        hasItFromTheStore(second, requests);
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
        hasItFromTheStore(second, requests);
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
        hasItFromTheStore(third, requests);
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
