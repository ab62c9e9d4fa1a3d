package io.holdfast.testkit.history;

import java.util.Comparator;

/** One hold of a client; the token is 0 where there are none. */
record Hold(String client, long token) implements Comparable<Hold> {
    private static final Comparator<Hold> ORDER =
            Comparator.comparing(Hold::client).thenComparingLong(Hold::token);

    @Override
    public int compareTo(Hold other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return token == 0 ? client : client + " (token " + token + ")";
    }
}
