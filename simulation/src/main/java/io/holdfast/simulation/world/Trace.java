package io.holdfast.simulation.world;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What happened: the last events for the reader, and a hash of all of them, by which two runs are known to be the same.
 */
public final class Trace {
    private record Line(
            long time, String who, String what, @Nullable Object detail) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT, "%12.3f ms  %-18s %s%s", time / 1e6, who, what, detail == null ? "" : " " + detail);
        }
    }

    private final Line[] ring;
    private final boolean all;
    private final List<Line> everything = new ArrayList<>();
    private LongSupplier clock = () -> 0;
    private int count;
    private long hash = 0xcbf29ce484222325L;

    /**
     * An empty trace.
     *
     * @param all whether to keep every event, not only the last
     */
    public Trace(boolean all) {
        this.all = all;
        this.ring = new Line[120];
    }

    public void clock(LongSupplier nanos) {
        clock = nanos;
    }

    public void add(String who, String what) {
        add(who, what, null);
    }

    /**
     * Adds an event.
     *
     * @param detail a text or a number: its hash must be the same in every run
     */
    public void add(String who, String what, @Nullable Object detail) {
        long time = clock.getAsLong();
        Line line = new Line(time, who, what, detail);
        ring[count++ % ring.length] = line;
        if (all) {
            everything.add(line);
        }
        mix(time);
        mix(who.hashCode());
        mix(what.hashCode());
        if (detail != null) {
            mix(detail.hashCode());
        }
    }

    private void mix(long value) {
        hash = (hash ^ value) * 0x100000001b3L;
        hash ^= hash >>> 29;
    }

    public long hash() {
        return hash;
    }

    /** What was kept, oldest first. */
    public List<String> lines() {
        if (all) {
            return everything.stream().map(Line::toString).toList();
        }
        List<String> lines = new ArrayList<>();
        for (int i = Math.max(0, count - ring.length); i < count; i++) {
            lines.add(ring[i % ring.length].toString());
        }
        return lines;
    }
}
