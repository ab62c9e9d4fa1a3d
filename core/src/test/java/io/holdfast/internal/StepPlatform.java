package io.holdfast.internal;

import io.holdfast.spi.Platform;
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A machine on which only one thing happens at a time, always in the same order: what workers, timers and callbacks have
 * to do is done by whoever parks. Every call of a port is a point at which something can be made to happen; a run that is
 * repeated passes the same points.
 */
final class StepPlatform implements Platform {
    private record Due(long nanos, long sequence, Runnable task) {}

    private final boolean callerMayBlock;
    private final Random random = new Random(7);
    private final Turns turns = new Turns(this);
    private final List<StepWorker> workers = new ArrayList<>();
    private final PriorityQueue<Due> timers =
            new PriorityQueue<>(Comparator.comparingLong(Due::nanos).thenComparingLong(Due::sequence));
    private final Set<Object> permits = new HashSet<>();
    private final Set<Object> flags = new HashSet<>();
    private final List<String> places = new ArrayList<>();
    private final StepWorker callbacks;
    private long nanos = 5_000_000_000L;
    private long suspendedMillis;
    private long sequence;
    private boolean closed;
    private boolean threadsEnded;
    private boolean runsTimers;
    private boolean armed;
    private int target;
    private boolean happensAmid;
    private @Nullable Runnable pending;

    StepPlatform(boolean callerMayBlock) {
        this.callerMayBlock = callerMayBlock;
        this.callbacks = new StepWorker("callback");
    }

    // --- points

    /**
     * From now on points are counted, and at the one of that number something happens.
     *
     * @param amid whether it can happen to a thread that holds a monitor; what needs that monitor happens behind it
     */
    void arm(int point, boolean amid, Runnable event) {
        armed = true;
        target = point;
        happensAmid = amid;
        pending = event;
    }

    /** All threads have ended, whoever goes on as one of them. */
    void threadsEnd() {
        threadsEnded = true;
    }

    void disarm() {
        armed = false;
    }

    /** The points passed, by what was called there. */
    List<String> places() {
        return places;
    }

    void point(String place) {
        if (!armed) {
            return;
        }
        places.add(turns.identity() + " " + place);
        Runnable event = pending;
        if (event != null && places.size() > target && (happensAmid || !holdsMonitor())) {
            pending = null;
            event.run();
        }
        if (!runsTimers && !timers.isEmpty() && timers.peek().nanos() <= nanos && !holdsMonitor()) {
            runTimers();
        }
    }

    boolean hasHappened() {
        return pending == null;
    }

    private static boolean holdsMonitor() {
        long[] self = {Thread.currentThread().getId()};
        for (MonitorInfo monitor : ManagementFactory.getThreadMXBean()
                .getThreadInfo(self, true, false)[0]
                .getLockedMonitors()) {
            if (monitor.getClassName().startsWith("io.holdfast")) {
                return true;
            }
        }
        return false;
    }

    // --- what moves the machine

    Turns turns() {
        return turns;
    }

    /** Time passes at once, as for a process that was stopped; what became due runs as soon as it can. */
    void jump(long by) {
        nanos += by;
    }

    /** The host is suspended, and its monotonic clock stands still. */
    void suspend(long millis) {
        suspendedMillis += millis;
    }

    /** Lets time pass step by step. */
    void advance(long by) {
        long until = nanos + by;
        settle();
        while (!timers.isEmpty() && timers.peek().nanos() <= until) {
            nanos = Math.max(nanos, timers.peek().nanos());
            runTimers();
            settle();
        }
        nanos = Math.max(nanos, until);
    }

    /** Everybody else goes on for a while, as far as they can, while the present thread stands still. */
    void overtake(long by) {
        armed = false;
        if (runsTimers) {
            settle();
        } else {
            advance(by);
        }
        armed = true;
    }

    /** Does all that can be done now. */
    void settle() {
        while (runOne()) {}
    }

    int timers() {
        return timers.size();
    }

    boolean isQuiet() {
        return workers.stream().allMatch(worker -> worker.tasks.isEmpty());
    }

    private boolean runOne() {
        for (StepWorker worker : List.copyOf(workers)) {
            if (worker.runFirst()) {
                return true;
            }
        }
        return false;
    }

