package io.holdfast.simulation.world;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time. Whatever happens is an event at a moment, and events happen one after the other.
 *
 * <p>A fiber that parks runs the events that follow, on its own stack, until one of them lets it go on; if another fiber
 * is to go on it hands over the baton and waits. So most waiting costs no switch of threads at all.
 */
public final class World {
    /** Unwinds the fibers that are still waiting when a run is over. */
    static final class Over extends Error {
        private static final long serialVersionUID = 1L;

        Over() {
            super("the run is over", null, false, false);
        }
    }

    /** Something that will happen. */
    public static final class Event implements Comparable<Event> {
        final long time;
        final long sequence;

        @Nullable
        Runnable action;

        Event(long time, long sequence, Runnable action) {
            this.time = time;
            this.sequence = sequence;
            this.action = action;
        }

        public void cancel() {
            action = null;
        }

        @Override
        public int compareTo(Event other) {
            return time != other.time ? Long.compare(time, other.time) : Long.compare(sequence, other.sequence);
        }
    }

    private static final ThreadLocal<Carrier.Pool> POOL = ThreadLocal.withInitial(Carrier.Pool::new);

    private final Carrier.Pool pool = POOL.get();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final ArrayDeque<Fiber> ready = new ArrayDeque<>();
    private final List<Fiber> fibers = new ArrayList<>();
    private final Trace trace;
    private final Dice dice;
    private final Host nowhere;
    private final Fiber main;
    private Fiber current;
    private long now;
    private long sequence;
    private long steps;
    private Runnable afterEvent = () -> {};
    private @Nullable Throwable failure;
    private boolean over;

    public World(long seed, Trace trace) {
        this.dice = Dice.of(seed, 1);
        this.trace = trace;
        this.nowhere = new Host(this, "world", dice, 1.0, 0);
        this.main = new Fiber(this, "main", 0, nowhere);
        this.main.carrier = new Carrier();
        this.current = main;
    }

    public long now() {
        return now;
    }

    public Trace trace() {
        return trace;
    }

    /** How many events there have been. */
    public long steps() {
        return steps;
    }

    public Fiber current() {
        return current;
    }

    /** Runs after every event. */
    public void afterEvent(Runnable check) {
        afterEvent = check;
    }

    /** At so many nanoseconds from now. */
    public Event after(long nanos, Runnable action) {
        Event event = new Event(now + Math.max(0, nanos), ++sequence, action);
        if (!over) {
            events.add(event);
        }
        return event;
    }

    /** Starts a fiber on a host. */
    public Fiber start(Host host, String name, Runnable body) {
        Fiber fiber = new Fiber(this, name, fibers.size() + 1, host);
        if (over) {
            fiber.done = true;
            return fiber;
        }
        fibers.add(fiber);
        Carrier carrier = pool.take();
        fiber.carrier = carrier;
        carrier.load(() -> run(fiber, body));
        host.event(0, () -> ready.add(fiber));
        return fiber;
    }

    /** Ends the run: what is wrong is wrong. */
    public void fail(Throwable problem) {
        if (failure == null) {
            failure = problem;
            trace.add("world", "FAILED", String.valueOf(problem.getMessage()));
        }
    }

    /** Runs events until the condition holds or the time has come; for the fiber that started the world. */
    public boolean runUntil(java.util.function.BooleanSupplier condition, long moment) throws Throwable {
        while (!condition.getAsBoolean()) {
            if (now >= moment) {
                return false;
            }
            Event tick = after(Math.min(20_000_000, moment - now), () -> unpark(main));
            parkFor(main);
            tick.cancel();
            Throwable problem = failure;
            if (problem != null) {
                throw problem;
            }
        }
        return true;
    }

    // --- parking

    void park(Fiber me) {
        if (over) {
            throw new Over();
        }
        if (me.host.isGuest(me)) {
            IllegalStateException blocked =
                    new IllegalStateException("blocked on a thread that must not block: " + me.name());
            fail(blocked);
            throw blocked;
        }
        if (me.permit || me.interrupted) {
            me.permit = false;
            return;
        }
        parkFor(me);
        if (over) {
            throw new Over();
        }
    }

    private void parkFor(Fiber me) {
        me.parked = true;
        me.parks++;
        dispatch(me);
        me.parked = false;
        me.permit = false;
        if (me.interruptIn > 0 && --me.interruptIn == 0) {
            me.interrupted = true;
        }
    }

    void unpark(Fiber fiber) {
        if (fiber.permit || fiber.done || over) {
            return;
        }
        fiber.permit = true;
        if (!fiber.parked) {
            return;
        }
        if (fiber == main) {
            ready.add(main);
            return;
        }
        // A thread does not go on the very moment it may.
        long wakeUp = dice.oneIn(200) ? dice.below(3_000_000L) : dice.below(20_000L);
        long park = fiber.parks;
        fiber.host.event(wakeUp, () -> {
            if (fiber.parked && fiber.parks == park && !ready.contains(fiber)) {
                ready.add(fiber);
            }
        });
    }

    /** Runs what happens, on this thread, until the fiber may go on. */
    private void dispatch(Fiber me) {
        while (true) {
            if (failure != null) {
                ready.clear();
                ready.add(main);
            }
            Fiber next = ready.poll();
            if (next != null) {
                if (next.done || next.host.isDead()) {
                    continue;
                }
                current = next;
                if (next == me) {
                    return;
                }
                carrier(next).give();
                if (!me.done) {
                    carrier(me).await();
                }
                return;
            }
            Event event = events.poll();
            if (event == null) {
                fail(new IllegalStateException("nothing will ever happen again"));
                continue;
            }
            happen(event);
        }
    }

    private void happen(Event event) {
        Runnable action = event.action;
        if (action == null) {
            return;
        }
        now = Math.max(now, event.time);
        steps++;
        try {
            current = nowhere.guest();
            action.run();
            afterEvent.run();
        } catch (Throwable e) {
            fail(e);
        }
    }

    /** Whoever acts from here to the end of the event. */
    void actAs(Fiber fiber) {
        current = fiber;
    }

    private void run(Fiber fiber, Runnable body) {
        try {
            if (!over) {
                body.run();
            }
        } catch (Over e) {
            // As it should be.
        } catch (Throwable e) {
            fail(e);
        }
        fiber.done = true;
        carrier(fiber).free();
        if (over) {
            carrier(main).give();
        } else {
            try {
                afterEvent.run();
            } catch (Throwable e) {
                fail(e);
            }
            dispatch(fiber);
        }
    }

    private static Carrier carrier(Fiber fiber) {
        Carrier carrier = fiber.carrier;
        if (carrier == null) {
            throw new IllegalStateException(fiber + " has no stack");
        }
        return carrier;
    }

    /** Ends the threads that the worlds of the calling thread have used. */
    public static void letGo() {
        POOL.get().close();
        POOL.remove();
    }

    /** Ends every fiber, so that its carrier can be used again. */
    public void end() {
        over = true;
        events.clear();
        ready.clear();
        for (Fiber fiber : fibers) {
            if (!fiber.done) {
                current = fiber;
                carrier(fiber).give();
                carrier(main).await();
            }
        }
        current = main;
    }
}
