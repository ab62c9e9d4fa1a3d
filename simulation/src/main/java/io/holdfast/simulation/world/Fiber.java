package io.holdfast.simulation.world;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A simulated thread. It runs only while it has the baton, of which there is one in the world. */
public final class Fiber {
    final World world;
    private final String name;
    private final long id;
    private final Map<Object, Object> locals = new HashMap<>();

    @Nullable
    Carrier carrier;

    boolean permit;
    boolean parked;
    boolean interrupted;
    boolean done;
    /** Counts parks, so that a wake-up meant for an earlier one is told from the others. */
    long parks;
    /** How it is resumed: a host that sleeps keeps its fibers from going on. */
    Host host;

    boolean mayBlock = true;
    /** Interrupts itself when it parks for the so-many-th time from now; zero: does not. */
    int interruptIn;

    Fiber(World world, String name, long id, Host host) {
        this.world = world;
        this.name = name;
        this.id = id;
        this.host = host;
    }

    public String name() {
        return name;
    }

    public long id() {
        return id;
    }

    public boolean isDone() {
        return done;
    }

    /** Whether code that runs here may block on a socket: a virtual thread may not. */
    public void mayBlock(boolean value) {
        mayBlock = value;
    }

    /** Interrupts the fiber at the end of the {@code count}-th park from now. */
    public void interruptIn(int count) {
        interruptIn = count;
    }

    public void interrupt() {
        interrupted = true;
        world.unpark(this);
    }

    @SuppressWarnings("unchecked") // each key has the type of the supplier that made it
    <T> T local(Object key, java.util.function.Supplier<T> initial) {
        return (T) locals.computeIfAbsent(key, k -> initial.get());
    }

    @Override
    public String toString() {
        return name;
    }
}
