package io.holdfast.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.faults.contender.Contenders;
import io.holdfast.faults.contender.Topology;
import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.judge.Attempt;
import io.holdfast.faults.judge.Evidence;
import io.holdfast.faults.judge.HistoryJudge;
import io.holdfast.faults.judge.Judge;
import io.holdfast.faults.judge.Violation;
import io.holdfast.faults.nemesis.FaultKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Other locks go through the same harness, and one that is none is caught by it. */
class RivalCampaignIT {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void redisson_goesThroughTheSameHarness() {
        Set<Workload> workloads = Contenders.named("redisson").workloads(Topology.SINGLE);
        Evidence evidence = ShortCampaign.run(
                folder,
                Topology.SINGLE,
                "redisson",
                workloads,
                Duration.ofSeconds(1),
                Duration.ofSeconds(4),
                FaultKind.RESET);
        assertThat(workloads).hasSize(Workload.values().length - 1).doesNotContain(Workload.ELECTION);
        for (Workload workload : workloads) {
            assertThat(evidence.attempts())
                    .filteredOn(each -> each.wish().workload() == workload)
                    .anyMatch(Attempt::isGranted);
        }
    }

    @Test
    void lockWrittenByHand_isCaught() {
        Evidence evidence = ShortCampaign.run(
                folder,
                Topology.SINGLE,
                "naive",
                EnumSet.of(Workload.LOCK),
                Duration.ofMillis(100),
                Duration.ofSeconds(5),
                FaultKind.PAUSE);
        assertThat(Judge.judge(evidence))
                .filteredOn(Violation::inside)
                .extracting(Violation::kind)
                .contains(Violation.Kind.OVERLAP, Violation.Kind.STALE_WRITE);
        assertThat(HistoryJudge.judge(evidence).violations()).isNotEmpty();
    }
}
