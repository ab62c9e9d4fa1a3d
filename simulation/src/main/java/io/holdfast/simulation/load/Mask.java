package io.holdfast.simulation.load;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What is left out of a run, to see whether it fails without it. */
public record Mask(Set<Integer> faults, Set<Integer> actors, Set<String> steps) {
    /** Leaves out nothing. */
    public static final Mask NONE = new Mask(Set.of(), Set.of(), Set.of());

    public boolean keepsFault(int index) {
        return !faults.contains(index);
    }

    public boolean keepsActor(int number) {
        return !actors.contains(number);
    }

    public boolean keepsStep(int actor, int step) {
        return !steps.contains(actor + "/" + step);
    }

    public Mask withoutFault(int index) {
        return new Mask(plus(faults, index), actors, steps);
    }

    public Mask withoutActor(int number) {
        return new Mask(faults, plus(actors, number), steps);
    }

    public Mask withoutStep(int actor, int step) {
        return new Mask(faults, actors, plus(steps, actor + "/" + step));
    }

    private static <T extends Comparable<T>> Set<T> plus(Set<T> set, T one) {
        Set<T> more = new TreeSet<>(set);
        more.add(one);
        return more;
    }

    /** As text, for the command line. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        faults.forEach(fault -> text.append(",f").append(fault));
        actors.forEach(actor -> text.append(",a").append(actor));
        steps.forEach(step -> text.append(",s").append(step));
        return text.isEmpty() ? "" : text.substring(1);
    }

    /** From its text. */
    public static Mask parse(String text) {
        Mask mask = NONE;
        for (String part : text.isEmpty() ? List.<String>of() : List.of(text.split(",", -1))) {
            if (part.isEmpty()) {
                throw new IllegalArgumentException("a part of '" + text + "' is empty");
            }
            String rest = part.substring(1);
            mask = switch (part.charAt(0)) {
                case 'f' -> mask.withoutFault(Integer.parseInt(rest));
                case 'a' -> mask.withoutActor(Integer.parseInt(rest));
                case 's' -> new Mask(mask.faults, mask.actors, plus(mask.steps, rest));
                default -> throw new IllegalArgumentException("'" + part + "' is none of f1, a10, s10/3");
            };
        }
        return mask;
    }
}
