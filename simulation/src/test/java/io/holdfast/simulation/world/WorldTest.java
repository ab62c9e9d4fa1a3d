package io.holdfast.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Time, threads and clocks of the simulation. */
class WorldTest {
    private static final long MS = 1_000_000;

    private final World world = new World(1, new Trace(false));
    private final List<String> seen = new ArrayList<>();

    @AfterEach
    void end() {
        world.end();
    }

    private SimPlatform platform(double rate) {
        return new SimPlatform(new Host(world, "h", Dice.of(1), rate, 0), true, null);
    }

    private void pass(long millis) throws Throwable {
        world.runUntil(() -> false, world.now() + millis * MS);
    }

    @Test
    void fiber_thatSleeps_goesOnWhenItsTimeHasCome() throws Throwable {
        SimPlatform platform = platform(1);
        world.start(platform.host(), "a", () -> {
            platform.sleep(50 * MS);
            seen.add("woke at " + world.now() / MS);
        });

        pass(200);

        assertThat(seen).hasSize(1).allMatch(line -> line.matches("woke at 5[0-9]"));
    }

    @Test
    void fiberThatIsUnparked_goesOn_andOneThatIsNot_doesNot() throws Throwable {
        SimPlatform platform = platform(1);
        Fiber first = world.start(platform.host(), "first", () -> {
            while (seen.isEmpty()) {
                platform.park(Long.MAX_VALUE);
            }
            seen.add("first");
        });
        Fiber second = world.start(platform.host(), "second", () -> {
            while (true) {
                platform.park(Long.MAX_VALUE);
            }
        });
        pass(10);

        seen.add("told");
        platform.unpark(first);
        pass(10);

        assertThat(seen).containsExactly("told", "first");
        assertThat(first.isDone()).isTrue();
        assertThat(second.isDone()).isFalse();
    }

    @Test
    void interrupt_endsAParkAndIsSeenOnce() throws Throwable {
        SimPlatform platform = platform(1);
        Fiber fiber = world.start(platform.host(), "a", () -> {
            while (!platform.interrupted()) {
                platform.park(Long.MAX_VALUE);
            }
            seen.add("interrupted, and again " + platform.interrupted());
        });
        pass(10);

        fiber.interrupt();
        pass(10);

        assertThat(seen).containsExactly("interrupted, and again false");
    }

    @Test
    void clockThatRunsFast_makesItsTimersGoOffEarly() throws Throwable {
        SimPlatform fast = platform(1.1);
        long before = fast.nanoTime();

        pass(1_000);

        assertThat(fast.nanoTime() - before).isCloseTo(1_100 * MS, within(MS));
        fast.schedule(110 * MS, () -> seen.add("rang"));
        pass(99);
        assertThat(seen).isEmpty();
        pass(5);
        assertThat(seen).containsExactly("rang");
    }

    @Test
    void hostThatSleeps_doesItsWorkLater_andItsClockGoesOn() throws Throwable {
        SimPlatform platform = platform(1);
        long before = platform.nanoTime();
        platform.schedule(10 * MS, () -> seen.add("rang"));

        platform.host().sleep(100 * MS, false);
        pass(90);
        assertThat(seen).isEmpty();
        pass(20);

        assertThat(seen).containsExactly("rang");
        assertThat(platform.nanoTime() - before).isCloseTo(110 * MS, within(MS));
    }

    @Test
    void hostThatIsSuspended_hasAMonotonicClockThatStandsStill() throws Throwable {
        SimPlatform platform = platform(1);
        long mono = platform.nanoTime();
        long wall = platform.wallMillis();
        platform.schedule(50 * MS, () -> seen.add("rang"));

        platform.host().sleep(1_000 * MS, true);
        pass(1_020);

        assertThat(platform.nanoTime() - mono).isCloseTo(20 * MS, within(MS));
        assertThat(platform.wallMillis() - wall).isCloseTo(1_020L, within(2L));
        assertThat(seen).isEmpty();
        pass(40);
        assertThat(seen).containsExactly("rang");
    }

    @Test
    void deadHost_doesNothingAnyMore() throws Throwable {
        SimPlatform platform = platform(1);
        platform.schedule(10 * MS, () -> seen.add("rang"));
        world.start(platform.host(), "a", () -> {
            platform.sleep(10 * MS);
            seen.add("went on");
        });
        pass(1);

        platform.host().die();
        pass(100);

        assertThat(seen).isEmpty();
    }

    @Test
    void timerTaskThatBlocks_isAViolation() {
        SimPlatform platform = platform(1);
        platform.schedule(MS, () -> platform.park(MS));

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> pass(10))
                .withMessageContaining("must not block");
    }

    @Test
    void whatAFiberThrows_endsTheRun() {
        SimPlatform platform = platform(1);
        world.start(platform.host(), "a", () -> {
            throw new IllegalArgumentException("no");
        });

        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> pass(10))
                .withMessage("no");
    }
}
