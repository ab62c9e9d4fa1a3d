package io.holdfast.faults.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.faults.judge.Evidence;
import io.holdfast.faults.judge.Figures;
import io.holdfast.faults.judge.LogReader.Footprint;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SummaryTest {
    private static final Footprint FIRST = new Footprint(0, 23, 6_000_000);

    private static String footprint(Footprint... footprints) {
        Evidence evidence = new Evidence(Duration.ofSeconds(1), true);
        return Summary.figures(evidence, new Figures(evidence), List.of(), List.of(footprints)).stream()
                .filter(line -> line.startsWith("a client that lived all the time: "))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void clientWithAFewThreadsMore_isAsBefore() {
        assertThat(footprint(FIRST, new Footprint(1, 25, 11_000_000))).endsWith("reached");
    }

    @Test
    void clientThatHasGrown_isNotAsBefore() {
        assertThat(footprint(FIRST, new Footprint(1, 26, 6_000_000))).endsWith("missed");
        assertThat(footprint(FIRST, new Footprint(1, 23, 11_000_001))).endsWith("missed");
    }

    @Test
    void clientThatWasLookedAtOnce_isNotMeasured() {
        assertThat(footprint(FIRST)).endsWith("not measured");
    }
}
