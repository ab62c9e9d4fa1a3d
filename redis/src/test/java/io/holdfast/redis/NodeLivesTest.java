package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NodeLivesTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long HOUR = 3_600 * SECOND;

    private final NodeLives lives = new NodeLives();

    @Test
    void lifeThatWasNeverMet_isAsOldAsItSays() {
        assertThat(lives.ageNanos("one", HOUR, 0)).isEqualTo(HOUR);
    }

    @Test
    void lifeThatSaysItIsOlderThanTheLastAnswerOfTheOneBefore_isNotBelieved() {
        lives.ageNanos("one", HOUR, 0);
        lives.answered("one", 20 * SECOND);

        assertThat(lives.ageNanos("two", HOUR, 30 * SECOND)).isEqualTo(NodeLives.slow(10 * SECOND));
        lives.answered("two", 31 * SECOND);
        assertThat(lives.ageNanos("two", HOUR, 40 * SECOND)).isEqualTo(NodeLives.slow(20 * SECOND));
    }

    @Test
    void lifeThatIsYoungerThanWeThink_isBelieved() {
        lives.ageNanos("one", HOUR, 0);
        lives.answered("one", SECOND);

        assertThat(lives.ageNanos("two", 3 * SECOND, 30 * SECOND)).isEqualTo(3 * SECOND);
    }

    @Test
    void lifeWhoseClockWasSetBack_isAsOldAsWeHaveSeenItBe() {
        lives.ageNanos("one", HOUR, 0);

        assertThat(lives.ageNanos("one", -HOUR, 100 * SECOND)).isEqualTo(NodeLives.slow(100 * SECOND));
    }

    /** An answer of the former life that is read after the new one was met proves no less. */
    @Test
    void answerThatIsReadLate_countsAllTheSame() {
        lives.ageNanos("one", HOUR, 0);
        lives.answered("one", SECOND);
        lives.ageNanos("two", HOUR, 10 * SECOND);
        lives.answered("one", 5 * SECOND);

        assertThat(lives.ageNanos("two", HOUR, 10 * SECOND)).isEqualTo(NodeLives.slow(5 * SECOND));
    }

    @Test
    void answerToAnEarlierQuestion_thatIsReadLate_makesNoLifeOlder() {
        lives.ageNanos("one", HOUR, 0);
        lives.answered("one", 5 * SECOND);
        lives.ageNanos("two", HOUR, 10 * SECOND);
        lives.answered("one", SECOND);

        assertThat(lives.ageNanos("two", HOUR, 10 * SECOND)).isEqualTo(NodeLives.slow(5 * SECOND));
    }

    @Test
    void ourOwnTime_countsAHundredthLess() {
        assertThat(NodeLives.slow(100 * SECOND)).isEqualTo(99 * SECOND);
    }
}
