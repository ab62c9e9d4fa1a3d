package io.holdfast.benchmarks.measure;

import io.holdfast.benchmarks.contenders.BenchLock;
import io.holdfast.benchmarks.contenders.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** Threads that lock and unlock until told to stop, and count only while told to. */
public final class Crew implements AutoCloseable {
    /** Longer than a usual lease of 30 s: who missed the message of a release waits for the end of one, and goes on. */
    private static final long PATIENCE_MILLIS = 45_000;

    private enum Phase {
        WARM_UP,
        COUNT,
        STOP
    }

    private final List<Worker> workers = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final CountDownLatch ready;
    private final CountDownLatch released = new CountDownLatch(1);
    private volatile Phase phase = Phase.WARM_UP;
    private long nanos;
    private long cpuNanos;
    private long allocated;

    /** What one thread locks, how many may be in at once, what it raises meanwhile, and how long its section takes. */
    public record Duty(String lock, int places, SharedCounter counter, long sectionMillis) {}

    /** What came of it; cycles are those of the counted phase, all cycles those of every phase. */
    public record Result(
            List<Long> cycles,
            long allCycles,
            long nanos,
            long cpuNanos,
            long allocated,
            Latencies cycleTimes,
            Latencies waitTimes,
            Latencies handOvers) {
        /** Of all threads together. */
        public long total() {
            return cycles.stream().mapToLong(Long::longValue).sum();
        }
    }

    /** One thread for each duty, not started yet. */
    public Crew(Session session, List<Duty> duties) {
        ready = new CountDownLatch(duties.size());
        duties.forEach(duty -> workers.add(new Worker(session, duty)));
    }

    /** Starts to work, without counting. */
    public void start() {
        workers.forEach(Thread::start);
        try {
            ready.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted at the start", e);
        }
    }

    /** Starts to count. */
    public void count() {
        allocated = Reading.allocatedByAllThreads();
        cpuNanos = Reading.processCpuNanos();
        nanos = System.nanoTime();
        phase = Phase.COUNT;
    }

    /** Lets each thread end its cycle and then wait for {@link #join}: an ended thread tells no more what it allocated. */
    public void stop() {
        phase = Phase.STOP;
        nanos = System.nanoTime() - nanos;
        cpuNanos = Reading.processCpuNanos() - cpuNanos;
        allocated = Reading.allocatedByAllThreads() - allocated;
    }

    /** Waits for the threads; fails if one of them has failed or hangs. */
    public Result join() {
        close();
        long end = System.currentTimeMillis() + PATIENCE_MILLIS;
        for (Worker worker : workers) {
            try {
                worker.join(Math.max(1, end - System.currentTimeMillis()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted at the end", e);
            }
            if (worker.isAlive()) {
                throw new IllegalStateException(worker.getName() + " hangs after " + PATIENCE_MILLIS + " ms");
            }
        }
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("a thread failed: " + failed, failed);
        }
        Latencies cycleTimes = new Latencies();
        Latencies waitTimes = new Latencies();
        workers.forEach(worker -> cycleTimes.add(worker.cycleTimes));
        Latencies handOvers = new Latencies();
        workers.forEach(worker -> waitTimes.add(worker.waitTimes));
        workers.forEach(worker -> handOvers.add(worker.handOvers));
        List<Long> cycles = workers.stream().map(worker -> worker.cycles).toList();
        long all = workers.stream().mapToLong(worker -> worker.allCycles).sum();
        return new Result(cycles, all, nanos, cpuNanos, allocated, cycleTimes, waitTimes, handOvers);
    }

    /** Lets the threads end, whatever they were told before. */
    @Override
    public void close() {
        phase = Phase.STOP;
        released.countDown();
    }

    /** What a holder does: sleeps, which takes longer than asked by some 60 µs. */
    public static void section(long millis) throws InterruptedException {
        if (millis > 0) {
            Thread.sleep(millis);
        }
    }

    private final class Worker extends Thread {
        private final Session session;
        private final Duty duty;
        private final Latencies cycleTimes = new Latencies();
        private final Latencies waitTimes = new Latencies();
        private final Latencies handOvers = new Latencies();
        private long cycles;
        private long allCycles;

        Worker(Session session, Duty duty) {
            super("worker-" + workers.size());
            this.session = session;
            this.duty = duty;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                BenchLock lock;
                try {
                    lock = session.lock(duty.lock(), duty.places());
                } finally {
                    ready.countDown();
                }
                while (phase != Phase.STOP && failure.get() == null) {
                    cycle(lock);
                }
                released.await();
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        }

        private void cycle(BenchLock lock) throws InterruptedException {
            boolean timed = phase == Phase.COUNT;
            long begin = System.nanoTime();
            lock.lock();
            long entered = System.nanoTime();
            duty.counter().enter();
            // Read first and written last: the whole section is what an intruder can spoil.
            long count = duty.counter().get();
            long freed = duty.counter().freedAt();
            section(duty.sectionMillis());
            duty.counter().set(count + 1);
            duty.counter().freedAt(System.nanoTime());
            duty.counter().leave();
            lock.unlock();
            allCycles++;
            if (phase == Phase.COUNT) {
                cycles++;
            }
            // Also if it ended too late to count: to leave out unfinished waits would hide who starved.
            if (timed) {
                waitTimes.add(entered - begin);
                cycleTimes.add(System.nanoTime() - begin);
                if (freed > 0) {
                    handOvers.add(entered - freed);
                }
            }
        }
    }
}
