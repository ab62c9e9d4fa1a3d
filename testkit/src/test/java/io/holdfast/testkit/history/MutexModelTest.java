package io.holdfast.testkit.history;

import static io.holdfast.testkit.history.Operation.Outcome.DONE;
import static io.holdfast.testkit.history.Operation.Outcome.LOST;
import static io.holdfast.testkit.history.Operation.Outcome.NOT_HELD;
import static io.holdfast.testkit.history.Operation.Outcome.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MutexModelTest {

    @Test
    void oneAfterTheOther_isRight() {
        accepts(new Ops()
                .granted("a")
                .refused("b")
                .timedOut("b")
                .release("a", DONE)
                .granted("b"));
        accepts(new Ops().release("a", NOT_HELD).granted("a").renew("a", DONE).release("a", DONE));
    }

    @Test
    void grantThatMayHaveComeAfterTheRelease_isRight() {
        accepts(new Ops()
                .between(1, 2)
                .granted("a")
                .between(3, 7)
                .granted("b")
                .between(5, 9)
                .release("a", DONE));
    }

    @Test
    void twoAtOnce_isWrong() {
        rejects(new Ops().granted("a").granted("b"));
        rejects(new Ops().granted("a").granted("a"));
        rejects(new Ops().granted("a").granted("b").release("a", DONE).release("b", DONE));
    }

    @Test
    void answersThatDoNotFit_areWrong() {
        rejects(new Ops().refused("a"));
        rejects(new Ops().release("a", DONE));
        rejects(new Ops().granted("a").release("b", DONE));
        rejects(new Ops().granted("a").release("a", DONE).release("a", DONE));
        rejects(new Ops().granted("a").release("a", NOT_HELD));
        rejects(new Ops().renew("a", DONE));
    }

    @Test
    void acquireOfUnknownOutcome_mayHaveTakenEffectOrNot() {
        accepts(new Ops().acquireUnknown("a").refused("b"));
        accepts(new Ops()
                .acquireUnknown("a")
                .granted("b")
                .release("b", DONE)
                .refused("b")
                .granted("b"));
        accepts(new Ops().acquireUnknown("a").release("a", DONE));
        accepts(new Ops().acquireUnknown("a").release("a", NOT_HELD).refused("b"));
        rejects(new Ops().refused("b").acquireUnknown("a"));
        rejects(new Ops().acquireUnknown("a").granted("b").granted("c"));
        rejects(new Ops().acquireUnknown("a").release("a", DONE).release("a", DONE));
    }

    @Test
    void releaseOfUnknownOutcome_mayHaveTakenEffectOrNot() {
        accepts(new Ops().granted("a").release("a", UNKNOWN).granted("b"));
        accepts(new Ops().granted("a").release("a", UNKNOWN).refused("b").granted("b"));
        accepts(new Ops().granted("a").release("a", UNKNOWN).release("a", DONE).granted("b"));
        rejects(new Ops().granted("a").release("a", UNKNOWN).granted("b").granted("c"));
        rejects(new Ops().granted("a").release("a", UNKNOWN).granted("b").release("a", DONE));
    }

    @Test
    void leaseThatIsLost_endsBetweenTheLastConfirmationAndTheNews() {
        accepts(new Ops().granted("a").granted("b").lost("a"));
        accepts(new Ops().granted("a").granted("b").release("a", LOST).release("b", DONE));
        accepts(new Ops()
                .granted("a")
                .renew("a", DONE)
                .granted("b")
                .renew("a", LOST)
                .release("a", NOT_HELD));
        rejects(new Ops().granted("a").granted("b").renew("a", DONE).lost("a"));
        rejects(new Ops().granted("a").granted("b").granted("c").lost("a"));
        rejects(new Ops().granted("a").granted("b").release("a", DONE));
        rejects(new Ops().granted("a").lost("a").release("a", DONE));
    }

    @Test
    void storeMayCountALostLeaseForAWhile() {
        accepts(new Ops().granted("a").lost("a").refused("b").granted("b"));
        rejects(new Ops().granted("a").lost("a").granted("b").release("b", DONE).refused("c"));
    }

    @Test
    void crashedClient_mayHaveLostWhatItHeld() {
        Ops history = new Ops().granted("a").granted("b");
        assertThat(judge(history.history().crashed("a"::equals)).isOk()).isTrue();
        assertThat(judge(history.history().crashed("b"::equals)).isOk()).isFalse();
        Ops twice = new Ops()
                .granted("a")
                .release("a", DONE)
                .granted("a")
                .granted("b")
                .granted("c");
        assertThat(judge(twice.history().crashed("a"::equals)).isOk()).isFalse();
        Ops confirmed = new Ops().granted("a").granted("b").renew("a", DONE);
        assertThat(judge(confirmed.history().crashed("a"::equals)).isOk()).isFalse();
    }

    @Test
    void tokens_tellTheHoldsOfAClientApart() {
        accepts(new Ops().granted("a", 1).granted("a", 2).lost("a", 1).release("a", 2, DONE));
        rejects(new Ops()
                .granted("a", 1)
                .granted("a", 2)
                .lost("a", 2)
                .release("a", 1, DONE)
                .granted("a", 3)
                .refused("b")
                .release("a", 1, DONE));
    }

    private static Verdict judge(History history) {
        return LinearizabilityChecker.check(history, new MutexModel());
    }

    private static void accepts(Ops ops) {
        assertThat(ops.judge(new MutexModel()).kind()).isEqualTo(Verdict.Kind.OK);
    }

    private static void rejects(Ops ops) {
        assertThat(ops.judge(new MutexModel()).kind()).isEqualTo(Verdict.Kind.FAILED);
    }
}
