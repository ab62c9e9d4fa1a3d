package io.holdfast.redis;

import static io.holdfast.redis.Until.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.link.Script;
import io.holdfast.spi.Platform;
import io.holdfast.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OwedTest {
    private static final NodeCommand COMMAND = new NodeCommand(Script.QUORUM, List.of("k"), List.of("release"));

    private final Platform platform = Platform.system();
    private final List<String> said = new CopyOnWriteArrayList<>();
    private final Owed owed = new Owed(platform, Duration.ofSeconds(60), (holder, command) -> said.add(holder));

    @AfterEach
    void close() {
        owed.close();
        platform.close();
    }

    @Test
    void oneIsSaidAgain_andTheRestOnceItWasHeard() {
        owed.add("one", COMMAND);
        owed.add("two", COMMAND);
        owed.add("three", COMMAND);

        until(() -> said.equals(List.of("one")));
        owed.heard("one");

        assertThat(said).containsExactly("one", "two", "three");
        owed.heard("two");
        owed.heard("three");
        assertThat(said).containsExactly("one", "two", "three");
        assertThat(owed.size()).isZero();
    }

    @Test
    void nothingIsOwed_onceItIsClosed() {
        owed.add("one", COMMAND);
        owed.close();

        assertThat(owed.size()).isZero();
        owed.add("two", COMMAND);
        assertThat(owed.size()).isZero();
        owed.heard("one");
        assertThat(said).doesNotContain("two");
    }

    @Test
    void oneThatFailsAgain_isKept() {
        owed.add("one", COMMAND);
        until(() -> said.size() == 1);
        owed.add("one", COMMAND);

        until(() -> said.size() == 2);

        assertThat(owed.size()).isEqualTo(1);
    }

    @Test
    void whatCannotBeSaidWithinTheLongestLease_isForgotten() {
        Owed brief = new Owed(platform, Duration.ofMillis(1), (holder, command) -> said.add(holder));

        brief.add("one", COMMAND);

        until(() -> brief.size() == 0);
        assertThat(said).isEmpty();
    }

    @Test
    void afterOneThatIsNotHeard_theNextIsSaid() {
        ManualClock clock = new ManualClock();
        try (Platform manual = clock.platform()) {
            Owed unheard = new Owed(manual, Duration.ofSeconds(60), (holder, command) -> said.add(holder));
            unheard.add("one", COMMAND);
            unheard.add("two", COMMAND);

            clock.advance(Duration.ofMillis(500));
            assertThat(said).containsExactly("one");
            clock.advance(Duration.ofMillis(500));
            assertThat(said).containsExactly("one", "two");
        }
    }

    @Test
    void whatIsOwed_isSaidAtTheVeryEndOfTheLongestLease_andForgottenBehindIt() {
        ManualClock clock = new ManualClock();
        try (Platform manual = clock.platform()) {
            Owed brief = new Owed(manual, Duration.ofMillis(500), (holder, command) -> said.add(holder));
            brief.add("one", COMMAND);

            clock.advance(Duration.ofMillis(500));
            assertThat(said).containsExactly("one");
            assertThat(brief.size()).isEqualTo(1);
            clock.advance(Duration.ofMillis(500));
            assertThat(brief.size()).isZero();
            assertThat(clock.timers()).isZero();
        }
    }

    @Test
    void thoseThatCameFirst_areKeptIfThereAreTooMany() {
        for (int i = 0; i <= Owed.MOST; i++) {
            owed.add("holder" + i, COMMAND);
        }

        assertThat(owed.size()).isEqualTo(Owed.MOST);
        owed.heard("holder0");
        assertThat(said).contains("holder1").doesNotContain("holder" + Owed.MOST);
    }
}
