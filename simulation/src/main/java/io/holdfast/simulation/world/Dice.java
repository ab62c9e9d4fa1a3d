package io.holdfast.simulation.world;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Chance from a seed. Everybody who draws has dice of his own, named by numbers, so that leaving one of them out does not
 * change what the others draw.
 */
public final class Dice {
    private final SplittableRandom random;

    private Dice(long seed) {
        this.random = new SplittableRandom(seed);
    }

    public static Dice of(long seed, long... path) {
        long mixed = mix(seed + 0x9E3779B97F4A7C15L);
        for (long step : path) {
            mixed = mix(mixed ^ mix(step + 0xD1B54A32D192ED03L));
        }
        return new Dice(mixed);
    }

    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    public long next() {
        return random.nextLong();
    }

    /** From 0 up to, not including, {@code bound}. */
    public long below(long bound) {
        return random.nextLong(bound);
    }

    public int below(int bound) {
        return random.nextInt(bound);
    }

    /** From {@code low} to {@code high}, both included. */
    public long between(long low, long high) {
        return random.nextLong(low, high + 1);
    }

    /** True once in {@code n} times. */
    public boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    public double fraction() {
        return random.nextDouble();
    }

    public <T> T pick(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    @SafeVarargs
    public final <T> T pick(T... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
