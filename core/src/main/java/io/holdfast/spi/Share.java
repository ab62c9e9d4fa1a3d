package io.holdfast.spi;

/**
 * How much of a lock is wanted: all of it, to read beside others who read, or some of a number of permits. What does not go
 * together with what is held waits; requests that mean different things by one name are refused.
 *
 * @param weight how many permits; 1 unless it is about permits
 * @param permits how many there are in all; 0 unless it is about permits
 */
public record Share(Kind kind, int weight, int permits) {

    /** The kinds of share. */
    public enum Kind {
        /** All of it: nobody else holds it at the same time. */
        WHOLE,
        /** Beside all others who read, and nobody who has it whole. */
        READ,
        /** So many permits of a number of them. */
        PERMITS
    }

    public static final Share WHOLE = new Share(Kind.WHOLE, 1, 0);
    public static final Share READ = new Share(Kind.READ, 1, 0);

    public boolean isWhole() {
        return kind == Kind.WHOLE;
    }

    public boolean isRead() {
        return kind == Kind.READ;
    }

    /** Some permits out of a number of them. */
    public static Share permits(int weight, int permits) {
        return new Share(Kind.PERMITS, weight, permits);
    }
}
