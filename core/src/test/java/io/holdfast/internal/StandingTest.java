package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

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

    @Test
    void takenOverFromOneThatWasRefused_isAnAnswer() {
        Standing known = Standing.NEW.asked(NOW - 2_000_000_000L).refused().takenOver(NOW - 1_000, NOW);

        assertThat(known.isHeldByAnother()).isTrue();
    }
}
