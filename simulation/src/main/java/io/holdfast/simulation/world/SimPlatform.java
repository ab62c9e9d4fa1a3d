package io.holdfast.simulation.world;

import io.holdfast.redis.link.Dialer;
import io.holdfast.spi.Platform;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The engine's ports, on a simulated host. */
public final class SimPlatform implements Platform, Dialer {
    private final Host host;
    private final World world;
    private final boolean blocking;
    private final List<SimWorker> workers = new ArrayList<>();
    private int pendingTimers;
    private boolean closed;
    private @Nullable Long firstDraw;
    private @Nullable Dialer dialer;

    /**
     * The ports of one client.
     *
     * @param blocking whether commands block the thread that sends them. If they do not, what the engine runs on threads
     *     of its own never waits, and needs no stack of its own
     * @param firstDraw what it draws first, if that is known: a copied machine draws what its original did
     */
    public SimPlatform(Host host, boolean blocking, @Nullable Long firstDraw) {
        this.firstDraw = firstDraw;
        this.host = host;
        this.world = host.world();
        this.blocking = blocking;
    }

    /** From now on it opens sockets, by that. */
    public void dialsBy(Dialer network) {
        dialer = network;
    }

    @Override
    public Socket dial(String server, int port, Duration timeout) {
        Dialer present = dialer;
        if (present == null) {
            throw new IllegalStateException("there is no network");
        }
        return present.dial(server, port, timeout);
    }

    public Host host() {
        return host;
    }

    /** Timers that were set and have neither gone off nor been taken back. */
    public int pendingTimers() {
        return pendingTimers;
    }

    public boolean isClosed() {
        return closed;
    }

    /** Keeps a worker from running anything for a while. */
    public void stall(String role, long worldNanos) {
        for (SimWorker worker : workers) {
            if (worker.role.equals(role)) {
                worker.stalledUntil = world.now() + worldNanos;
                world.trace().add(host.name(), role + " stalls, ns", worldNanos);
            }
        }
    }

    @Override
    public long nanoTime() {
        return host.mono();
    }

    @Override
    public long wallMillis() {
        return Math.floorDiv(host.wallMicros(), 1_000);
    }

    @Override
    public long random(long bound) {
        return host.dice().below(bound);
    }

    @Override
    public long draw() {
        Long known = firstDraw;
        firstDraw = null;
        return known != null ? known : host.dice().next();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        if (closed) {
            return () -> {};
        }
        SimTimer timer = new SimTimer(host.mono() + Math.max(0, delayNanos), task);
        pendingTimers++;
        timer.arm();
        return timer;
    }

    private final class SimTimer implements Timer {
        private final long due;
        private final Runnable task;
        private World.Event event;
        private boolean over;

        SimTimer(long due, Runnable task) {
            this.due = due;
            this.task = task;
            this.event = new World.Event(0, 0, task);
        }

        void arm() {
            // Once in a while a timer thread has something else to do.
            long late = host.dice().oneIn(50) ? host.dice().below(2_000_000L) : 0;
            event = host.event(host.worldNanos(Math.max(0, due - host.mono())) + late, this::ring);
        }

        private void ring() {
            if (over) {
                return;
            }
            if (host.mono() < due) {
                arm(); // the clock stood still meanwhile
                return;
            }
            over = true;
            pendingTimers--;
            if (!closed) {
                task.run();
            }
        }

        @Override
        public void cancel() {
            if (!over) {
                over = true;
                pendingTimers--;
                event.cancel();
            }
        }
    }

    @Override
    public Worker worker(String role) {
        SimWorker worker = new SimWorker(role);
        workers.add(worker);
        return worker;
    }

    /** Runs tasks in order; on a fiber if they may block. */
    private final class SimWorker implements Worker {
        private final String role;
        private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
        private boolean running;
        private boolean finishing;
        private long stalledUntil;

        SimWorker(String role) {
            this.role = role;
        }

        @Override
        public void execute(Runnable task) {
            if (finishing) {
                task.run();
                return;
            }
            tasks.add(task);
            if (!running) {
                running = true;
                begin(host.dice().below(20_000L));
            }
        }

        private void begin(long delay) {
            if (blocking) {
                host.event(delay, () -> world.start(host, host.name() + "/" + role, this::runAll));
            } else {
                host.event(delay, this::runOne);
            }
        }

        private void runOne() {
            if (stalledUntil > world.now()) {
                begin(stalledUntil - world.now());
                return;
            }
            Runnable task = tasks.poll();
            if (task == null) {
                running = false;
                return;
            }
            task.run();
            if (tasks.isEmpty()) {
                running = false;
            } else {
                begin(host.dice().below(20_000L));
            }
        }

        private void runAll() {
            while (true) {
                if (stalledUntil > world.now()) {
                    park(host.hostNanos(stalledUntil - world.now()));
                    continue;
                }
                Runnable task = tasks.poll();
                if (task == null) {
                    running = false;
                    return;
                }
                task.run();
            }
        }

        @Override
        public List<Runnable> finish(long nanos) {
            finishing = true;
            long until = nanoTime() + nanos;
            while (running && nanoTime() - until < 0) {
                boolean flag = interrupted();
                park(1_000_000);
                if (flag) {
                    world.current().interrupted = true;
                }
            }
            List<Runnable> left = new ArrayList<>(tasks);
            tasks.clear();
            return left;
        }
    }

    @Override
    public Executor callbacks() {
        return task -> {
            if (blocking) {
                world.start(host, host.name() + "/callback", task);
            } else {
                host.event(host.dice().below(20_000L), task);
            }
        };
    }

    @Override
    public void daemon(String role, Runnable task) {
        world.start(host, host.name() + "/" + role, task);
    }

    @Override
    public Object currentThread() {
        return world.current();
    }

    @Override
    public long threadId(Object thread) {
        return ((Fiber) thread).id();
    }

    @Override
    public boolean isAlive(Object thread) {
        return !((Fiber) thread).isDone();
    }

    @Override
    public void interrupt(Object thread) {
        ((Fiber) thread).interrupt();
    }

    @Override
    public boolean interrupted() {
        Fiber me = world.current();
        boolean was = me.interrupted;
        me.interrupted = false;
        return was;
    }

    @Override
    public void park(long nanos) {
        Fiber me = world.current();
        World.Event alarm = nanos >= Long.MAX_VALUE / 4
                ? null
                : host.event(host.worldNanos(Math.max(0, nanos)), () -> world.unpark(me));
        // A park may end for no reason.
        World.Event whim =
                host.dice().oneIn(40) ? host.event(host.dice().below(50_000_000L), () -> world.unpark(me)) : null;
        try {
            world.park(me);
        } finally {
            if (alarm != null) {
                alarm.cancel();
            }
            if (whim != null) {
                whim.cancel();
            }
        }
    }

    /** Waits, whatever unparks or interrupts come meanwhile. */
    public void sleep(long hostNanos) {
        long until = nanoTime() + hostNanos;
        Fiber me = world.current();
        boolean flag = me.interrupted;
        me.interrupted = false;
        while (nanoTime() - until < 0) {
            park(until - nanoTime());
            flag |= me.interrupted;
            me.interrupted = false;
        }
        me.interrupted = flag;
    }

    @Override
    public void unpark(Object thread) {
        world.unpark((Fiber) thread);
    }

    @Override
    public boolean mayBlockHere() {
        return world.current().mayBlock;
    }

    @Override
    public <T> Supplier<T> perThread(Supplier<T> initial) {
        Object key = new Object();
        return () -> world.current().local(key, initial);
    }

    @Override
    public void close() {
        closed = true;
    }
}
