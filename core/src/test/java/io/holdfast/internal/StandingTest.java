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
        Standing next = Standing.NEW.takenOver(NOW - 1_000, NOW);

        assertThat(next.answered()).isFalse();
        assertThat(next.momentLeft(NOW)).isPositive();
        assertThat(next.toThoseBehind(NOW).answered()).isTrue();
    }

    @Test
    void takenOverFromOneWhoseRequestTakesLong_isKnownToBeLate() {
        Standing late = Standing.NEW.asked(NOW - 2_000_000_000L).takenOver(NOW - 1_000, NOW);

        assertThat(late.momentLeft(NOW)).isNegative();
        assertThat(late.toThoseBehind(NOW).answered()).isFalse();
    }

    /** How long one bears an outage counts from when it began, or from when one came to wait, whichever is later. */
    @Test
    void outage_ofOneThatTakesOver_beginsNoEarlierThanItsOwnWait() {
        Standing failing = Standing.NEW.asked(100).failed(StoreFailure.unavailable("down", null), 200);

        assertThat(failing.outageSince()).isEqualTo(200);
        assertThat(failing.takenOver(150, NOW).outageSince()).isEqualTo(200);
        assertThat(failing.takenOver(250, NOW).outageSince()).isEqualTo(250);
    }

    /** "Held by another" is never said of a store that has failed since, nor of one that has not answered. */
    @Test
    void heldByAnother_isSaidOnlyOfTheLastAnswer() {
        Standing failed = Standing.HELD.failed(StoreFailure.unavailable("down", null), NOW);

        assertThat(Standing.HELD.isHeldByAnother()).isTrue();
        assertThat(Standing.NEW.isHeldByAnother()).isFalse();
        assertThat(Standing.NEW.asked(NOW).isHeldByAnother()).isFalse();
        assertThat(failed.isHeldByAnother()).isFalse();
        assertThat(failed.refused().isHeldByAnother()).isTrue();
    }

    @Test
    void takenOverFromOneThatWasRefused_isAnAnswer() {
        Standing known = Standing.NEW.asked(NOW - 2_000_000_000L).refused().takenOver(NOW - 1_000, NOW);

        assertThat(known.isHeldByAnother()).isTrue();
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
