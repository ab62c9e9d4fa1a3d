package io.holdfast.simulation.world;

import java.util.ArrayDeque;

/**
 * A machine or process with clocks of its own. It can sleep, with its monotonic clock going on (a long pause) or standing
 * still (a suspended machine), and die.
 */
public final class Host {
    private final World world;
    private final String name;
    private final Dice dice;
    private final double rate;
    private final Fiber guest;
    private final ArrayDeque<Runnable> asleep = new ArrayDeque<>();

    private long anchorWorld;
    private long anchorMono;
    private boolean monoStands;
    private long wallOffsetNanos;
    private long sleepsUntil;
    private boolean dead;

    /**
     * A host that is awake.
     *
     * @param rate how fast its clocks run, compared with the world
     */
    public Host(World world, String name, Dice dice, double rate, long wallOffsetNanos) {
        this.world = world;
        this.name = name;
        this.dice = dice;
        this.rate = rate;
        this.wallOffsetNanos = wallOffsetNanos;
        this.anchorMono = 1_000_000_000L * name.hashCode();
        this.guest = new Fiber(world, name + "/timer", 0, this);
    }

    public World world() {
        return world;
    }

    public String name() {
        return name;
    }

    public Dice dice() {
        return dice;
    }

    public long mono() {
        return monoStands ? anchorMono : anchorMono + (long) ((world.now() - anchorWorld) * rate);
    }

    /** The wall clock in microseconds. */
    public long wallMicros() {
        return (1_800_000_000_000_000_000L + wallOffsetNanos + (long) (world.now() * rate)) / 1_000;
    }

    /** Steps the wall clock. */
    public void stepWall(long nanos) {
        wallOffsetNanos += nanos;
    }

    /** World time for so long by this host's clock. */
    public long worldNanos(long hostNanos) {
        // Rounded up: a timer must not go off before its time.
        return hostNanos >= Long.MAX_VALUE / 4 ? hostNanos / 2 : (long) Math.ceil(hostNanos / rate);
    }

    /** How much of its time passes in so much of the world's. */
    public long hostNanos(long worldNanos) {
        return (long) (worldNanos * rate);
    }

    /** An event on this host: it waits while the host sleeps, and does not happen once the host is dead. */
    public World.Event event(long worldNanos, Runnable action) {
        return world.after(worldNanos, () -> happen(action));
    }

    private void happen(Runnable action) {
        if (dead) {
            return;
        }
        if (sleepsUntil > world.now()) {
            asleep.add(action);
            return;
        }
        world.actAs(guest);
        action.run();
    }

    /** Nothing runs here for a while. */
    public void sleep(long worldNanos, boolean suspended) {
        if (dead || sleepsUntil > world.now()) {
            return;
        }
        sleepsUntil = world.now() + worldNanos;
        if (suspended) {
            anchorMono = mono();
            monoStands = true;
        }
        world.trace().add(name, suspended ? "suspended, ns" : "asleep, ns", worldNanos);
        world.after(worldNanos, () -> {
            if (suspended) {
                monoStands = false;
                anchorWorld = world.now();
            }
            world.trace().add(name, "awake");
            while (!asleep.isEmpty()) {
                Runnable action = asleep.poll();
                world.after(0, () -> happen(action));
            }
        });
    }

    public boolean isAsleep() {
        return sleepsUntil > world.now();
    }

    /** When it last slept, or will have slept, until. */
    public long sleptUntil() {
        return sleepsUntil;
    }

    public void die() {
        dead = true;
        world.trace().add(name, "dies");
    }

    public boolean isDead() {
        return dead;
    }

    Fiber guest() {
        return guest;
    }

    boolean isGuest(Fiber fiber) {
        return fiber == guest;
    }

    @Override
    public String toString() {
        return name;
    }
}
