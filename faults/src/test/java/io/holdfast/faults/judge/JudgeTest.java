package io.holdfast.faults.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.faults.contender.Mode;
import io.holdfast.faults.contender.Wish;
import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.nemesis.FaultKind;
import io.holdfast.faults.nemesis.Injection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A judge that finds nothing wrong with a wrong history proves nothing. Times are in milliseconds. */
class JudgeTest {
    private final Evidence evidence = new Evidence(Duration.ofSeconds(1), true);
    private long ids;

    private static long ms(long millis) {
        return millis * 1_000_000;
    }

    private Attempt attempt(String worker, Workload workload, Mode mode, int permits, long asked) {
        Attempt attempt =
                new Attempt(worker, ++ids, new Wish(workload, mode, workload.locks(), permits), ms(asked), ms(8000));
        evidence.attempts().add(attempt);
        return attempt;
    }

    /** Granted, looked at, and given back in good order. */
    private Attempt held(String worker, Workload workload, Mode mode, int permits, long token, long from, long to) {
        Attempt attempt = attempt(worker, workload, mode, permits, from - 1);
        attempt.granted = ms(from);
        attempt.tokens = List.of(token);
        attempt.until = ms(from + 1000);
        attempt.releasing = ms(to);
        attempt.released = ms(to + 1);
        attempt.kept = true;
        return attempt;
    }

    private Attempt held(String worker, long token, long from, long to) {
        return held(worker, Workload.LOCK, Mode.ALONE, 1, token, from, to);
    }

    /** Its deadline passes, and it gives back what it has no more. */
    private Attempt lost(String worker, long token, long from, long until) {
        Attempt attempt = held(worker, token, from, until + 3000);
        attempt.kept = false;
        attempt.until = ms(until);
        return attempt;
    }

    private List<Violation.Kind> inside() {
        evidence.endsAt(ms(100_000));
        return Judge.judge(evidence).stream()
                .filter(Violation::inside)
                .map(Violation::kind)
                .toList();
    }

    private long outside() {
        return Judge.judge(evidence).stream().filter(each -> !each.inside()).count();
    }

    private void fault(FaultKind kind, long from, long to) {
        evidence.injections().add(new Injection(kind, "server", ms(from), ms(to)));
    }

    @Test
    void oneAfterTheOther_isRight() {
        held("a", 10, 100, 200);
        held("b", 11, 200, 300);
        held("a", Workload.READ_WRITE, Mode.READING, 1, 20, 100, 300);
        held("b", Workload.READ_WRITE, Mode.READING, 1, 19, 150, 250);
        held("b", Workload.READ_WRITE, Mode.ALONE, 1, 21, 300, 400);
        held("a", Workload.SEMAPHORE, Mode.PERMITS, 2, 5, 100, 300);
        held("b", Workload.SEMAPHORE, Mode.PERMITS, 1, 4, 100, 300);
        assertThat(inside()).isEmpty();
        assertThat(outside()).isZero();
    }

    @Test
    void twoAtOnce_isAnOverlap() {
        held("a", 10, 100, 200);
        held("b", 11, 199, 300);
        assertThat(inside()).containsExactly(Violation.Kind.OVERLAP);
    }

    @Test
    void twoWhoseLeasesOverlap_isAnOverlap_evenIfOneSleeps() {
        lost("a", 10, 100, 1100).lost = ms(1101);
        held("b", 11, 1099, 1200);
        assertThat(inside()).containsExactly(Violation.Kind.OVERLAP);
    }

    @Test
    void secondAfterTheDeadlineOfTheFirst_isRight_thoughTheFirstSleepsOn() {
        lost("a", 10, 100, 1100).lost = ms(1101);
        held("b", 11, 1100, 1200);
        assertThat(inside()).isEmpty();
    }

    @Test
    void secondAfterTheKillOfTheFirst_isRight_butNotBeforeIt() {
        lost("a", 10, 100, 1100);
        evidence.killed("a", ms(500));
        held("b", 11, 500, 600);
        assertThat(inside()).isEmpty();
        held("c", 12, 550, 560);
        assertThat(inside()).containsExactly(Violation.Kind.OVERLAP);
    }

