package io.holdfast.faults.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.faults.contender.Mode;
import io.holdfast.faults.contender.Wish;
import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.nemesis.FaultKind;
import io.holdfast.faults.nemesis.Injection;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The history checker sees what is wrong in the evidence of a campaign, and nothing else. Times are in milliseconds. */
class HistoryJudgeTest {
    private final Evidence evidence = new Evidence(Duration.ofSeconds(1), true);
    private long ids;

    private static long ms(long millis) {
        return millis * 1_000_000;
    }

    private Attempt granted(String worker, Workload workload, Mode mode, int permits, long token, long from) {
        List<String> locks = workload.locks().subList(0, 1);
        Attempt attempt = new Attempt(worker, ++ids, new Wish(workload, mode, locks, permits), ms(from - 5), ms(8000));
        attempt.granted = ms(from);
        attempt.tokens = List.of(token);
        attempt.until = ms(from + 1000);
        evidence.attempts().add(attempt);
        return attempt;
    }

    private Attempt held(String worker, Workload workload, Mode mode, int permits, long token, long from, long to) {
        Attempt attempt = granted(worker, workload, mode, permits, token, from);
        attempt.releasing = ms(to);
        attempt.released = ms(to + 5);
        attempt.kept = true;
        return attempt;
    }

    private Attempt held(String worker, long token, long from, long to) {
        return held(worker, Workload.LOCK, Mode.ALONE, 1, token, from, to);
    }

    private List<Violation.Kind> found() {
        HistoryJudge.Opinion opinion = HistoryJudge.judge(evidence);
        assertThat(opinion.undecided()).isZero();
        return opinion.violations().stream().map(Violation::kind).toList();
    }

    @Test
    void oneAfterTheOther_isRight() {
        held("a", 10, 100, 200);
        held("b", 11, 202, 300); // while the release was still under way
        held("a", Workload.READ_WRITE, Mode.READING, 1, 20, 100, 300);
        held("b", Workload.READ_WRITE, Mode.READING, 1, 19, 150, 250);
        held("b", Workload.READ_WRITE, Mode.ALONE, 1, 21, 301, 400);
        held("a", Workload.SEMAPHORE, Mode.PERMITS, 2, 5, 100, 300);
        held("b", Workload.SEMAPHORE, Mode.PERMITS, 1, 4, 100, 300);
        assertThat(found()).isEmpty();
        assertThat(HistoryJudge.judge(evidence).holds()).isEqualTo(7);
    }

    @Test
    void twoAtOnce_isFound() {
        held("a", 10, 100, 200);
        held("b", 11, 150, 300);
        assertThat(found()).containsExactly(Violation.Kind.HISTORY);
        assertThat(HistoryJudge.judge(evidence).violations().get(0).text()).contains("Not linearizable", "a:1", "b:2");
    }

    @Test
    void writerBesideAReader_isFound() {
        held("a", Workload.READ_WRITE, Mode.READING, 1, 1, 100, 300);
        held("b", Workload.READ_WRITE, Mode.ALONE, 1, 2, 200, 400);
        assertThat(found()).containsExactly(Violation.Kind.HISTORY);
    }

    @Test
    void morePermitsThanThereAre_isFound() {
        held("a", Workload.SEMAPHORE, Mode.PERMITS, 2, 1, 100, 300);
        held("b", Workload.SEMAPHORE, Mode.PERMITS, 2, 2, 200, 300);
        assertThat(found()).containsExactly(Violation.Kind.HISTORY);
    }

    @Test
    void tokenThatFalls_isFound() {
        held("a", 10, 100, 200);
        held("b", 9, 300, 400);
        assertThat(found()).containsExactly(Violation.Kind.HISTORY);
    }

    @Test
    void secondBeforeTheDeadlineOfOneThatSleeps_isFound_andAfterItIsRight() {
        Attempt first = granted("a", Workload.LOCK, Mode.ALONE, 1, 10, 100);
        Attempt second = held("b", 11, 1050, 1200);
        assertThat(found()).containsExactly(Violation.Kind.HISTORY);
        second.granted = ms(1101);
        assertThat(found()).isEmpty();
        first.releasing = ms(3000);
        first.released = ms(3001);
        assertThat(found()).as("it learns when it gives back").isEmpty();
    }

    @Test
    void secondAfterTheKillOfTheFirst_isRight_butNotBeforeIt() {
        granted("a", Workload.LOCK, Mode.ALONE, 1, 10, 100);
        evidence.killed("a", ms(500));
        held("b", 11, 510, 600);
        assertThat(found()).isEmpty();
        held("c", 12, 550, 560);
        assertThat(found()).containsExactly(Violation.Kind.HISTORY);
    }

    @Test
    void grantThatWasOverBeforeItsCallReturned_isRight() {
        Attempt late = granted("a", Workload.LOCK, Mode.ALONE, 1, 10, 5000);
        late.until = ms(4000); // it slept between the answer and the return
        Attempt asked = new Attempt("a", 99, late.wish(), ms(100), ms(8000));
        asked.granted = late.granted;
        asked.tokens = late.tokens;
        asked.until = late.until;
        evidence.attempts().set(0, asked);
        held("b", 11, 4100, 4200);
        assertThat(found()).isEmpty();
    }

    @Test
    void whatAFlushMayHaveTouched_isLeftOut_andWhatComesLongAfterItIsNot() {
        evidence.injections().add(new Injection(FaultKind.FLUSH, "server", ms(150), ms(151)));
        held("a", 10, 100, 200);
        held("b", 11, 160, 300);
        assertThat(found()).isEmpty();
        assertThat(HistoryJudge.judge(evidence).holds()).isZero();
        held("a", 20, 6_000, 6_200);
        held("b", 21, 6_100, 6_300);
        assertThat(found()).containsExactly(Violation.Kind.HISTORY);
    }

    @Test
    void longHistory_isJudgedInPieces_andTheOneMistakeInItIsFound() {
        for (int i = 0; i < 5_000; i++) {
            held("p" + i % 8, 100 + i, 100 + 20L * i, 110 + 20L * i);
        }
        HistoryJudge.Opinion right = HistoryJudge.judge(evidence);
        assertThat(right.violations()).isEmpty();
        assertThat(right.undecided()).isZero();
        assertThat(right.holds()).isEqualTo(5_000);
        held("x", 100 + 3_700, 100 + 20L * 3_700 + 4, 110 + 20L * 3_700);
        assertThat(found()).isNotEmpty().containsOnly(Violation.Kind.HISTORY);
    }
}
