package io.holdfast.testkit.history;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Tries every order; remembers nothing, prunes nothing. For a handful of operations. */
final class BruteForce {
    private BruteForce() {}

    static <S> boolean isLinearizable(List<Operation> operations, Model<S> model) {
        return search(effective(operations), model, model.initial());
    }

    private static <S> boolean search(List<Operation> left, Model<S> model, S state) {
        if (left.stream().allMatch(Operation::isOpen)) {
            return true;
        }
        long firstReturn = left.stream().mapToLong(Operation::returned).min().orElse(Operation.OPEN);
        for (int i = 0; i < left.size(); i++) {
            Operation next = left.get(i);
            if (next.called() > firstReturn) {
                continue;
            }
            List<Operation> rest = new ArrayList<>(left);
            rest.remove(i);
            for (S after : model.step(state, next)) {
                if (search(rest, model, after)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * The shortest prefix that has no order, for operations whose times are all different; what was not called in it is
     * not in it.
     */
    static List<Operation> shortestFailure(List<Operation> recorded, Model<?> model) {
        List<Operation> operations = effective(recorded);
        TreeSet<Long> times = new TreeSet<>();
        operations.forEach(o -> times.add(o.called()));
        operations.stream().filter(o -> !o.isOpen()).forEach(o -> times.add(o.returned()));
        for (long time : times) {
            List<Operation> prefix = operations.stream()
                    .filter(o -> o.called() <= time)
                    .map(o -> o.returned() <= time ? o : o.opened())
                    .toList();
            if (!search(prefix, model)) {
                return prefix;
            }
        }
        throw new IllegalStateException("it is linearizable");
    }

    private static <S> boolean search(List<Operation> operations, Model<S> model) {
        return search(operations, model, model.initial());
    }

    private static List<Operation> effective(List<Operation> recorded) {
        return Timeline.of(recorded).operations();
    }
}