    @Test
    void writerBesideAReader_isAnOverlap() {
        held("a", Workload.READ_WRITE, Mode.READING, 1, 1, 100, 300);
        held("b", Workload.READ_WRITE, Mode.ALONE, 1, 2, 299, 400);
        assertThat(inside()).containsExactly(Violation.Kind.OVERLAP);
    }

    @Test
    void morePermitsThanThereAre_isAnOverlap() {
        held("a", Workload.SEMAPHORE, Mode.PERMITS, 2, 1, 100, 300);
        held("b", Workload.SEMAPHORE, Mode.PERMITS, 2, 2, 200, 300);
        assertThat(inside()).containsExactly(Violation.Kind.OVERLAP);
    }

    @Test
    void overlapAfterALossOfState_isOutsideTheModel_andCounted() {
        fault(FaultKind.FLUSH, 150, 151);
        held("a", 10, 100, 200);
        held("b", 11, 160, 300);
        assertThat(inside()).isEmpty();
        assertThat(outside()).isEqualTo(1);
    }

    @Test
    void overlapLongAfterALossOfState_isInside() {
        fault(FaultKind.FLUSH, 150, 151);
        held("a", 10, 6_000, 6_200);
        held("b", 11, 6_100, 6_300);
        assertThat(inside()).containsExactly(Violation.Kind.OVERLAP);
    }

    @Test
    void overlapAfterAPause_isInside() {
        fault(FaultKind.PAUSE, 100, 200);
        held("a", 10, 100, 200);
        held("b", 11, 160, 300);
        assertThat(inside()).containsExactly(Violation.Kind.OVERLAP);
    }

    @Test
    void tokenThatFalls_orComesTwice_isFound() {
        held("a", 10, 100, 200);
        held("b", 9, 300, 400);
        held("c", 9, 500, 600);
        assertThat(inside()).containsExactly(Violation.Kind.TOKEN, Violation.Kind.TOKEN);
    }

    @Test
    void tokenThatFallsLongAfterAFlush_isInside() {
        fault(FaultKind.FLUSH, 150, 151);
        held("a", 10, 100, 149);
        held("b", 9, 2_000, 2_100);
        assertThat(inside()).containsExactly(Violation.Kind.TOKEN);
    }

    @Test
    void stepOfAServersClock_excusesAnOverlap_andNoTokenOfOneThatAskedAfterIt() {
        fault(FaultKind.SERVER_CLOCK, 150, 151);
        held("a", 10, 100, 200);
        held("b", 11, 160, 300);
        assertThat(inside()).isEmpty();
        assertThat(outside()).isEqualTo(1);
        held("c", 9, 400, 500);
        assertThat(inside()).containsExactly(Violation.Kind.TOKEN);
    }

    @Test
    void tokenFromBeforeAStepOfAServersClock_mayBeTheLower() {
        fault(FaultKind.SERVER_CLOCK, 150, 151);
        held("a", 20, 160, 200);
        Attempt late = attempt("b", Workload.LOCK, Mode.ALONE, 1, 140);
        late.granted = ms(201);
        late.tokens = List.of(10L);
        late.until = ms(1000);
        late.releasing = ms(300);
        late.kept = true;
        assertThat(inside()).isEmpty();
        assertThat(outside()).isEqualTo(1);
    }

    @Test
    void stepOfAClientsClock_excusesNothing() {
        fault(FaultKind.CLIENT_CLOCK, 150, 151);
        held("a", 10, 100, 200);
        held("b", 11, 160, 300);
        assertThat(inside()).containsExactly(Violation.Kind.OVERLAP);
    }

    @Test
    void clientCutOffFromAServer_excusesNothing_butAMasterCutOffFromItsFellowsDoes() {
        fault(FaultKind.PARTITION, 150, 1000);
        held("a", 10, 100, 200);
        held("b", 9, 160, 300);
        held("c", 8, 400, 500);
        assertThat(inside()).containsExactly(Violation.Kind.OVERLAP, Violation.Kind.TOKEN);
        fault(FaultKind.MASTER_PARTITION, 150, 1000);
        assertThat(inside()).isEmpty();
        assertThat(outside()).isEqualTo(2);
    }

    @Test
    void formerHolderThatWritesAgain_isFound() {
        Attempt a = held("a", 10, 100, 200);
        Attempt b = held("b", 11, 300, 400);
        evidence.writes("lock", List.of(a.key(), b.key()));
        assertThat(inside()).isEmpty();
        evidence.writes("lock", List.of(a.key(), b.key(), a.key()));
        assertThat(inside()).containsExactly(Violation.Kind.STALE_WRITE);
    }

