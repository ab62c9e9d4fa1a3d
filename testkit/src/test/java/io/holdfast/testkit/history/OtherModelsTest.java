package io.holdfast.testkit.history;

import static io.holdfast.testkit.history.Operation.Action.ACQUIRE;
import static io.holdfast.testkit.history.Operation.Action.RELEASE;
import static io.holdfast.testkit.history.Operation.Mode.EXCLUSIVE;
import static io.holdfast.testkit.history.Operation.Mode.SHARED;
import static io.holdfast.testkit.history.Operation.Outcome.DONE;
import static io.holdfast.testkit.history.Operation.Outcome.LOST;
import static io.holdfast.testkit.history.Operation.Outcome.NOT_HELD;
import static io.holdfast.testkit.history.Operation.Outcome.REFUSED;
import static io.holdfast.testkit.history.Operation.Outcome.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class OtherModelsTest {

    @Test
    void reentrant_countsForEachHolder() {
        Model<?> model = new ReentrantModel();
        accepts(
                model,
                new Ops()
                        .granted("a")
                        .granted("a")
                        .release("a", DONE)
                        .refused("b")
                        .release("a", DONE)
                        .granted("b"));
        accepts(model, new Ops().granted("a", 5).granted("a", 5).granted("b", 6).lost("a", 5));
        accepts(
                model,
                new Ops()
                        .granted("a")
                        .acquireUnknown("a")
                        .release("a", DONE)
                        .release("a", DONE)
                        .granted("b"));
        accepts(
                model,
                new Ops().granted("a").acquireUnknown("a").release("a", DONE).granted("b"));
        accepts(
                model,
                new Ops().acquireUnknown("a").granted("a").release("a", DONE).release("a", DONE));
        rejects(model, new Ops().granted("a").granted("a").release("a", DONE).granted("b"));
        rejects(model, new Ops().granted("a").granted("b"));
        rejects(
                model,
                new Ops()
                        .granted("a")
                        .granted("a")
                        .release("a", DONE)
                        .release("a", DONE)
                        .release("a", DONE));
        rejects(model, new Ops().granted("a").refused("a"));
        rejects(model, new Ops().granted("a", 5).granted("a", 6));
        rejects(model, new Ops().granted("a").granted("a").lost("a").release("a", DONE));
    }

    @Test
    void fenced_wantsRisingTokens() {
        Model<?> model = new FencedModel();
        accepts(model, new Ops().granted("a", 3).release("a", 3, DONE).granted("b", 7));
        accepts(model, new Ops().granted("a", 3).granted("b", 4).release("a", 3, LOST));
        accepts(model, new Ops().granted("a", 3).release("a", 3, UNKNOWN).granted("b", 4));
        accepts(model, new Ops().acquireUnknown("a").refused("b").granted("b", 2));
        rejects(model, new Ops().granted("a", 3).release("a", 3, DONE).granted("b", 3));
        rejects(model, new Ops().granted("a", 3).release("a", 3, DONE).granted("b", 2));
        rejects(model, new Ops().granted("a", 3).granted("b", 4).release("a", 3, DONE));
        rejects(model, new Ops().granted("a", 3).release("a", 4, DONE));
        // The refusal is proof that the unseen grant took place, and it had a token.
        rejects(model, new Ops().acquireUnknown("a").refused("b").granted("b", 1));
    }

    @Test
    void readWrite_hasReadersOrAWriter() {
        Model<?> model = new ReadWriteModel();
        accepts(
                model,
                new Ops()
                        .reads("a")
                        .reads("b")
                        .reads("a")
                        .refused("c")
                        .readReleased("a")
                        .readReleased("b"));
        accepts(
                model,
                new Ops()
                        .granted("a")
                        .readRefused("b")
                        .reads("a")
                        .release("a", DONE)
                        .reads("b"));
        accepts(
                model,
                new Ops().reads("a").add("a", RELEASE, SHARED, 1, 0, UNKNOWN).granted("b"));
        accepts(model, new Ops().reads("a").granted("b").add("a", RELEASE, SHARED, 1, 0, LOST));
        accepts(model, new Ops().granted("a").reads("b").lost("a").reads("c"));
        accepts(model, new Ops().acquireUnknown("a").readRefused("b").reads("b"));
        accepts(
                model,
                new Ops()
                        .add("a", ACQUIRE, SHARED, 1, 0, UNKNOWN)
                        .refused("b")
                        .reads("c")
                        .readReleased("c")
                        .granted("b"));
        rejects(model, new Ops().granted("a").reads("b"));
        rejects(model, new Ops().reads("a").granted("b"));
        rejects(model, new Ops().reads("a").granted("a"));
        rejects(model, new Ops().granted("a").granted("b"));
        rejects(model, new Ops().reads("a").readRefused("b"));
        rejects(model, new Ops().reads("a").readReleased("a").readReleased("a"));
        rejects(model, new Ops().reads("a").release("a", DONE));
        rejects(model, new Ops().add("a", ACQUIRE, SHARED, 1, 0, UNKNOWN).readRefused("b"));
        rejects(model, new Ops().granted("a").lost("a").reads("b").readRefused("c"));
    }

    @Test
    void semaphore_hasSoManyPermits() {
        Model<?> model = new SemaphoreModel(3);
        accepts(
                model,
                new Ops()
                        .takes("a", 2)
                        .takes("b", 1)
                        .gives("a", 1)
                        .takes("c", 1)
                        .gives("a", 1)
                        .gives("b", 1));
        accepts(
                model,
                new Ops()
                        .takes("a", 2)
                        .add("b", ACQUIRE, EXCLUSIVE, 2, 0, REFUSED)
                        .takes("b", 1));
        accepts(model, new Ops().takes("a", 3).takes("b", 2).lost("a"));
        accepts(model, new Ops().takes("a", 3).lost("a").takes("b", 1).add("c", ACQUIRE, EXCLUSIVE, 1, 0, REFUSED));
        accepts(
                model,
                new Ops().add("a", ACQUIRE, EXCLUSIVE, 2, 0, UNKNOWN).add("b", ACQUIRE, EXCLUSIVE, 2, 0, REFUSED));
        accepts(
                model,
                new Ops()
                        .add("a", ACQUIRE, EXCLUSIVE, 2, 0, UNKNOWN)
                        .gives("a", 2)
                        .takes("b", 3));
        accepts(
                model,
                new Ops()
                        .takes("a", 3)
                        .add("a", RELEASE, EXCLUSIVE, 2, 0, UNKNOWN)
                        .takes("b", 2));
        rejects(model, new Ops().takes("a", 2).takes("b", 2));
        rejects(model, new Ops().takes("a", 2).gives("a", 3));
        rejects(model, new Ops().takes("a", 2).gives("b", 1));
        rejects(model, new Ops().takes("a", 2).add("b", ACQUIRE, EXCLUSIVE, 1, 0, REFUSED));
        rejects(model, new Ops().takes("a", 2).release("a", NOT_HELD));
        rejects(
                model,
                new Ops()
                        .takes("a", 3)
                        .add("a", RELEASE, EXCLUSIVE, 2, 0, UNKNOWN)
                        .takes("b", 3));
        rejects(model, new Ops().add("a", ACQUIRE, EXCLUSIVE, 2, 0, UNKNOWN).gives("a", 3));
        assertThatThrownBy(() -> new SemaphoreModel(0)).hasMessageContaining("not 0");
    }

    private static void accepts(Model<?> model, Ops ops) {
        Verdict verdict = ops.judge(model);
        assertThat(verdict.kind()).as("%s", verdict).isEqualTo(Verdict.Kind.OK);
    }

    private static void rejects(Model<?> model, Ops ops) {
        assertThat(ops.judge(model).kind()).isEqualTo(Verdict.Kind.FAILED);
    }
}
