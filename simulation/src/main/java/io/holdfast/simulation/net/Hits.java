package io.holdfast.simulation.net;

/** How often each fault of the catalogue was seen to happen, not merely planned. */
public final class Hits {
    private final long[] counts = new long[64];
    private long passedOn;
    private long takenAgain;
    private long takenByForce;

    public void hit(int fault) {
        counts[fault]++;
    }

    public long count(int fault) {
        return counts[fault];
    }

    /** A thread took a lock again while the next of its client was on its way. */
    public void takenAgain() {
        takenAgain++;
    }

    public long timesTakenAgain() {
        return takenAgain;
    }

    /** An operator took a lock from one that believed in it. */
    public void takenByForce() {
        takenByForce++;
    }

    public long timesTakenByForce() {
        return takenByForce;
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
        takenAgain += other.takenAgain;
        takenByForce += other.takenByForce;
        for (int i = 0; i < counts.length; i++) {
            counts[i] += other.counts[i];
        }
    }
}
