package io.holdfast.benchmarks.measure;

import java.util.Arrays;

/**
 * A histogram of times in nanoseconds, exact to one part in 128, of fixed size however many there are. Not thread safe:
 * each thread has its own, and they are added up at the end.
 */
public final class Latencies {
    private static final int BITS = 7;
    private static final int STEPS = 1 << BITS;
    private static final int SLOTS = (Long.SIZE - BITS) * STEPS;

    private final long[] counts = new long[SLOTS];

    /** Counts one time. */
    public void add(long nanos) {
        counts[slot(Math.max(0, nanos))]++;
    }

    /** Counts all that the other has counted. */
    public void add(Latencies other) {
        for (int i = 0; i < SLOTS; i++) {
            counts[i] += other.counts[i];
        }
    }

    public long count() {
        return Arrays.stream(counts).sum();
    }

    /** The smallest time that at least this part (0 to 1) of all times do not exceed; not a number if there is none. */
    public double percentile(double part) {
        long total = count();
        long wanted = Math.max(1, (long) Math.ceil(part * total));
        long seen = 0;
        for (int i = 0; i < SLOTS && total > 0; i++) {
            seen += counts[i];
            if (seen >= wanted) {
                return middle(i);
            }
        }
        return Double.NaN;
    }

    /** {@code slot:count,slot:count}, for {@link #parse}. */
    public String print() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < SLOTS; i++) {
            if (counts[i] > 0) {
                text.append(text.length() == 0 ? "" : ",").append(i).append(':').append(counts[i]);
            }
        }
        return text.toString();
    }

    /** What another process has printed. */
    public static Latencies parse(String text) {
        Latencies result = new Latencies();
        for (String pair : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            int colon = pair.indexOf(':');
            result.counts[Integer.parseInt(pair.substring(0, colon))] += Long.parseLong(pair.substring(colon + 1));
        }
        return result;
    }

    /** Times below 128 have a slot each; above, each doubling has 128 slots. */
    private static int slot(long nanos) {
        int shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(nanos) - BITS - 1);
        return shift * STEPS + (int) (nanos >>> shift);
    }

    private static double middle(int slot) {
        int shift = Math.max(0, slot / STEPS - 1);
        long low = (long) (slot - shift * STEPS) << shift;
        return low + ((1L << shift) - 1) / 2.0;
    }
}
