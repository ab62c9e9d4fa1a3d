package io.holdfast.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.faults.contender.Contenders;
import io.holdfast.faults.contender.Topology;
import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.judge.Attempt;
import io.holdfast.faults.judge.Evidence;
import io.holdfast.faults.judge.HistoryJudge;
import io.holdfast.faults.judge.Judge;
import io.holdfast.faults.judge.Violation;
import io.holdfast.faults.nemesis.FaultKind;
import io.holdfast.faults.nemesis.Injection;
import io.holdfast.servers.PrivateNetwork;
import io.holdfast.servers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Campaigns of a few seconds. */
class CampaignIT {
    private static final Set<Violation.Kind> SLOWNESS = EnumSet.of(
            Violation.Kind.WAIT_LATE,
            Violation.Kind.LOSS_LATE,
            Violation.Kind.LEADER_LATE,
            Violation.Kind.WAKE_UP_LOST);

    @TempDir
    private Path folder = Path.of("");

    @Test
    void holdfast_withKillsPausesAndAFlush_breaksNothing() {
        Evidence evidence = ShortCampaign.run(
                folder,
                Topology.SINGLE,
                "holdfast",
                EnumSet.allOf(Workload.class),
                Duration.ofSeconds(1),
                Duration.ofSeconds(6),
                FaultKind.KILL,
                FaultKind.PAUSE,
                FaultKind.CLIENT_CLOCK,
                FaultKind.FLUSH);
        assertUnbroken(evidence);
        for (Workload workload : Workload.values()) {
            assertThat(evidence.attempts())
                    .filteredOn(each -> each.wish().workload() == workload)
                    .anyMatch(Attempt::isGranted);
        }
        assertThat(evidence.injections().size()).isGreaterThan(1);
    }

    private static void assertUnbroken(Evidence evidence) {
        // How long things took stands in the tables: the machine of a build may be busy.
        assertThat(Judge.judge(evidence))
                .filteredOn(each -> each.inside() && !SLOWNESS.contains(each.kind()))
                .isEmpty();
        HistoryJudge.Opinion opinion = HistoryJudge.judge(evidence);
        assertThat(opinion.violations()).isEmpty();
        assertThat(opinion.holds()).isPositive();
    }

    @ParameterizedTest
    @EnumSource(
            value = Topology.class,
            names = {"SENTINEL", "CLUSTER"})
    @Tag("slow")
    void holdfast_withPartitions_breaksNothing(Topology topology) {
        assumeTrue(PrivateNetwork.whyNot().isEmpty(), PrivateNetwork.whyNot());
        Set<FaultKind> kinds = EnumSet.of(
                FaultKind.CUT,
                FaultKind.SILENCE,
                FaultKind.LOST_REPLIES,
                FaultKind.PARTITION,
                FaultKind.MASTER_PARTITION);
        Evidence evidence = ShortCampaign.run(
                folder,
                topology,
                "holdfast",
                EnumSet.allOf(Workload.class),
                Duration.ofSeconds(1),
                Duration.ofSeconds(40),
                kinds.toArray(FaultKind[]::new));
        assertUnbroken(evidence);
        assertThat(evidence.injections()).extracting(Injection::kind).containsAll(kinds);
    }

    @ParameterizedTest
    @EnumSource(
            value = Topology.class,
            names = {"SINGLE", "QUORUM"})
    @Tag("slow")
    void holdfast_withServersWhoseClocksAreStepped_keepsTokensRising(Topology topology) {
        assumeTrue(RedisServer.whyNoMovableClock().isEmpty(), RedisServer.whyNoMovableClock());
        Evidence evidence = ShortCampaign.run(
                folder,
                topology,
                "holdfast",
                Contenders.named("holdfast").workloads(topology),
                Duration.ofSeconds(1),
                Duration.ofSeconds(20),
                FaultKind.SERVER_CLOCK);
        assertUnbroken(evidence);
        assertThat(evidence.injections()).extracting(Injection::kind).contains(FaultKind.SERVER_CLOCK);
    }
}
