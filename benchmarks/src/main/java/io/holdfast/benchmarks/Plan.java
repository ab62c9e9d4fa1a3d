package io.holdfast.benchmarks;

import io.holdfast.benchmarks.contenders.Contender;
import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.workloads.Workload;
import io.holdfast.benchmarks.workloads.Workloads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What is measured, how often and how long. Round 0 warms up and does not count. */
record Plan(List<Workload> workloads, List<Contender> contenders, int rounds, Duration time) {

    Plan {
        if (rounds < 1 || time.toMillis() < 1) {
            throw new IllegalArgumentException(
                    "at least one round and one millisecond, not " + rounds + " and " + time);
        }
    }

    /** The main workloads and contenders, in less than five minutes. */
    static Plan quick() {
        return new Plan(Workloads.quick(), Contenders.quick(), 3, Duration.ofMillis(1500));
    }

    /** Everything, in about 80 minutes. */
    static Plan full() {
        return new Plan(Workloads.all(), Contenders.all(), 5, Duration.ofSeconds(3));
    }

    /** One measurement. */
    record Step(Workload workload, int round, Contender contender) {
        boolean counts() {
            return round > 0;
        }
    }

    /** Round by round, and in each round one contender after the other, each time another one first. */
    List<Step> steps() {
        List<Step> steps = new ArrayList<>();
        for (Workload workload : workloads) {
            List<Contender> admitted = admitted(workload);
            for (int round = workload.startsCold() ? 1 : 0; round <= workload.rounds(rounds); round++) {
                for (Contender contender : rotated(admitted, round)) {
                    steps.add(new Step(workload, round, contender));
                }
            }
        }
        return steps;
    }

    /** Those who take part in it. */
    List<Contender> admitted(Workload workload) {
        return contenders.stream()
                .filter(contender -> contender.primitives().contains(workload.primitive()))
                .filter(workload::admits)
                .toList();
    }

    static <T> List<T> rotated(List<T> list, int by) {
        List<T> rotated = new ArrayList<>(list);
        Collections.rotate(rotated, -by);
        return rotated;
    }

    /** A guess: the measured times, and what comes with each. */
    Duration expected() {
        return steps().stream()
                .map(step -> time.plus(step.workload().overhead(time)))
                .reduce(Duration.ofSeconds(2), Duration::plus);
    }
}
