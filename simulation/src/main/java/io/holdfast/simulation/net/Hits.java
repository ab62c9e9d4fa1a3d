package io.holdfast.simulation.net;

/** How often each fault of the catalogue was seen to happen, not merely planned. */
public final class Hits {
    private final long[] counts = new long[64];
    private long passedOn;

    public void hit(int fault) {
        counts[fault]++;
    }

    public long count(int fault) {
        return counts[fault];
    }

    /** A client has passed a lock on among its threads. */
    public void passedOn() {
        passedOn++;
    }

    public long timesPassedOn() {
        return passedOn;
    }

    public void add(Hits other) {
        passedOn += other.passedOn;
        for (int i = 0; i < counts.length; i++) {
            counts[i] += other.counts[i];
        }
    }
}
