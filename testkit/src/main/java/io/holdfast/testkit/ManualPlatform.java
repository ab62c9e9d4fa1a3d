package io.holdfast.testkit;

import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The machine's threads on a {@link ManualClock}'s time. */
final class ManualPlatform implements Platform {
    /** How far time goes at once where nobody else moves it. */
    private static final Duration STEP = Duration.ofMillis(10);

    private final ManualClock clock;
    private final Parking parking;
    private final Platform machine = Platform.system();
    private final CopyOnWriteArrayList<WatchedWorker> workers = new CopyOnWriteArrayList<>();
    private final Set<Task> callbacks = ConcurrentHashMap.newKeySet();

    ManualPlatform(ManualClock clock, Parking parking) {
        this.clock = clock;
        this.parking = parking;
    }

    @Override
    public long nanoTime() {
        return clock.nanoTime();
    }

    @Override
    public long wallMillis() {
        return clock.wallMillis();
    }

    @Override
    public long random(long bound) {
        return machine.random(bound);
    }

    @Override
    public long draw() {
        return machine.draw();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        if (delayNanos <= 0) {
            // Its time has come, and nobody may move the clock again.
            callbacks().execute(task);
            return () -> {};
        }
        return clock.schedule(this, delayNanos, task);
    }

    @Override
    public Worker worker(String role) {
        WatchedWorker worker = new WatchedWorker(clock, machine.worker(role));
        workers.add(worker);
        return worker;
    }

    @Override
    public Executor callbacks() {
        return action -> {
            Task task = new Task(action);
            callbacks.add(task);
            machine.callbacks().execute(task);
        };
    }

    @Override
    public void daemon(String role, Runnable task) {
        machine.daemon(role, task);
    }

    @Override
    public Object currentThread() {
        return machine.currentThread();
    }

    @Override
    public long threadId(Object thread) {
        return machine.threadId(thread);
    }

    @Override
    public boolean isAlive(Object thread) {
        return machine.isAlive(thread);
    }

    @Override
    public void interrupt(Object thread) {
        machine.interrupt(thread);
    }

    @Override
    public boolean interrupted() {
        return machine.interrupted();
    }

    /** Whoever parks for a fixed time, as a client does while it closes, lets that time pass: nobody else might. */
    @Override
    public void park(long nanos) {
        if (nanos == Long.MAX_VALUE) {
            parking.park();
        } else {
            machine.park(Math.min(nanos, 20_000));
            clock.advance(Duration.ofNanos(nanos));
        }
    }

    @Override
    public void unpark(Object thread) {
        parking.unpark((Thread) thread);
    }

    @Override
    public boolean mayBlockHere() {
        return machine.mayBlockHere();
    }

    @Override
    public <T> Supplier<T> perThread(Supplier<T> initial) {
        return machine.perThread(initial);
    }

    @Override
    public void close() {
        clock.closed(this);
        machine.close();
    }

    boolean isAtRest() {
        return workers.stream().allMatch(WatchedWorker::isAtRest)
                && callbacks.stream().allMatch(Task::isAtRest);
    }

    private final class Task implements Runnable {
        private final Runnable action;
        private volatile @Nullable Thread thread;

        Task(Runnable action) {
            this.action = action;
        }

        @Override
        public void run() {
            thread = Thread.currentThread();
            try {
                action.run();
            } finally {
                callbacks.remove(this);
            }
        }

        boolean isAtRest() {
            Thread runner = thread;
            return runner != null && (runner == Thread.currentThread() || Parking.rests(runner));
        }
    }

    private static final class WatchedWorker implements Worker {
        private final ManualClock clock;
        private final Worker worker;
        // Guarded by this.
        private int queued;
        private @Nullable Thread running;
        private boolean finished;

        WatchedWorker(ManualClock clock, Worker worker) {
            this.clock = clock;
            this.worker = worker;
        }

        @Override
        public void execute(Runnable task) {
            synchronized (this) {
                queued++;
            }
            worker.execute(() -> {
                synchronized (this) {
                    queued--;
                    running = Thread.currentThread();
                }
                try {
                    task.run();
                } finally {
                    synchronized (this) {
                        running = null;
                    }
                }
            });
        }

        /** Lets time pass, as {@link #park} does, while a task waits for it to pass. */
        @Override
        public List<Runnable> finish(long nanos) {
            long until = clock.nanoTime() + nanos;
            while (isBusy() && clock.nanoTime() - until < 0) {
                clock.advance(STEP);
            }
            List<Runnable> left = worker.finish(isBusy() ? STEP.toNanos() : nanos);
            synchronized (this) {
                finished = true;
            }
            return left;
        }

        private synchronized boolean isBusy() {
            return running != null || queued > 0;
        }

        /** What stands behind a task that waits is at rest with it. */
        synchronized boolean isAtRest() {
            Thread thread = running;
            return finished
                    || (thread == null ? queued == 0 : thread == Thread.currentThread() || Parking.rests(thread));
        }
    }
}