    private void runTimers() {
        runsTimers = true;
        try {
            while (!timers.isEmpty() && timers.peek().nanos() <= nanos) {
                turns.as("timer", timers.remove().task());
            }
        } finally {
            runsTimers = false;
        }
    }

    @Override
    public void park(long length) {
        point("before park");
        Object self = turns.identity();
        long until = length == Long.MAX_VALUE ? Long.MAX_VALUE : nanos + length;
        boolean yielded = false;
        for (int steps = 0; !permits.remove(self) && !flags.contains(self); steps++) {
            if (steps > 100_000) {
                throw new AssertionError("parked for ever");
            }
            if (runOne()) {
                continue;
            }
            if (!yielded && turns.giveWay()) {
                yielded = true;
            } else if (!timers.isEmpty() && timers.peek().nanos() <= until) {
                nanos = Math.max(nanos, timers.peek().nanos());
                runTimers();
                yielded = false;
            } else if (until != Long.MAX_VALUE) {
                nanos = Math.max(nanos, until);
                break;
            } else if (!turns.giveWay()) {
                throw new AssertionError("parked, and nothing is left that could wake it: " + self);
            }
        }
        point("after park");
    }

    // --- the other ports

    @Override
    public long nanoTime() {
        point("nanoTime");
        return nanos;
    }

    @Override
    public long wallMillis() {
        point("wallMillis");
        return 1_800_000_000_000L + nanos / 1_000_000 + suspendedMillis;
    }

    @Override
    public long random(long bound) {
        return (long) (random.nextDouble() * bound);
    }

    @Override
    public long draw() {
        point("draw");
        return random.nextLong();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        point("schedule");
        if (closed) {
            return () -> {};
        }
        Due due = new Due(nanos + Math.max(0, delayNanos), ++sequence, task);
        timers.add(due);
        return () -> {
            point("cancel");
            timers.remove(due);
        };
    }

    @Override
    public Worker worker(String role) {
        return new StepWorker(role);
    }

    @Override
    public Executor callbacks() {
        return callbacks;
    }

    @Override
    public void daemon(String role, Runnable task) {
        throw new UnsupportedOperationException("no store of these tests needs one");
    }

    @Override
    public Object currentThread() {
        point("currentThread");
        return turns.identity();
    }

    @Override
    public long threadId(Object thread) {
        point("threadId");
        return thread.hashCode();
    }

    @Override
    public boolean isAlive(Object thread) {
        point("isAlive");
        return !threadsEnded;
    }

    @Override
    public void interrupt(Object thread) {
        point("before interrupt");
        flags.add(thread);
    }

    @Override
    public boolean interrupted() {
        point("before interrupted");
        boolean was = flags.remove(turns.identity());
        point("after interrupted");
        return was;
    }

    @Override
    public void unpark(Object thread) {
        point("unpark");
        permits.add(thread);
    }

    @Override
    public boolean mayBlockHere() {
        point("mayBlockHere");
        return callerMayBlock;
    }

    @Override
    public <T> Supplier<T> perThread(Supplier<T> initial) {
        Map<Object, T> values = new HashMap<>();
        return () -> values.computeIfAbsent(turns.identity(), any -> initial.get());
    }

    @Override
    public void close() {
        point("close");
        closed = true;
        timers.clear();
    }

    private final class StepWorker implements Worker {
        private final String role;
        private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
        private boolean busy;
        private boolean finished;

        StepWorker(String role) {
            this.role = role;
            workers.add(this);
        }

        @Override
        public void execute(Runnable task) {
            point("before handing to " + role);
            if (finished) {
                task.run();
            } else {
                tasks.add(task);
            }
            point("after handing to " + role);
        }

        boolean runFirst() {
            if (busy || tasks.isEmpty()) {
                return false;
            }
            busy = true;
            try {
                turns.as(role, tasks.remove());
            } finally {
                busy = false;
            }
            return true;
        }

        /** What is in the middle of its work is let go on; nothing takes long here. */
        @Override
        public List<Runnable> finish(long nanos) {
            point("finish " + role);
            for (int tries = 0; tries < 1_000 && (busy || !tasks.isEmpty()); tries++) {
                if (!runFirst()) {
                    turns.giveWay();
                }
            }
            finished = true;
            List<Runnable> left = List.copyOf(tasks);
            tasks.clear();
            return left;
        }
    }
}
