package io.holdfast.testkit.history;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** How many permits each hold has; immutable. */
record Holds(SortedMap<Hold, Integer> permits) {
    static final Holds NONE = new Holds(new TreeMap<>());

    int of(Hold hold) {
        return permits.getOrDefault(hold, 0);
    }

    int total() {
        return permits.values().stream().mapToInt(Integer::intValue).sum();
    }

    boolean isEmpty() {
        return permits.isEmpty();
    }

    boolean hasOtherThan(String client) {
        return permits.keySet().stream().anyMatch(hold -> !hold.client().equals(client));
    }

    Holds plus(Hold hold, int more) {
        if (more == 0) {
            return this;
        }
        SortedMap<Hold, Integer> next = new TreeMap<>(permits);
        if (next.merge(hold, more, Integer::sum) == 0) {
            next.remove(hold);
        }
        return new Holds(next);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<Hold, Integer> entry : permits.entrySet()) {
            text.append(text.isEmpty() ? "" : ", ").append(entry.getKey());
            if (entry.getValue() > 1) {
                text.append(" × ").append(entry.getValue());
            }
        }
        return text.isEmpty() ? "nobody" : text.toString();
    }
}
