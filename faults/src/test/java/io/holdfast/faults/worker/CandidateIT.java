package io.holdfast.faults.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.faults.contender.Held;
import io.holdfast.faults.contender.Leader;
import io.holdfast.faults.contender.Session;
import io.holdfast.faults.contender.Topology;
import io.holdfast.faults.contender.Wish;
import io.holdfast.faults.contender.Workload;
import io.holdfast.faults.judge.Attempt;
import io.holdfast.faults.judge.LogReader;
import io.holdfast.servers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CandidateIT {
    @TempDir
    private @Nullable Path folder;

    /** The order to stop comes while it leads; until its candidacy is closed it may be elected again. */
    @Test
    void electedAgainWhenItHasStopped_writesNothingOfIt() throws Exception {
        Path file = Path.of(String.valueOf(folder), "p0.log");
        AtomicBoolean stop = new AtomicBoolean();
        CompletableFuture<Leader> leader = new CompletableFuture<>();
        CountDownLatch electedAgain = new CountDownLatch(1);
        try (RedisServer gate = RedisServer.start();
                EventLog log = new EventLog(file)) {
            Worker.Order order = new Worker.Order(
                    "p0",
                    "made up",
                    Topology.SINGLE,
                    List.of(),
                    List.of(Workload.ELECTION),
                    Duration.ofSeconds(1),
                    gate.address(),
                    file,
                    7);
            Session session = new OneElection(leader, electedAgain);
            Thread thread = new Thread(new Candidate(order, 0, session, log, new AtomicLong(), stop));
            thread.start();
            stop.set(true);
            leader.get(10, TimeUnit.SECONDS).lead(new Leading());
            leader.get(10, TimeUnit.SECONDS).lead(new Leading());
            electedAgain.countDown();
            thread.join(10_000);
            assertThat(thread.isAlive()).isFalse();
        }

        List<Attempt> attempts = new ArrayList<>();
        try (LogReader reader = new LogReader("p0", file)) {
            reader.read(attempts);
        }
        assertThat(attempts).hasSize(1);
        assertThat(attempts.get(0).isGranted()).isTrue();
    }

    /** Hands its leader to the test, and cannot be closed before that says so. */
    private record OneElection(CompletableFuture<Leader> leader, CountDownLatch mayClose) implements Session {
        @Override
        public @Nullable Held take(Wish wish, Duration wait) {
            throw new UnsupportedOperationException("only elections here");
        }

        @Override
        public Candidacy stand(String election, Leader elected) {
            leader.complete(elected);
            return () -> {
                try {
                    mayClose.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            };
        }

        @Override
        public void close() {}
    }

    private record Leading() implements Held {
        @Override
        public List<Long> tokens() {
            return List.of(1L);
        }

        @Override
        public long validUntil() {
            return System.nanoTime() + 1_000_000_000;
        }

        @Override
        public boolean release() {
            return true;
        }

        @Override
        public void onLost(Consumer<String> told) {}
    }
}
