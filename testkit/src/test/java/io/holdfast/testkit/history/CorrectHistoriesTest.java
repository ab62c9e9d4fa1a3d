package io.holdfast.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CorrectHistoriesTest {

    @ParameterizedTest
    @EnumSource
    void historiesOfALockThatDoesRight_areAccepted(Primitive primitive) {
        for (int seed = 0; seed < 1_000; seed++) {
            int clients = 2 + seed % 7;
            History history = Simulation.run(primitive, seed, clients, 80, seed % 3 * 20);
            Verdict verdict = LinearizabilityChecker.check(history, primitive.model());
            assertThat(verdict.isOk())
                    .as("%s, seed %s: %s", primitive, seed, verdict)
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aThousandOperationsOfSixteenClients_areJudgedInLessThanASecond(Primitive primitive) {
        // The fastest of a few: the machine may be busy with something else.
        long fastest = Long.MAX_VALUE;
        for (int seed = 0; seed < 5; seed++) {
            History history = Simulation.run(primitive, seed, 16, 1_000, 5);
            long before = System.nanoTime();
            Verdict verdict = LinearizabilityChecker.check(history, primitive.model());
            fastest = Math.min(fastest, System.nanoTime() - before);
            assertThat(verdict.isOk())
                    .as("%s, seed %s: %s", primitive, seed, verdict)
                    .isTrue();
        }
        assertThat(fastest).isLessThan(1_000_000_000);
    }
}
