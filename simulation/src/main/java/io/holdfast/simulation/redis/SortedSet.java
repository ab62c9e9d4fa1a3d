package io.holdfast.simulation.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Members by score, those of one score by their bytes. A sorted array: the sets of a simulation are short. */
final class SortedSet {
    /** A member and its score. */
    record Item(double score, String member) {}

    private static final Comparator<Item> ORDER = (a, b) -> {
        // Not Double.compare: to Redis both zeros are one score.
        if (a.score != b.score) {
            return a.score < b.score ? -1 : 1;
        }
        return a.member.compareTo(b.member);
    };

    private final Map<String, Item> byMember = new HashMap<>();
    private final List<Item> inOrder = new ArrayList<>();

    SortedSet() {}

    SortedSet(SortedSet other) {
        byMember.putAll(other.byMember);
        inOrder.addAll(other.inOrder);
    }

    int size() {
        return inOrder.size();
    }

    boolean isEmpty() {
        return inOrder.isEmpty();
    }

    @Nullable
    Double score(String member) {
        Item item = byMember.get(member);
        return item == null ? null : item.score;
    }

    /** From 0; -1 if it is no member. */
    int rank(String member) {
        Item item = byMember.get(member);
        return item == null ? -1 : Collections.binarySearch(inOrder, item, ORDER);
    }

    Item at(int rank) {
        return inOrder.get(rank);
    }

    List<Item> items() {
        return inOrder;
    }

    void put(String member, double score) {
        remove(member);
        // A short set keeps whole scores as integers, and so does not know of a negative zero.
        Item item = new Item(score + 0.0, member);
        byMember.put(member, item);
        inOrder.add(-Collections.binarySearch(inOrder, item, ORDER) - 1, item);
    }

    boolean remove(String member) {
        int rank = rank(member);
        if (rank >= 0) {
            inOrder.remove(rank);
            byMember.remove(member);
        }
        return rank >= 0;
    }
}
