package io.holdfast.testkit.history;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Where a search has been: what was put in order, and the state that it led to. A configuration that used up more of the
 * open operations than another, and is the same in all else, can do nothing that the other cannot; it counts as visited.
 */
final class Visited<S> {
    private record Place<S>(int skipped, BitSet rest, S state) {}

    private final Map<Place<S>, List<BitSet>> places = new HashMap<>();
    private long count;

    /** False if there is nothing new in it. */
    boolean add(BitSet closed, BitSet open, S state) {
        List<BitSet> used = places.computeIfAbsent(place(closed, state), any -> new ArrayList<>(1));
        for (BitSet other : used) {
            if (contains(open, other)) {
                return false;
            }
        }
        used.removeIf(other -> contains(other, open));
        used.add((BitSet) open.clone());
        count++;
        return true;
    }

    long count() {
        return count;
    }

    /** Almost always everything up to some operation is in order, and of the rest only a few: little to store. */
    private static <S> Place<S> place(BitSet closed, S state) {
        int skipped = closed.nextClearBit(0) & -64;
        return new Place<>(skipped, closed.get(skipped, Math.max(skipped, closed.length())), state);
    }

    private static boolean contains(BitSet whole, BitSet part) {
        if (part.isEmpty()) {
            return true;
        }
        BitSet rest = (BitSet) part.clone();
        rest.andNot(whole);
        return rest.isEmpty();
    }
}