    @Test
    void formerHolderThatWritesAgain_isNotExcusedByAFlush_ifItHasAToken() {
        fault(FaultKind.FLUSH, 150, 151);
        Attempt a = held("a", 10, 100, 200);
        Attempt b = held("b", 11, 300, 400);
        evidence.writes("lock", List.of(a.key(), b.key(), a.key()));
        assertThat(inside()).containsExactly(Violation.Kind.STALE_WRITE);
    }

    @Test
    void lossThatIsNeverTold_orLate_isFound() {
        Attempt never = lost("a", 10, 100, 1100);
        assertThat(inside()).containsExactly(Violation.Kind.LOSS_LATE);
        never.lost = ms(1605);
        assertThat(inside()).containsExactly(Violation.Kind.LOSS_LATE);
        never.lost = ms(1105);
        assertThat(inside()).isEmpty();
    }

    @Test
    void lossOfOneThatWasKilled_isKnownOnlyIfItHadAskedAgain() {
        Attempt killed = lost("a", 10, 100, 1100);
        killed.releasing = ms(1500);
        killed.released = Attempt.NEVER;
        evidence.killed("a", ms(3000));
        assertThat(inside()).as("it may have been renewed, and given back").isEmpty();
        killed.toldNo = ms(1450);
        assertThat(inside()).containsExactly(Violation.Kind.LOSS_LATE);
    }

    @Test
    void lossToldAfterAPause_isInTime() {
        Attempt late = lost("a", 10, 100, 1100);
        late.lost = ms(3000);
        evidence.paused("a", ms(900), ms(2990));
        assertThat(inside()).isEmpty();
    }

    @Test
    void waiterThatIsNeverAnswered_isLost_unlessItWasKilled() {
        attempt("a", Workload.FAIR, Mode.ALONE, 1, 100);
        assertThat(inside()).containsExactly(Violation.Kind.WAITER_LOST);
        evidence.killed("a", ms(150));
        assertThat(inside()).isEmpty();
    }

    @Test
    void waitThatIsMuchTooLong_isFound() {
        Attempt attempt = attempt("a", Workload.FAIR, Mode.ALONE, 1, 100);
        attempt.gaveUp = ms(100 + 8000 + 3001);
        assertThat(inside()).containsExactly(Violation.Kind.WAIT_LATE);
        evidence.paused("a", ms(200), ms(201));
        evidence.paused("a", ms(200), ms(201));
        assertThat(evidence.standstill("a", 0, ms(1000))).as("counted once").isEqualTo(ms(1));
        assertThat(inside()).isEmpty();
    }

    private Attempt latch(String worker, Mode mode, long asked, long done) {
        Attempt attempt = attempt(worker, Workload.LATCH, mode, Workload.COUNTS, asked);
        attempt.granted = ms(done);
        return attempt;
    }

    @Test
    void latchCountedDownTwice_letsThroughWhoWaits() {
        latch("a", Mode.SETTING, 10, 20);
        latch("b", Mode.AWAITING, 30, 130);
        latch("c", Mode.COUNTING, 40, 50);
        latch("d", Mode.COUNTING, 60, 120);
        assertThat(inside()).isEmpty();
        assertThat(new Figures(evidence).wakeUps()).containsExactly(ms(10));
    }

    @Test
    void waiterLetThroughBeforeTheLastCountBegan_isFound_evenIfOneOfThemFailed() {
        latch("b", Mode.AWAITING, 30, 130);
        latch("c", Mode.COUNTING, 40, 50);
        Attempt last = attempt("d", Workload.LATCH, Mode.COUNTING, Workload.COUNTS, 131);
        last.gaveUp = ms(140);
        last.failed = true;
        assertThat(inside()).containsExactly(Violation.Kind.WOKEN_EARLY);
    }

    @Test
    void waiterLetThroughByACountWhoseProcessWasKilled_isRight() {
        latch("b", Mode.AWAITING, 30, 130);
        latch("c", Mode.COUNTING, 40, 50);
        attempt("d", Workload.LATCH, Mode.COUNTING, Workload.COUNTS, 100);
        evidence.killed("d", ms(110));
        assertThat(inside()).isEmpty();
    }

