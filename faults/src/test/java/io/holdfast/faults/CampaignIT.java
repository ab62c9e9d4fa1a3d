package io.holdfast.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.faults.contender.Contenders;
import io.holdfast.faults.contender.Topology;
import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.judge.Attempt;
import io.holdfast.faults.judge.Evidence;
import io.holdfast.faults.judge.Judge;
import io.holdfast.faults.judge.Violation;
import io.holdfast.faults.nemesis.FaultKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Campaigns of a few seconds. */
class CampaignIT {
    @TempDir
    private Path folder = Path.of("");

    private Evidence run(String contender, Set<Workload> workloads, Duration lease, Duration time, FaultKind... only) {
        Settings settings = new Settings(
                Topology.SINGLE,
                Contenders.named(contender),
                workloads,
                time,
                lease,
                Duration.ofMillis(100),
                2,
                1,
                List.of(only));
        try (Campaign campaign = new Campaign(settings, folder, CampaignIT::show)) {
            return campaign.run().evidence();
        }
    }

    private static void show(String line) {
        System.out.println(line);
    }

    @Test
    void holdfast_withKillsPausesAndAFlush_breaksNothing() {
        Evidence evidence = run(
                "holdfast",
                EnumSet.allOf(Workload.class),
                Duration.ofSeconds(1),
                Duration.ofSeconds(6),
                FaultKind.KILL,
                FaultKind.PAUSE,
                FaultKind.FLUSH);
        // How long things took stands in the tables: the machine of a build may be busy.
        assertThat(Judge.judge(evidence))
                .filteredOn(each -> each.inside()
                        && each.kind() != Violation.Kind.WAIT_LATE
                        && each.kind() != Violation.Kind.LOSS_LATE)
                .isEmpty();
        for (Workload workload : Workload.values()) {
            assertThat(evidence.attempts())
                    .filteredOn(each -> each.wish().workload() == workload)
                    .anyMatch(Attempt::isGranted);
        }
        assertThat(evidence.injections().size()).isGreaterThan(1);
    }

    @Test
    void redisson_goesThroughTheSameHarness() {
        Evidence evidence = run(
                "redisson",
                EnumSet.allOf(Workload.class),
                Duration.ofSeconds(1),
                Duration.ofSeconds(4),
                FaultKind.RESET);
        for (Workload workload : Workload.values()) {
            assertThat(evidence.attempts())
                    .filteredOn(each -> each.wish().workload() == workload)
                    .anyMatch(Attempt::isGranted);
        }
    }

    @Test
    void lockWrittenByHand_isCaught() {
        Evidence evidence =
                run("naive", EnumSet.of(Workload.LOCK), Duration.ofMillis(100), Duration.ofSeconds(5), FaultKind.PAUSE);
        assertThat(Judge.judge(evidence))
                .filteredOn(Violation::inside)
                .extracting(Violation::kind)
                .contains(Violation.Kind.OVERLAP, Violation.Kind.STALE_WRITE);
    }
}
