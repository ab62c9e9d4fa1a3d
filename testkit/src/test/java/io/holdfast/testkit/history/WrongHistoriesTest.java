package io.holdfast.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WrongHistoriesTest {

    @ParameterizedTest
    @EnumSource
    void aThousandHistoriesMadeWrong_areAllRejected(Primitive primitive) {
        Map<Corruption, Integer> rejected = new EnumMap<>(Corruption.class);
        List<Corruption> corruptions = List.of(Corruption.values());
        for (int seed = 0; rejected.values().stream().mapToInt(n -> n).sum() < 1_000; seed++) {
            Corruption corruption = corruptions.get(seed % corruptions.size());
            List<Operation> right = Simulation.run(primitive, seed, 3 + seed % 4, 50, seed % 2 * 20)
                    .operations();
            List<Operation> wrong = corruption.apply(primitive, right, new Random(seed));
            if (wrong != null) {
                Verdict verdict = LinearizabilityChecker.check(History.of(wrong), primitive.model());
                assertThat(verdict.kind())
                        .as("%s, seed %s: %s", corruption, seed, verdict)
                        .isEqualTo(Verdict.Kind.FAILED);
                assertShortest(verdict, primitive.model());
                rejected.merge(corruption, 1, Integer::sum);
            }
        }
        assertThat(rejected)
                .hasSizeGreaterThan(4)
                .allSatisfy((corruption, times) ->
                        assertThat(times).as("%s", corruption).isGreaterThan(30));
    }

    /** One event less, and there is an order. */
    private static void assertShortest(Verdict verdict, Model<?> model) {
        Timeline prefix = Timeline.of(verdict.prefix());
        Timeline shorter = prefix.prefix(prefix.events().size() - 1);
        assertThat(LinearizabilityChecker.check(History.of(shorter.operations()), model)
                        .isOk())
                .as("%s", verdict)
                .isTrue();
    }
}