    @Test
    void waiterOfALatchThatWasForgotten_isOutside() {
        fault(FaultKind.FLUSH, 100, 101);
        latch("b", Mode.AWAITING, 30, 130);
        latch("c", Mode.COUNTING, 40, 50);
        assertThat(inside()).isEmpty();
        assertThat(outside()).isEqualTo(1);
    }

    @Test
    void wakeUpThatIsLost_orMuchTooLate_isFound() {
        latch("c", Mode.COUNTING, 40, 50);
        latch("d", Mode.COUNTING, 60, 120);
        Attempt waiter = latch("b", Mode.AWAITING, 30, 120 + 3001);
        assertThat(inside()).containsExactly(Violation.Kind.WAKE_UP_LOST);
        fault(FaultKind.SERVER_PAUSE, 200, 202);
        assertThat(inside()).as("it could not know").isEmpty();
        waiter.granted = Attempt.NEVER;
        waiter.gaveUp = ms(8030);
        assertThat(inside()).containsExactly(Violation.Kind.WAKE_UP_LOST);
        waiter.failed = true;
        assertThat(inside()).as("it was told that nothing is known").isEmpty();
    }

    @Test
    void leaderThatComesLongAfterTheLeaseOfAKilledOne_isFound() {
        Attempt victim = held("a", Workload.ELECTION, Mode.ALONE, 1, 10, 100, 2000);
        victim.kept = false;
        victim.releasing = Attempt.NEVER;
        evidence.killed("a", ms(500));
        evidence.injections().add(new Injection(FaultKind.KILL, "a", ms(500), ms(500)));
        Attempt next = attempt("b", Workload.ELECTION, Mode.ALONE, 1, 50);
        next.granted = ms(500 + 1000 + 2999);
        next.tokens = List.of(11L);
        assertThat(inside()).isEmpty();
        next.granted = ms(500 + 1000 + 3001);
        assertThat(inside()).containsExactly(Violation.Kind.LEADER_LATE);
        evidence.paused("b", ms(1000), ms(1100));
        assertThat(inside()).isEmpty();
    }

    @Test
    void leaderThatWasDeposedAndNotInterrupted_isFound() {
        Attempt deposed = held("a", Workload.ELECTION, Mode.ALONE, 1, 10, 100, 3000);
        deposed.kept = false;
        deposed.lost = ms(1101);
        assertThat(inside()).isEmpty();
        deposed.ignored = true;
        assertThat(inside()).containsExactly(Violation.Kind.LOSS_LATE);
    }

    @Test
    void figures_countHandOverAndSignal() {
        Attempt victim = lost("a", 10, 100, 1100);
        victim.releasing = Attempt.NEVER;
        evidence.killed("a", ms(500));
        evidence.injections().add(new Injection(FaultKind.KILL, "a", ms(500), ms(500)));
        Attempt next = held("b", 11, 1550, 1600);
        Attempt told = lost("c", 12, 2000, 3000);
        told.lost = ms(3002);
        Figures figures = new Figures(evidence);
        assertThat(next.asked()).isGreaterThan(ms(1500));
        assertThat(figures.handOvers())
                .as("nobody wanted it before the lease was over")
                .isEmpty();
        held("d", 13, 4000, 4001);
        assertThat(figures.lossSignals()).containsExactly(ms(2));
        assertThat(Figures.percentile(List.of(5L, 1L, 9L), 0.5)).isEqualTo(5);
    }

    @Test
    void linesOfAProcess_becomeAnAttempt_andAHalfWrittenOneIsLeftOut(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("a.events");
        Files.writeString(file, "Q 1 100 LOCK ALONE lock 1 8000\nG 1 200 77\nV 1 210 1200\nU 1 300\nR 1 31");
        try (LogReader reader = new LogReader("a", file)) {
            reader.read(evidence.attempts());
            Attempt attempt = evidence.attempts().get(0);
            assertThat(attempt.heldUntil(Attempt.NEVER)).isEqualTo(300);
            assertThat(attempt.token("lock")).isEqualTo(77);
            assertThat(attempt.released).isEqualTo(Attempt.NEVER);
            Files.writeString(file, "0 true\n", StandardOpenOption.APPEND);
            reader.read(evidence.attempts());
            assertThat(attempt.released).isEqualTo(310);
            assertThat(reader.open()).isEmpty();
        }
    }
}
