package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.StoreFailure;
import org.junit.jupiter.api.Test;

class StandingTest {
    private static final long NOW = 7_000_000_000L;

    /**
     * One that has just got the lead, and whose time is over before it can ask, hands on that nothing is known. That was
     * taken for a request that nobody had answered for as long as the machine was up.
     */
    @Test
    void takenOverFromOneThatNeverAsked_hasItsMoment() {
        Standing next = Standing.NEW.takenOver(NOW - 1_000);

        assertThat(next.answered()).isFalse();
        assertThat(next.momentLeft(NOW)).isPositive();
        assertThat(next.toThoseBehind(NOW).answered()).isTrue();
    }

    @Test
    void takenOverFromOneWhoseRequestTakesLong_isKnownToBeLate() {
        Standing late = Standing.NEW.asked(NOW - 2_000_000_000L).takenOver(NOW - 1_000);

        assertThat(late.momentLeft(NOW)).isNegative();
        assertThat(late.toThoseBehind(NOW).answered()).isFalse();
    }

    /** How long one bears an outage counts from when it began, or from when one came to wait, whichever is later. */
    @Test
    void outage_ofOneThatTakesOver_beginsNoEarlierThanItsOwnWait() {
        Standing failing = Standing.NEW.asked(100).failed(StoreFailure.unavailable("down", null), 200);

        assertThat(failing.outageSince()).isEqualTo(200);
        assertThat(failing.takenOver(150).outageSince()).isEqualTo(200);
        assertThat(failing.takenOver(250).outageSince()).isEqualTo(250);
    }

    /** "Held by another" is never said of a store that has failed since, nor of one that has not answered. */
    @Test
    void heldByAnother_isSaidOnlyOfTheLastAnswer() {
        Standing failed = Standing.held(NOW).failed(StoreFailure.unavailable("down", null), NOW);

        assertThat(Standing.held(NOW).isHeldByAnother(NOW, NOW)).isTrue();
        assertThat(Standing.NEW.isHeldByAnother(NOW, NOW)).isFalse();
        assertThat(Standing.NEW.asked(NOW).isHeldByAnother(NOW, NOW)).isFalse();
        assertThat(failed.isHeldByAnother(NOW, NOW)).isFalse();
        assertThat(failed.refused(NOW).isHeldByAnother(NOW, NOW)).isTrue();
    }

    /** A request that is repeated takes as long as its first attempt, whatever came of the last. */
    @Test
    void askedAgain_countsFromTheFirstThatHasNoAnswer() {
        Standing twice = Standing.NEW.asked(NOW - 300_000_000L).asked(NOW);

        assertThat(twice.askingSince()).isEqualTo(NOW - 300_000_000L);
        assertThat(twice.momentLeft(NOW)).isNegative();
        assertThat(twice.refused(NOW).asked(NOW + 1).askingSince()).isEqualTo(NOW + 1);
    }

    /** One that came when the store had fallen silent was told what those before it had heard while it still spoke. */
    @Test
    void heldByAnother_isNotSaidOfASilentStore_toOneThatCameAfterItsLastWord() {
        long came = NOW - 300_000_000L;
        Standing silent = Standing.held(came - 1).asked(came - 1);

        assertThat(silent.isHeldByAnother(came - 1, NOW))
                .as("it was there then")
                .isTrue();
        assertThat(silent.isHeldByAnother(came, NOW)).isFalse();
        assertThat(silent.toThoseBehind(NOW).isHeldByAnother(came, NOW)).isFalse();
        assertThat(silent.takenOver(came).isHeldByAnother(came, NOW))
                .as("from whoever")
                .isFalse();
        assertThat(silent.refused(NOW).isHeldByAnother(came, NOW)).isTrue();
    }

    /** Who waits for a grant has asked, and was answered: there is nothing that takes long. */
    @Test
    void heldByAnother_isSaidToThoseBehindOneThatWaits() {
        long came = NOW - 300_000_000L;
        Standing waits = Standing.NEW.asked(came - 2).refused(came - 1);

        assertThat(waits.isHeldByAnother(came, NOW)).isTrue();
        assertThat(waits.asked(NOW - 99_000_000L).isHeldByAnother(came, NOW)).isTrue();
        assertThat(waits.asked(NOW - 100_000_000L).isHeldByAnother(came, NOW)).isFalse();
        assertThat(waits.asked(NOW + 1).isHeldByAnother(came, NOW))
                .as("to be asked by then, behind others of this client")
                .isTrue();
        assertThat(waits.asked(NOW + 1).asked(NOW - 100_000_000L).isHeldByAnother(came, NOW))
                .as("asked before that")
                .isFalse();
    }

    @Test
    void takenOverFromOneThatWasRefused_isAnAnswer() {
        Standing known = Standing.NEW
                .asked(NOW - 2_000_000_000L)
                .refused(NOW - 1_000_000_000L)
                .takenOver(NOW - 1_000);

        assertThat(known.isHeldByAnother(NOW - 1_000, NOW)).isTrue();
    }

    /** They wait behind one who is ahead, but not behind a store that fails, or takes 100 ms. */
    @Test
    void toThoseBehind_neitherAFailureNorALateAnswerIsOne() {
        Standing failed = Standing.NEW.asked(NOW).failed(StoreFailure.unavailable("down", null), NOW);
        Standing asked = Standing.NEW.asked(NOW - 100_000_000L);

        assertThat(failed.toThoseBehind(NOW).answered()).isFalse();
        assertThat(asked.toThoseBehind(NOW - 1).answered()).isTrue();
        assertThat(asked.toThoseBehind(NOW).answered()).isFalse();
    }
}
