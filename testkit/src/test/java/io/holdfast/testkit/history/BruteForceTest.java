package io.holdfast.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.history.Operation.Action;
import io.holdfast.testkit.history.Operation.Mode;
import io.holdfast.testkit.history.Operation.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The checker and one that tries everything say the same of small histories of any kind, most of them nonsense. */
class BruteForceTest {
    private static final List<Action> ACTIONS = List.of(Action.values());

    @ParameterizedTest
    @EnumSource
    void smallHistories_areJudgedAsByTryingEverything(Primitive primitive) {
        Model<?> model = primitive == Primitive.SEMAPHORE ? new SemaphoreModel(2) : primitive.model();
        int right = 0;
        int wrong = 0;
        for (int seed = 0; seed < 6_000; seed++) {
            List<Operation> operations = random(primitive, new Random(seed));
            boolean expected = BruteForce.isLinearizable(operations, model);
            Verdict verdict = LinearizabilityChecker.check(History.of(operations), model);
            assertThat(verdict.isOk()).as("seed %s: %s", seed, operations).isEqualTo(expected);
            if (expected) {
                right++;
            } else {
                wrong++;
                assertThat(verdict.prefix())
                        .as("seed %s: %s", seed, operations)
                        .isEqualTo(BruteForce.shortestFailure(operations, model));
            }
        }
        assertThat(right).isGreaterThan(600);
        assertThat(wrong).isGreaterThan(600);
    }

    /** Clients one operation at a time, all events at different times. */
    private static List<Operation> random(Primitive primitive, Random random) {
        int count = 2 + random.nextInt(5);
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            order.add(i);
            order.add(i);
        }
        Collections.shuffle(order, random);
        // Often one after the other, or nothing would ever be wrong.
        if (random.nextBoolean()) {
            Collections.sort(order);
        }
        List<Operation> operations = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long called = order.indexOf(i);
            long returned = order.lastIndexOf(i);
            operations.add(operation(primitive, random, called, returned));
        }
        operations.sort(Comparator.comparingLong(Operation::called));
        return operations;
    }

    private static Operation operation(Primitive primitive, Random random, long called, long returned) {
        Action action = ACTIONS.get(random.nextInt(ACTIONS.size()));
        if (random.nextInt(3) == 0) {
            action = Action.ACQUIRE;
        }
        boolean acquires = action == Action.ACQUIRE || action == Action.TRY_ACQUIRE;
        List<Outcome> outcomes = acquires
                ? List.of(Outcome.GRANTED, Outcome.GRANTED, Outcome.GRANTED, Outcome.REFUSED, Outcome.UNKNOWN)
                : action == Action.LOSE
                        ? List.of(Outcome.LOST, Outcome.UNKNOWN)
                        : List.of(Outcome.DONE, Outcome.DONE, Outcome.NOT_HELD, Outcome.LOST, Outcome.UNKNOWN);
        Outcome outcome = outcomes.get(random.nextInt(outcomes.size()));
        Mode mode = primitive == Primitive.READ_WRITE && random.nextBoolean() ? Mode.SHARED : Mode.EXCLUSIVE;
        int permits = primitive == Primitive.SEMAPHORE && random.nextInt(3) == 0 ? 2 : 1;
        long token =
                primitive == Primitive.FENCED && !(acquires && outcome != Outcome.GRANTED) ? 1 + random.nextInt(3) : 0;
        String client = random.nextInt(3) == 0 ? "b" : "a";
        return new Operation(client, "lock", action, mode, permits, token, outcome, called, returned);
    }
}
