package io.holdfast.testkit.history;

import static io.holdfast.testkit.history.Operation.Action.ACQUIRE;
import static io.holdfast.testkit.history.Operation.Action.RELEASE;
import static io.holdfast.testkit.history.Operation.Mode.EXCLUSIVE;
import static io.holdfast.testkit.history.Operation.Outcome.DONE;
import static io.holdfast.testkit.history.Operation.Outcome.GRANTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class LinearizabilityCheckerTest {

    @Test
    void emptyHistory_isRight() {
        assertThat(LinearizabilityChecker.check(History.of(List.of()), new MutexModel())
                        .isOk())
                .isTrue();
    }

    @Test
    void locksOfDifferentNames_haveNothingToDoWithOneAnother() {
        History history = History.of(List.of(granted("a", "x", 1), granted("b", "y", 3), granted("c", "z", 5)));
        assertThat(LinearizabilityChecker.check(history, new MutexModel()).isOk())
                .isTrue();
    }

    @Test
    void failure_isTheEarliestOfAllLocks_withWhatWasOpenThen() {
        History history = History.of(
                List.of(granted("a", "x", 1), granted("b", "y", 3), granted("c", "y", 5), granted("d", "x", 7)));
        Verdict verdict = LinearizabilityChecker.check(history, new MutexModel());
        assertThat(verdict.kind()).isEqualTo(Verdict.Kind.FAILED);
        assertThat(verdict.prefix()).containsExactly(granted("b", "y", 3), granted("c", "y", 5));
    }

    @Test
    void report_tellsWhoHeldTheLockAndWhatDoesNotFit() {
        Verdict verdict = new Ops()
                .granted("a", 1)
                .release("a", 1, DONE)
                .granted("b", 2)
                .between(6, 99)
                .granted("c", 3)
                .between(7, 8)
                .granted("d", 4)
                .granted("e", 5)
                .judge(new FencedModel());
        assertThat(verdict.prefix()).hasSize(5);
        assertThat(verdict.report())
                .contains("no order of the first 5 operations on 'lock', up to 8.")
                .contains("b acquire 'lock' token 2: granted [5, 6] -> held by b (token 2), last token 2")
                .contains("leaves no room for:\n  d acquire 'lock' token 4: granted [7, 8]")
                .contains("c acquire 'lock': unknown [6, open]")
                .doesNotContain("e acquire");
    }

    @Test
    void checkerWhoseBudgetIsTooSmall_saysSo() {
        History history = Simulation.run(Primitive.FENCED, 1, 16, 200, 0);
        Verdict verdict = LinearizabilityChecker.check(history, new FencedModel(), 20);
        assertThat(verdict.kind()).isEqualTo(Verdict.Kind.GAVE_UP);
        assertThat(verdict.isOk()).isFalse();
        assertThat(verdict.report()).contains("Gave up on [lock] after 20 configurations");
    }

    @Test
    void operationThatCannotBe_isRefused() {
        assertThatThrownBy(() -> new Operation("a", "x", RELEASE, EXCLUSIVE, 1, 0, GRANTED, 1, 2))
                .hasMessage("RELEASE cannot end as GRANTED");
        assertThatThrownBy(() -> new Operation("a", "x", ACQUIRE, EXCLUSIVE, 1, 0, GRANTED, 2, 1))
                .hasMessage("called at 2 but returned at 1");
        assertThatThrownBy(() -> new Operation("a", "x", ACQUIRE, EXCLUSIVE, 0, 0, GRANTED, 1, 2))
                .hasMessageContaining("not 0");
    }

    private static Operation granted(String client, String lock, long called) {
        return new Operation(client, lock, ACQUIRE, EXCLUSIVE, 1, 0, GRANTED, called, called + 1);
    }
}
