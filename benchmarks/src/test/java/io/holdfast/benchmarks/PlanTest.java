package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.workloads.OneName;
import io.holdfast.benchmarks.workloads.SeveralJvms;
import io.holdfast.benchmarks.workloads.Workload;
import io.holdfast.benchmarks.workloads.Workloads;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

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
        assertThat(Plan.quick().expected()).isLessThan(Duration.ofMinutes(5));
    }

    @Test
    void full_isExpectedToTakeLessThan90Minutes() {
        assertThat(Plan.full().expected()).isBetween(Duration.ofMinutes(20), Duration.ofMinutes(90));
    }

    @Test
    void quick_hasTheMainWorkloadsAndContenders() {
        Set<String> wire = Set.of("holdfast", "redisson", "jedis", "ping");
        Set<String> jvms = Set.of("holdfast", "redisson", "jedis");

        assertThat(contendersByWorkload(Plan.quick()))
                .isEqualTo(Map.of(
                        "a-idle", wire,
                        "a-hot", wire,
                        "b", wire,
                        "c16", Set.of("holdfast", "redisson", "jedis", "reentrant"),
                        "d2-0ms", jvms,
                        "d2-1ms", jvms));
    }

    @Test
    void full_hasEveryWorkloadOfQuick_andARoundForEachContender() {
        Map<String, Set<String>> full = contendersByWorkload(Plan.full());

        assertThat(full).containsKeys("e10k-churn", "e100k", "f", "g", "h-waiters-1000", "h-names-1000000");
        contendersByWorkload(Plan.quick())
                .forEach((workload, contenders) ->
                        assertThat(full.get(workload)).as(workload).containsAll(contenders));
    }

    @Test
    void full_comparesEachPrimitiveWithItsLikes() {
        Map<String, Set<String>> full = contendersByWorkload(Plan.full());

        assertThat(full)
                .containsEntry("i-fair-idle", Set.of("holdfast-fair", "redisson-fair"))
                .containsEntry("i-fair-16", Set.of("holdfast-fair", "redisson-fair"))
                .containsEntry("i-fair-2-0ms", Set.of("holdfast-fair", "redisson-fair"))
                .containsEntry("j-read-hot", Set.of("holdfast-read", "redisson-read"))
                .containsEntry("j-read-16", Set.of("holdfast-read", "redisson-read"))
                .containsEntry("j-write-16", Set.of("holdfast-write", "redisson-write"))
                .containsEntry("k-permit-16on4", Set.of("holdfast-permit", "redisson-permit", "redisson-leased"));
        full.forEach((workload, contenders) -> assertThat(contenders.stream().filter(Contenders::isOurs))
                .as("ratios in %s", workload)
                .hasSize(1));
    }

    private static Map<String, Set<String>> contendersByWorkload(Plan plan) {
        Map<String, Set<String>> found = new LinkedHashMap<>();
        plan.steps().stream()
                .filter(step -> step.round() == 1)
                .forEach(step -> found.computeIfAbsent(step.workload().name(), any -> new TreeSet<>())
                        .add(step.contender().name()));
        return found;
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

    @Test
    void aRedisThatIsNoProgram_isRefusedBeforeAnythingStarts(@TempDir Path folder) {
        StringWriter said = new StringWriter();

        int exit = new CommandLine(new Main())
                .setErr(new PrintWriter(said))
                .execute("--quick", "--redis", folder.resolve("none").toString());

        assertThat(exit).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(said.toString()).contains("--redis " + folder.resolve("none") + " is no program");
    }

    private static List<String> steps(Workload workload) {
        List<Contender> contenders = Stream.of("holdfast", "redisson", "jedis", "ping")
                .map(Contenders::named)
                .toList();
        return new Plan(List.of(workload), contenders, 2, Duration.ofSeconds(1))
                .steps().stream()
                        .map(step -> step.round() + " " + step.contender().name())
                        .toList();
    }
}
