package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.Capability;
import io.holdfast.testkit.Faults;
import io.holdfast.testkit.history.FencedModel;
import io.holdfast.testkit.history.History;
import io.holdfast.testkit.history.LinearizabilityChecker;
import io.holdfast.testkit.history.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same between processes, killed and paused ones among them. */
interface ProcessContract extends Contract {
    /** Long enough for a process that has just started, on a busy machine, to send its first renewal in time, and for a machine that stands still. */
    Duration LEASE = Duration.ofSeconds(5);

    @Test
    @Tag("race")
    default void counter_ofManyProcesses_losesNoUpdate(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("counter");
        List<OtherProcess> processes = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                processes.add(counting(Bench.LONG, file, "p" + i, 60));
            }
            processes.forEach(process -> assertThat(process.awaitEnd())
                    .as(process.lines().toString())
                    .isTrue());
            assertThat(new FileCounter(file).counts()).isEqualTo(Map.of("p0", 60, "p1", 60, "p2", 60));
            // Each time an acquire, a look at the lease and a release.
            assertLinearizable(history(folder, 3), 3 * 60 * 3);
        } finally {
            processes.forEach(OtherProcess::close);
        }
    }

    @Test
    @Tag("race")
    @Faults(54)
    default void counter_whileProcessesAreKilled_losesNoUpdate(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("counter");
        List<OtherProcess> processes = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                processes.add(counting(LEASE, file, "p" + i, Integer.MAX_VALUE));
            }
            for (int victim = 0; victim < 2; victim++) {
                OtherProcess process = processes.get(victim);
                bench().until(() -> process.count() >= 10);
                process.kill();
            }
            OtherProcess survivor = processes.get(3);
            int before = survivor.count();
            bench().until(() -> survivor.count() >= before + 10);
            for (OtherProcess process : processes.subList(2, 4)) {
                process.tell("stop");
                assertThat(process.awaitEnd()).as(process.lines().toString()).isTrue();
            }
            Map<String, Integer> counts = new FileCounter(file).counts();
            for (int i = 0; i < 4; i++) {
                OtherProcess process = processes.get(i);
                // A process that was killed may have counted once more than it could say.
                int unsaid = i < 2 ? 1 : 0;
                assertThat(counts.get("p" + i)).as("p%s", i).isBetween(process.count(), process.count() + unsaid);
            }
            assertThat(Files.exists(file)).isTrue();
            History history = history(folder, 4).crashed(id -> id.equals("p0") || id.equals("p1"));
            int said = processes.stream().mapToInt(OtherProcess::count).sum();
            assertLinearizable(history, 3 * said);
        } finally {
            processes.forEach(OtherProcess::close);
        }
    }

    @Test
    @Faults(54)
    default void lock_ofAKilledProcess_isFreeWhenItsLeaseIsOver() throws InterruptedException {
        try (OtherProcess holder = process("hold", LEASE)) {
            bench().until(() -> holder.hasSaid("holding"));
            DistributedLock lock = bench().lock();
            assertThat(lock.tryLock()).isFalse();
            Actor<Boolean> waiter = bench().waiter(lock);

            holder.kill();
            long killed = System.nanoTime();

            assertThat(waiter.join()).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(LEASE.plusSeconds(6));
        }
    }

    @Test
    @Faults(48)
    default void waiter_thatIsKilled_isSkipped() {
        DistributedLock holder = bench().lock();
        holder.lock();
        try (OtherProcess dead = process("wait", Bench.LONG)) {
            bench().until(() -> dead.hasSaid("waiting"));
            Holdfast looks = bench().client(builder -> builder.commandTimeout(Bench.PATIENCE));
            bench().until(() -> looks.inspect(bench().name()).stream()
                    .anyMatch(lock -> !lock.waiters().isEmpty()));
            Actor<Boolean> next = bench().waiter(bench().lock());
            dead.kill();

            holder.unlock();

            assertThat(next.join()).isTrue();
        }
    }

    @Test
    @Faults(1)
    default void process_thatSleepsThroughItsLease_knowsItWhenItWakes() throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(Path.of("/bin/kill")) || Files.isExecutable(Path.of("/usr/bin/kill")), "no kill");
        try (OtherProcess holder = process("hold", LEASE)) {
            bench().until(() -> holder.hasSaid("holding"));
            holder.tell("?");
            bench().until(() -> holder.hasSaid("valid true"));
            holder.signal("STOP");
            try (Lease lease = bench().lock().acquire(Bench.PATIENCE)) {
                holder.signal("CONT");
                holder.tell("?");
                bench().until(() -> holder.hasSaid("valid false"));
                assertThat(holder.lines().stream().filter("valid true"::equals)).hasSize(1);
                holder.tell("stop");
                assertThat(holder.awaitEnd()).isTrue();
                assertThat(bench().isFree()).isFalse();
                assertThat(lease.isValid()).isTrue();
            }
        }
    }

    private static History history(Path folder, int processes) throws IOException {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < processes; i++) {
            files.add(folder.resolve("p" + i + ".history"));
        }
        return History.read(files);
    }

    private static void assertLinearizable(History history, int operations) {
        assertThat(history.operations()).hasSizeGreaterThanOrEqualTo(operations);
        Verdict verdict = LinearizabilityChecker.check(history, new FencedModel());
        assertThat(verdict.isOk()).as(verdict.report()).isTrue();
    }

    private OtherProcess counting(Duration lease, Path file, String id, int times) {
        return new OtherProcess(
                "count",
                uri(),
                bench().name(),
                String.valueOf(lease.toMillis()),
                file.toString(),
                id,
                String.valueOf(times),
                file.resolveSibling(id + ".history").toString());
    }

    private OtherProcess process(String role, Duration lease) {
        return new OtherProcess(role, uri(), bench().name(), String.valueOf(lease.toMillis()));
    }

    private String uri() {
        bench().needs(Capability.ACROSS_PROCESSES);
        Optional<String> uri = bench().control().processUri();
        assumeTrue(uri.isPresent(), "the store's control has no URI for other processes");
        return uri.orElseThrow();
    }
}
