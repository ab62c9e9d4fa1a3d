package io.holdfast.redis;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.ServerClock.Moment;
import io.holdfast.testkit.Faults;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ServerClockTest {
    private static final long SERVER = 1_700_000_000_000_000L;
    private static final String LIFE = "run 1";

    private final ServerClock clock = new ServerClock();

    private ServerClockTest read() {
        clock.read(SERVER, at(0), LIFE);
        return this;
    }

    /** So many milliseconds after the request was sent that told the server's time. */
    private static Moment at(long millis) {
        return new Moment(5_000_000_000L + 1_000_000 * millis, 60_000 + millis);
    }

    private @Nullable Moment notAfter(long serverMillis, @Nullable String life, Moment now) {
        return clock.notAfter(SERVER + 1_000 * serverMillis, life, now);
    }

    private Moment known(long serverMillis, String life, Moment now) {
        return requireNonNull(notAfter(serverMillis, life, now));
    }

    @Test
    void moment_isTheRequestPlusWhatHasPassedAtTheServer_lessAHundredthAndAMillisecond() {
        read();

        assertThat(notAfter(1_000, LIFE, at(1_200))).isEqualTo(at(1_000 - 10 - 1));
    }

    /** The answer to the request took long, so the server's time is that of a moment after it was sent. */
    @Test
    void moment_isNeverAfterTheTrueOne() {
        read();
        long answerUnderWay = 300;

        Moment since = known(1_000, LIFE, at(1_000 + answerUnderWay + 50));

        assertThat(since.nanos()).isLessThan(at(1_000 + answerUnderWay).nanos());
    }

    @Test
    void moment_beforeTheLastAnswer_isEarlier() {
        read();

        assertThat(notAfter(-500, LIFE, at(10))).isEqualTo(at(-500 - 5 - 1));
    }

    @Test
    void moment_isNeverInTheFuture() {
        read();

        Moment since = known(100, LIFE, at(99));

        assertThat(since.nanos()).isLessThanOrEqualTo(at(99).nanos());
    }

    @Test
    @Faults(33)
    void clockThatWasSetForward_isNotBelieved() {
        read();

        assertThat(notAfter(3_000, LIFE, at(100))).isNull();
    }

    /** Over a second, 10 ms and one more. */
    @Test
    void clockThatIsAheadByTheAllowance_isBelieved_andNotByMore() {
        read();

        assertThat(notAfter(1_000, LIFE, at(989))).isEqualTo(at(989));
        assertThat(notAfter(1_000, LIFE, at(988))).isNull();
    }

    @Test
    void anotherLifeOfTheServer_hasAnotherClock() {
        read();

        assertThat(notAfter(10, "run 2", at(20))).isNull();
        assertThat(notAfter(10, null, at(20))).isNull();
    }

    @Test
    void serverThatMayNotBeAskedForItsLife_isNotBelieved() {
        clock.read(SERVER, at(0), null);

        assertThat(notAfter(10, null, at(20))).isNull();
        assertThat(notAfter(10, LIFE, at(20))).isNull();
    }

    @Test
    void readingThatIsLongAgo_saysNothing() {
        read();

        assertThat(notAfter(5_000, LIFE, at(5_100))).isEqualTo(at(5_000 - 50 - 1));
        assertThat(notAfter(5_001, LIFE, at(5_100))).isNull();
    }

    /** The monotonic clock stood still while the machine was suspended; the wall clock tells. */
    @Test
    @Faults(4)
    void suspendedMachine_isSeenByTheWallClock() {
        read();
        Moment resumed = new Moment(at(100).nanos(), at(10_100).wallMillis());

        Moment since = known(1_000, LIFE, resumed);

        assertThat(since.nanos()).isEqualTo(resumed.nanos());
        assertThat(resumed.wallMillis() - since.wallMillis()).isGreaterThan(9_000);
    }

    @Test
    void nothingRead_saysNothing() {
        assertThat(clock.isKnown()).isFalse();
        assertThat(notAfter(0, LIFE, at(0))).isNull();
    }
}
