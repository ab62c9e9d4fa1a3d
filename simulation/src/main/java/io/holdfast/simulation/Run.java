package io.holdfast.simulation;

import io.holdfast.simulation.audit.Violation;
import io.holdfast.simulation.load.Mask;
import io.holdfast.simulation.load.Scene;
import io.holdfast.simulation.load.Setup;
import io.holdfast.simulation.load.Topology;
import io.holdfast.simulation.net.Hits;
import io.holdfast.simulation.world.Trace;
import io.holdfast.simulation.world.World;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One run, from its seed to its verdict. */
public final class Run {
    private static final long SECOND = 1_000_000_000L;

    /**
     * How it went.
     *
     * @param problem what was wrong; null if nothing was
     * @param hash equal for equal runs
     * @param overlaps holders at once that the timing model does not exclude
     */
    public record Result(
            long seed,
            Topology topology,
            Mask mask,
            @Nullable Throwable problem,
            long hash,
            long steps,
            int calls,
            int faults,
            long overlaps,
            Hits hits,
            List<String> timeline) {

        public boolean failed() {
            return problem != null;
        }

        /** The promise that was broken. */
        public String invariant() {
            return problem instanceof Violation violation
                    ? violation.invariant()
                    : problem == null ? "none" : problem.getClass().getSimpleName();
        }
    }

    private Run() {}

    public static Result of(long seed, Topology topology, Mask mask, boolean wholeTrace) {
        Setup setup = Setup.of(seed, topology);
        Trace trace = new Trace(wholeTrace);
        World world = new World(seed, trace);
        trace.clock(world::now);
        Scene scene = new Scene(setup, mask, world);
        Throwable problem = null;
        try {
            live(world, scene);
        } catch (Throwable e) {
            problem = e;
        } finally {
            world.end();
        }
        return new Result(
                seed,
                topology,
                mask,
                problem,
                trace.hash(),
                world.steps(),
                scene.calls(),
                setup.faults().size() - mask.faults().size(),
                scene.auditor().overlapsOutside(),
                scene.hits(),
                problem != null || wholeTrace ? trace.lines() : List.of());
    }

    private static void live(World world, Scene scene) throws Throwable {
        scene.start();
        world.runUntil(() -> scene.isDone() && scene.director().isDone(), 600 * SECOND);
        scene.director().hurry();
        world.runUntil(
                () -> scene.director().isDone()
                        && world.now() > scene.director().disturbedUntil(),
                world.now() + 60 * SECOND);
        scene.director().heal();
        scene.ending().judge();
    }
}
