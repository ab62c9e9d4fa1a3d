package io.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.simulation.load.Mask;
import io.holdfast.simulation.load.Setup;
import io.holdfast.simulation.load.Topology;
import io.holdfast.testkit.Faults;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A short campaign in every build; {@code ./simulation/run --seeds 20000} is the long one. */
class SimulationTest {
    private static final long SEEDS = Long.getLong("simulation.seeds", 500);

    @Test
    @Faults({
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 26, 27, 28, 32, 33, 34, 35, 37,
        39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 50, 51, 52, 53, 54, 58
    })
    void seeds_breakNoPromise_andShowEveryFault() throws InterruptedException {
        Campaign.Outcome outcome = Campaign.run(Topology.SINGLE, 1, SEEDS, 2, null);

        Run.Result failed = outcome.failed();
        assertThat(failed == null ? "nothing" : "seed " + failed.seed() + ": " + failed.problem())
                .isEqualTo("nothing");
        assertThat(outcome.seeds()).isEqualTo(SEEDS);
        assertThat(outcome.missed()).isEmpty();
        assertThat(outcome.hits().timesTakenByForce())
                .as("locks taken from one that believed in them")
                .isPositive();
    }

    @Test
    void seedsWithFailovers_breakNoPromise() throws InterruptedException {
        Campaign.Outcome outcome = Campaign.run(Topology.FAILOVER, 1, 250, 2, null);

        Run.Result failed = outcome.failed();
        assertThat(failed == null ? "nothing" : "seed " + failed.seed() + ": " + failed.problem())
                .isEqualTo("nothing");
        assertThat(outcome.seeds()).isEqualTo(250);
        assertThat(outcome.hits().count(12)).as("failovers").isPositive();
    }

    /** On the real store, down to the sockets: slower by far, so fewer. Long ones are run by hand. */
    @ParameterizedTest
    @CsvSource({"QUORUM3, 40", "QUORUM5, 20", "SENTINEL, 40", "CLUSTER, 100"})
    @Faults({12, 24, 25, 29, 30, 31, 36})
    void seedsOfSeveralServers_breakNoPromise(Topology topology, long seeds) throws InterruptedException {
        Campaign.Outcome outcome = Campaign.run(topology, 1, seeds, 2, null);

        Run.Result failed = outcome.failed();
        assertThat(failed == null ? "nothing" : "seed " + failed.seed() + ": " + failed.problem())
                .isEqualTo("nothing");
        assertThat(outcome.seeds()).isEqualTo(seeds);
        assertThat(topology.moreOfTheCatalogue())
                .as("came true")
                .allMatch(fault -> outcome.hits().count(fault) > 0);
    }

    @Test
    void everyRun_hasAtLeast200CallsAnd3Faults() {
        for (long seed = 1; seed <= 20; seed++) {
            Run.Result result = Run.of(seed, Topology.SINGLE, Mask.NONE, false);

            assertThat(result.calls()).as("calls of seed %d", seed).isGreaterThanOrEqualTo(Setup.CALLS);
            assertThat(result.faults()).as("faults of seed %d", seed).isGreaterThanOrEqualTo(3);
        }
    }

    @Test
    void oneSeedTwice_givesTheSameTrace() throws InterruptedException {
        List<Long> first = new ArrayList<>();
        List<Long> second = new ArrayList<>();
        for (long seed = 100; seed < 115; seed++) {
            first.add(Run.of(seed, Topology.SINGLE, Mask.NONE, false).hash());
        }
        // On another thread, with other threads to carry it, and with the whole trace kept.
        Thread other = new Thread(() -> {
            for (long seed = 100; seed < 115; seed++) {
                second.add(Run.of(seed, Topology.SINGLE, Mask.NONE, true).hash());
            }
        });
        other.start();
        other.join();

        assertThat(second).isEqualTo(first);
        assertThat(first).doesNotHaveDuplicates();
    }

    @Test
    void wholeTrace_tellsWhoHeldWhatAndWhichMessageWasWhere() {
        List<String> trace = Run.of(7, Topology.SINGLE, Mask.NONE, true).timeline();

        assertThat(trace).anyMatch(line -> line.matches(".*c[0-9] +holds a with [0-9]+"));
        assertThat(trace).anyMatch(line -> line.matches(".*redis +does: acquire hf:a by .*"));
        assertThat(trace).anyMatch(line -> line.contains("fault"));
    }
}
