package io.holdfast.simulation.load;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What is left out of a run, to see whether it fails without it.
 *
 * @param steps of each actor
 */
public record Mask(Set<Integer> faults, Set<Integer> actors, Map<Integer, Set<Integer>> steps) {
    /** Leaves out nothing. */
    public static final Mask NONE = new Mask(Set.of(), Set.of(), Map.of());

    public boolean keepsFault(int index) {
        return !faults.contains(index);
    }

    public boolean keepsActor(int number) {
        return !actors.contains(number);
    }

    public boolean keepsStep(int actor, int step) {
        return !steps.getOrDefault(actor, Set.of()).contains(step);
    }

    public Mask withoutFault(int index) {
        return new Mask(plus(faults, index), actors, steps);
    }

    public Mask withoutActor(int number) {
        return new Mask(faults, plus(actors, number), steps);
    }

    public Mask withoutStep(int actor, int step) {
        Map<Integer, Set<Integer>> more = new TreeMap<>(steps);
        more.put(actor, plus(more.getOrDefault(actor, Set.of()), step));
        return new Mask(faults, actors, more);
    }

    private static Set<Integer> plus(Set<Integer> set, int one) {
        Set<Integer> more = new TreeSet<>(set);
        more.add(one);
        return more;
    }

    /** As text, for the command line: f2 is the third fault, a11 an actor, s11/3-7 some of its steps. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        faults.forEach(fault -> text.append(",f").append(fault));
        actors.forEach(actor -> text.append(",a").append(actor));
        steps.forEach((actor, left) -> {
            if (!actors.contains(actor)) {
                appendRanges(text, actor, left);
            }
        });
        return text.isEmpty() ? "" : text.substring(1);
    }

    private static void appendRanges(StringBuilder text, int actor, Set<Integer> steps) {
        for (int step : steps) {
            if (!steps.contains(step - 1)) {
                int last = step;
                while (steps.contains(last + 1)) {
                    last++;
                }
                text.append(",s").append(actor).append('/').append(step);
                if (last > step) {
                    text.append('-').append(last);
                }
            }
        }
    }

    /** From its text. */
    public static Mask parse(String text) {
        Mask mask = NONE;
        for (String part : text.isEmpty() ? List.<String>of() : List.of(text.split(",", -1))) {
            if (!part.matches("[fa][0-9]+|s[0-9]+/[0-9]+(-[0-9]+)?")) {
                throw new IllegalArgumentException("'" + part + "' in '" + text
                        + "' is none of f1 (a fault), a10 (an actor), s10/3-7 (its steps)");
            }
            List<Integer> numbers = List.of(part.substring(1).split("[/-]", -1)).stream()
                    .map(Integer::valueOf)
                    .toList();
            if (part.startsWith("f")) {
                mask = mask.withoutFault(numbers.get(0));
            } else if (part.startsWith("a")) {
                mask = mask.withoutActor(numbers.get(0));
            } else {
                for (int step = numbers.get(1); step <= numbers.get(numbers.size() - 1); step++) {
                    mask = mask.withoutStep(numbers.get(0), step);
                }
            }
        }
        return mask;
    }
}
