package io.holdfast.simulation;

import io.holdfast.simulation.load.Mask;
import io.holdfast.simulation.load.Topology;
import io.holdfast.simulation.net.Hits;
import io.holdfast.simulation.world.World;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Many runs, one seed after the other, on several cores. */
public final class Campaign {
    /** Fewer runs than this need not show every fault. */
    public static final long ENOUGH = 500;

    private static final Duration LONGEST_RUN = Duration.ofSeconds(60);

    /**
     * What came of it.
     *
     * @param failed the failed run with the lowest seed; null if none failed
     */
    public record Outcome(
            Topology topology,
            long seeds,
            long calls,
            long steps,
            long overlaps,
            Hits hits,
            Run.@Nullable Result failed,
            Duration took) {

        /** Faults that apply and never came true. */
        public List<Integer> missed() {
            return seeds < ENOUGH
                    ? List.of()
                    : Catalogue.of(topology).stream()
                            .filter(fault -> hits.count(fault) == 0)
                            .toList();
        }

        public boolean passed() {
            return failed == null && missed().isEmpty();
        }
    }

    private final Topology topology;
    private final long from;
    private final long to;
    private final @Nullable PrintStream progress;
    private final AtomicLong next;
    private final Hits hits = new Hits();
    private long done;
    private long calls;
    private long steps;
    private long overlaps;
    private Run.@Nullable Result failed;

    private Campaign(Topology topology, long from, long seeds, @Nullable PrintStream progress) {
        this.topology = topology;
        this.from = from;
        this.to = from + seeds;
        this.progress = progress;
        this.next = new AtomicLong(from);
    }

    /**
     * Runs the seeds, and stops at the first that fails.
     *
     * @param progress where to tell how far it is; null: nowhere
     */
    public static Outcome run(Topology topology, long from, long seeds, int threads, @Nullable PrintStream progress)
            throws InterruptedException {
        return new Campaign(topology, from, seeds, progress).run(threads);
    }

    private Outcome run(int threads) throws InterruptedException {
        long start = System.nanoTime();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread worker = new Thread(this::work, "simulation-" + i);
            worker.setDaemon(true);
            worker.start();
            workers.add(worker);
        }
        long told = start;
        long seen = -1;
        long seenAt = start;
        for (Thread worker : workers) {
            while (worker.isAlive()) {
                worker.join(100);
                long now = System.nanoTime();
                if (now - told > 5_000_000_000L) {
                    told = now;
                    tell(start);
                }
                if (done() != seen) {
                    seen = done();
                    seenAt = now;
                } else if (now - seenAt > LONGEST_RUN.toNanos()) {
                    throw new IllegalStateException("no run has ended for " + LONGEST_RUN.toSeconds()
                            + " s: something in it blocks for real, near seed " + next.get());
                }
            }
        }
        synchronized (this) {
            if (failed == null && done != to - from) {
                throw new IllegalStateException("only " + done + " of " + (to - from) + " seeds were run to their end");
            }
            return new Outcome(
                    topology, done, calls, steps, overlaps, hits, failed, Duration.ofNanos(System.nanoTime() - start));
        }
    }

    private synchronized long done() {
        return done;
    }

    private synchronized void tell(long start) {
        if (progress != null) {
            progress.printf(
                    "  %,d of %,d seeds, %,d calls, %.0f s%n",
                    done, to - from, calls, (System.nanoTime() - start) / 1e9);
        }
    }

    private void work() {
        for (long seed = next.getAndIncrement(); seed < to && !hasFailedBefore(seed); seed = next.getAndIncrement()) {
            add(Run.of(seed, topology, Mask.NONE, false));
        }
        World.letGo();
    }

    private synchronized boolean hasFailedBefore(long seed) {
        return failed != null && failed.seed() < seed;
    }

    private synchronized void add(Run.Result result) {
        done++;
        calls += result.calls();
        steps += result.steps();
        overlaps += result.overlaps();
        hits.add(result.hits());
        if (result.failed() && (failed == null || result.seed() < failed.seed())) {
            failed = result;
        }
    }
}
