package io.holdfast.faults.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.faults.contender.Contender;
import io.holdfast.faults.contender.Contenders;
import io.holdfast.faults.contender.Topology;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Holdfast's part of the scenarios, so that neither they nor it go bad unseen. What is asserted holds on slow machines too. */
@Tag("slow")
class ScenariosIT {
    private final Contender holdfast = Contenders.named("holdfast");

    @Test
    void churn_leavesNoRenewalsBehind() throws Exception {
        Churn.Renewals seen = new Churn(8, Duration.ofSeconds(2), Duration.ofSeconds(3)).play(holdfast);
        assertThat(seen.churned()).isPositive();
        assertThat(seen.kept()).isTrue();
        // One in each second is what it takes.
        assertThat(seen.scripts()).as(seen.toString()).isBetween(1L, 12L);
    }

    @Test
    void lostReplyOfAnAcquire_onOneServer_countsOnce() throws Exception {
        LostReply.Outcome seen = new LostReply(Topology.SINGLE, 3).play(holdfast);
        assertThat(seen).isEqualTo(new LostReply.Outcome(3, 3, 0, 0, 0, 0, 0, 0));
    }

    @ParameterizedTest
    @EnumSource(names = {"SENTINEL", "CLUSTER"})
    void lostReplyOfAnAcquire_withReplicas_countsOnce(Topology topology) throws Exception {
        assumeTrue(Moment.isPossible(), "Linux tells what has arrived at a server that stands still");
        LostReply.Outcome seen = new LostReply(topology, 3).play(holdfast);
        assertThat(seen.lost()).isPositive();
        assertThat(seen).isEqualTo(new LostReply.Outcome(3, seen.lost(), 0, 0, 0, 0, 0, 0));
    }

    @Test
    void deadWaiters_areSkippedTogether() throws Exception {
        DeadWaiters.Waited seen = new DeadWaiters(20, Duration.ofSeconds(60)).play(holdfast);
        assertThat(seen.granted()).isTrue();
        // Their tickets live for six seconds, all at the same time.
        assertThat(Duration.ofNanos(seen.nanos())).isLessThan(Duration.ofSeconds(30));
    }

    @ParameterizedTest
    @EnumSource
    void tokens_riseOverALossOfState(Tokens.Fault fault) throws Exception {
        Tokens.Order seen = new Tokens(fault, 2).play(holdfast);
        assertThat(seen.higher()).as(seen.toString()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void lossOfAHeldLock_isTold(LossSignal.Fault fault) throws Exception {
        LossSignal.Signals seen = new LossSignal(fault, 2).play(holdfast);
        assertThat(seen.told()).hasSize(2);
        assertThat(seen.knew()).isEqualTo(2);
    }

    @Test
    void waiterWhoseWakeUpWasLost_goesOnLongBeforeTheLeaseIsOver() throws Exception {
        assumeTrue(Moment.isPossible(), "Linux tells what has arrived at a server that stands still");
        LostWakeUp.Waits seen = new LostWakeUp(2, Duration.ofSeconds(60)).play(holdfast);
        assertThat(seen.nanos())
                .hasSize(2)
                .allMatch(each -> Duration.ofNanos(each).toSeconds() < 20);
    }
}
