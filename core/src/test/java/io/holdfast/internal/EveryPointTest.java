package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockException;
import io.holdfast.LockTimeoutException;
import io.holdfast.internal.PointRun.Form;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Something happens at every single point of every blocking call: before and after each wait, each request, each look at
 * the clock. A first run counts the points, then one run for each of them has it happen there. The machine does one thing
 * at a time, so each run is the same as the first one up to its point.
 */
class EveryPointTest {

    /** Who else wants the lock. */
    enum Rival {
        NONE,
        LEAVES,
        STAYS
    }

    /** A call, in one of the situations it can be in. */
    record Scene(PointCall call, Form form, Rival rival, boolean callerMayBlock) {
        PointRun start() throws InterruptedException {
            PointRun run = new PointRun(callerMayBlock, form);
            call.prepare(run);
            if (rival == Rival.NONE) {
                run.rivalIsAway();
            } else {
                run.rivalHolds(rival == Rival.LEAVES);
            }
            return run;
        }
    }

    static Stream<Arguments> scenes() {
        List<Scene> scenes = new ArrayList<>();
        for (PointCall call : PointCall.values()) {
            for (Form form : forms(call)) {
                for (Rival rival : call.needsHold ? List.of(Rival.NONE) : List.of(Rival.values())) {
                    boolean endless = call == PointCall.LOCK || call == PointCall.LOCK_INTERRUPTIBLY;
                    for (boolean mayBlock : new boolean[] {true, false}) {
                        if (!(endless && rival == Rival.STAYS)) {
                            scenes.add(new Scene(call, form, rival, mayBlock));
                        }
                    }
                }
            }
        }
        return scenes.stream().map(Arguments::of);
    }

    /** What takes one path for several locks is looked at once. */
    private static List<Form> forms(PointCall call) {
        return switch (call) {
            case TRY_LOCK, LOCK, TRY_ACQUIRE_ONCE, RELEASE -> List.of(Form.values());
            case ACQUIRE, TRY_LOCK_ONCE, UNLOCK, EXTEND, CLOSE_CLIENT -> List.of(Form.ONE, Form.ALL);
            default -> List.of(Form.ONE);
        };
    }

    /** What happens: at which kind of point, what it is, and what has to hold afterwards. */
    private interface Event {
        void happen(PointRun run);

        void check(PointRun run, Scene scene);
    }

    private static void everywhere(Scene scene, boolean amid, Event event) throws InterruptedException {
        PointRun reference = scene.start();
        reference.platform.arm(Integer.MAX_VALUE, true, () -> {});
        reference.call(scene.call());
        List<String> points = reference.platform.places();
        assertThat(points).as("points of %s", scene).hasSizeGreaterThan(floor(scene));
        for (int point = 0; point < points.size(); point++) {
            PointRun run = scene.start();
            try {
                run.platform.arm(point, amid, () -> event.happen(run));
                run.call(scene.call());
                assertThat(run.platform.places().subList(0, point + 1)).isEqualTo(points.subList(0, point + 1));
                run.platform.turns().joinOther();
                event.check(run, scene);
                run.assertNothingLeft();
            } catch (Throwable e) {
                throw new AssertionError(
                        scene + ", point " + point + " (" + points.get(point) + "): value " + run.value + ", error "
                                + run.error,
                        e);
            }
        }
    }

    private static int floor(Scene scene) {
        return scene.rival() == Rival.NONE || scene.call().name().endsWith("ONCE") ? 6 : 25;
    }

    @ParameterizedTest
    @MethodSource("scenes")
    void interruptAtAnyPoint_endsTheCallOrIsKept(Scene scene) throws InterruptedException {
        everywhere(scene, true, interrupt(run -> {}));
    }

    /** The grant, the wake-up and the rival's release all come in between. */
    @ParameterizedTest
    @MethodSource("scenes")
    void interruptOfACallerThatIsOvertaken_endsTheCallOrIsKept(Scene scene) throws InterruptedException {
        everywhere(scene, false, interrupt(run -> run.platform.overtake(600_000_000L)));
    }

    private static Event interrupt(Consumer<PointRun> before) {
        return new Event() {
            @Override
            public void happen(PointRun run) {
                before.accept(run);
                run.platform.interrupt(Turns.CALLER);
            }

            @Override
            public void check(PointRun run, Scene in) {
                boolean kept = run.platform.interrupted();
                if (!run.platform.hasHappened()) {
                    assertThat(run.error == null || run.error instanceof LockTimeoutException)
                            .isTrue();
                } else if (run.error instanceof InterruptedException) {
                    assertThat(in.call().interruptible).isTrue();
                    assertThat(kept).as("flag set though it was thrown").isFalse();
                    assertThat(run.lock.isHeldByCurrentThread()).isFalse();
                } else {
                    assertThat(kept).as("flag kept").isTrue();
                    assertThat(run.error == null || in.rival() == Rival.STAYS).isTrue();
                }
                if (run.gotLock()) {
                    assertThat(run.giveBack()).isTrue();
                } else if (in.call() == PointCall.AWAIT && run.error == null) {
                    assertThat(run.value).isEqualTo(in.rival() == Rival.STAYS ? "closed" : "open");
                }
            }
        };
    }

    @ParameterizedTest
    @MethodSource("scenes")
    void waitThatIsOverAtAnyPoint_leavesNothing(Scene scene) throws InterruptedException {
        everywhere(scene, true, timePasses(PointRun.WAIT.toNanos()));
    }

    @ParameterizedTest
    @MethodSource("scenes")
    void leaseThatIsOverAtAnyPoint_leavesNothing(Scene scene) throws InterruptedException {
        everywhere(scene, true, timePasses(PointRun.LEASE.toNanos() + 1_000_000_000L));
    }

    private static Event timePasses(long nanos) {
        return new Event() {
            @Override
            public void happen(PointRun run) {
                run.platform.jump(nanos);
            }

            @Override
            public void check(PointRun run, Scene in) {
                assertThat(run.error == null || run.error instanceof LockException)
                        .isTrue();
                assertThat(run.platform.interrupted()).isFalse();
                if (run.gotLock()) {
                    run.giveBack();
                } else if (run.lease != null && !run.lease.release()) {
                    // What was lost here stands in the store until it ends there.
                    run.platform.advance(PointRun.EXTENSION.toNanos());
                }
            }
        };
    }

    @ParameterizedTest
    @MethodSource("scenes")
    void clientClosedAtAnyPoint_endsTheCallAndLeavesNothing(Scene scene) throws InterruptedException {
        everywhere(scene, false, new Event() {
            @Override
            public void happen(PointRun run) {
                run.platform.turns().start("closer", run.engine::close);
            }

            @Override
            public void check(PointRun run, Scene in) {
                assertThat(run.error == null || run.error instanceof LockException)
                        .isTrue();
                if (run.gotLock()) {
                    // At the last points the call is inside a monitor until it returns, and closing comes too late.
                    assertThat(run.giveBack()).isEqualTo(!run.platform.hasHappened());
                }
            }
        });
    }
}
