package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.workloads.OneName;
import io.holdfast.benchmarks.workloads.SeveralJvms;
import io.holdfast.benchmarks.workloads.Workload;
import io.holdfast.benchmarks.workloads.Workloads;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanTest {
    @Test
    void steps_takeContendersInTurn_andAnotherOneFirstInEachRound() {
        assertThat(steps(new OneName(16)))
                .containsExactly(
                        "0 holdfast",
                        "0 redisson",
                        "0 jedis",
                        "1 redisson",
                        "1 jedis",
                        "1 holdfast",
                        "2 jedis",
                        "2 holdfast",
                        "2 redisson");
    }

    @Test
    void steps_ofAWorkloadThatStartsCold_haveNoWarmUp() {
        assertThat(steps(new SeveralJvms(2, 8, 0)))
                .containsExactly("1 redisson", "1 jedis", "1 holdfast", "2 jedis", "2 holdfast", "2 redisson");
    }

    @Test
    void quick_isExpectedToTakeLessThanFiveMinutes() {
        Plan plan = new Plan(Workloads.quick(), Contenders.quick(), 3, Duration.ofMillis(1500));

        assertThat(plan.expected()).isLessThan(Duration.ofMinutes(5));
    }

    @Test
    void only_choosesByTheStartOfTheName() {
        assertThat(Workloads.only(List.of("a", "c16")))
                .extracting(Workload::name)
                .containsExactly("a-idle", "a-hot", "c16");
        assertThatThrownBy(() -> Workloads.only(List.of("z")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'z'");
    }

    private static List<String> steps(Workload workload) {
        return new Plan(List.of(workload), Contenders.quick(), 2, Duration.ofSeconds(1))
                .steps().stream()
                        .map(step -> step.round() + " " + step.contender().name())
                        .toList();
    }
}
