package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.measure.Metric;
import io.holdfast.benchmarks.report.Goals;
import io.holdfast.benchmarks.report.Results;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GoalsTest {
    private final Results results = new Results();

    @Test
    void aRatio_isOursOverTheirs() {
        measured("b", "holdfast", Metric.THROUGHPUT, 12_000);
        measured("b", "redisson", Metric.THROUGHPUT, 1_000);
        measured("b", "jedis", Metric.THROUGHPUT, 10_000);

        assertThat(Goals.judge(results))
                .extracting(outcome -> outcome.goal().text(), Goals.Outcome::figure, Goals.Outcome::reached)
                .containsExactly(
                        tuple("throughput >= 1.3 x jedis on a pool of 10", 1.2, false),
                        tuple("throughput >= 6 x redisson", 12.0, true));
    }

    @Test
    void aPing_isHalfOfACycleOfTwo() {
        measured("a-idle", "holdfast", Metric.CYCLE_P50, 110);
        measured("a-idle", "ping", Metric.CYCLE_P50, 100);

        assertThat(Goals.judge(results)).singleElement().satisfies(outcome -> {
            assertThat(outcome.figure()).isCloseTo(2.2, within(1e-9));
            assertThat(outcome.reached()).isTrue();
        });
    }

    @Test
    void anotherWorkload_canBeTheMeasure() {
        measured("h-waiters-1000", "holdfast", Metric.SENT_PER_RELEASE, 3);
        assertThat(Goals.judge(results)).isEmpty();

        measured("h-waiters-1", "holdfast", Metric.SENT_PER_RELEASE, 2);
        assertThat(Goals.judge(results)).singleElement().satisfies(outcome -> {
            assertThat(outcome.figure()).isEqualTo(1.5);
            assertThat(outcome.reached()).isFalse();
        });
    }

    @Test
    void aLimit_isReachedByWhatIsEqual() {
        measured("g", "holdfast", Metric.JARS, 9);
        measured("e10k", "holdfast", Metric.LOST_LEASES, 0);
        measured("d2-0ms", "holdfast", Metric.SMALLEST_SHARE, 44.9);

        assertThat(Goals.judge(results))
                .extracting(outcome -> outcome.goal().workload(), Goals.Outcome::reached)
                .containsExactly(tuple("d2-0ms", false), tuple("e10k", true), tuple("g", true));
    }

    @Test
    void ours_isThePrimitiveThatWasMeasured() {
        measured("k-permit-16on1", "redisson-leased", Metric.THROUGHPUT, 100);
        measured("k-permit-16on1", "holdfast-permit", Metric.THROUGHPUT, 3_000);
        measured("i-fair-2-0ms", "redisson-fair", Metric.HAND_OVER_P50, 300);
        measured("i-fair-2-0ms", "holdfast-fair", Metric.HAND_OVER_P50, 100);

        assertThat(Goals.judge(results))
                .extracting(outcome -> outcome.goal().text(), Goals.Outcome::figure, Goals.Outcome::reached)
                .containsExactly(
                        tuple("hand-over p50 <= 1/4 of redisson-fair", 1 / 3.0, false),
                        tuple("throughput >= 20 x redisson-leased", 30.0, true));
    }

    @Test
    void withoutOurs_orWithoutTheOther_aGoalIsNotListed() {
        measured("b", "redisson", Metric.THROUGHPUT, 1_000);
        measured("c16", "holdfast", Metric.THROUGHPUT, 1_000);

        assertThat(Goals.judge(results)).isEmpty();
    }

    @Test
    void everyGoal_isAboutAWorkloadAndContendersThatThereAre() {
        Plan plan = Plan.full();

        assertThat(Goals.all()).isNotEmpty().allSatisfy(goal -> {
            assertThat(takePart(plan, goal.workload())).anyMatch(Contenders::isOurs);
            Goals.Other other = goal.other();
            if (other != null) {
                assertThat(takePart(plan, other.workload())).contains(other.contender());
            }
        });
    }

    private static List<String> takePart(Plan plan, String workload) {
        return plan.workloads().stream()
                .filter(each -> each.name().equals(workload))
                .flatMap(each -> plan.admitted(each).stream())
                .map(Contender::name)
                .toList();
    }

    private void measured(String workload, String contender, Metric metric, double value) {
        results.add(workload, contender, Map.of(metric, value));
    }
}
