package io.holdfast.redis.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A server that answers anything. Whatever it says, a call ends in time, as an answer or as a {@link LockException},
 * nobody is told that he holds a lock unless the server said so, and once the server is itself again so is the client.
 *
 * <p>A failure names its seed; {@code -Dfuzz.seed=N -Dfuzz.rounds=1} repeats it.
 */
class ReplyFuzzTest {
    private static final Duration TIMEOUT = Duration.ofMillis(250);
    /** For a busy machine. */
    private static final Duration SLACK = Duration.ofSeconds(4);
    /** For the first lock of a JVM, whose tries end after {@link #TIMEOUT} each. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void badReplies_areNeverTakenForAnAnswer() {
        fuzz(Integer.getInteger("fuzz.rounds", 200), false);
    }

    @Test
    void repliesThatDoNotEnd_costOneTimeOut() {
        fuzz(Integer.getInteger("fuzz.rounds", 10), true);
    }

    @Test
    @Tag("slow")
    void badReplies_manyOfThem() {
        fuzz(Integer.getInteger("fuzz.rounds", 6_000), false);
        fuzz(60, true);
    }

    private static void fuzz(int rounds, boolean slow) {
        long first = Long.getLong("fuzz.seed", 1);
        List<Throwable> failures = new ArrayList<>();
        try (FakeServer server = new FakeServer();
                Holdfast locks = Holdfast.builder()
                        .uri(server.uri())
                        .commandTimeout(TIMEOUT)
                        .build()) {
            for (long seed = first; seed < first + rounds && failures.size() < 10; seed++) {
                Mangled manner = new Mangled(seed, slow);
                try {
                    round(server, locks, manner, seed);
                } catch (Throwable e) {
                    failures.add(new AssertionError("seed " + seed + ", " + manner + ": " + e, e));
                    server.behave(FakeServer.WELL);
                }
            }
        }
        assertThat(failures).isEmpty();
        Awaitility.await("threads of the client")
                .atMost(Duration.ofSeconds(20))
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("holdfast-") && thread.isAlive()));
    }

    private static void round(FakeServer server, Holdfast locks, Mangled manner, long seed) throws Exception {
        Random random = new Random(~seed);
        DistributedLock lock = locks.lock("lock " + seed);
        Lease held = locks.lock("held " + seed).acquire(PATIENCE);
        server.behave(manner);
        int calls = 1 + random.nextInt(3);
        for (int i = 0; i < calls; i++) {
            Callable<Boolean> call = call(locks, lock, held, random.nextInt(7));
            long started = System.nanoTime();
            assertThat(claimsLock(call)).as("claims to hold the lock").isFalse();
            assertThat(Duration.ofNanos(System.nanoTime() - started))
                    .isLessThan(TIMEOUT.multipliedBy(4).plus(SLACK));
        }
        server.behave(FakeServer.WELL);
        held.release();
        DistributedLock next = locks.lock("next " + seed);
        assertThat(next.tryLock(10, TimeUnit.SECONDS)).as("works again").isTrue();
        assertThat(next.isHeldByCurrentThread()).isTrue();
        assertThat(next.unlock()).isTrue();
    }

    private static boolean claimsLock(Callable<Boolean> call) throws Exception {
        try {
            return call.call();
        } catch (LockException expected) {
            assertThat(expected).hasMessageNotContaining("ClassCast").hasMessageNotContaining("IndexOutOf");
            return false;
        }
    }

    private static Callable<Boolean> call(Holdfast locks, DistributedLock lock, Lease held, int which) {
        List<Callable<Boolean>> calls = List.of(
                lock::tryLock,
                () -> lock.tryLock(100, TimeUnit.MILLISECONDS),
                () -> lock.tryAcquire().isPresent(),
                quiet(() -> locks.inspect("*")),
                quiet(locks::health),
                () -> {
                    Duration before = held.remaining();
                    held.extend(Duration.ofHours(1));
                    return held.remaining().compareTo(before) > 0;
                },
                quiet(lock::isHeldByCurrentThread));
        return calls.get(which);
    }

    private static Callable<Boolean> quiet(Supplier<?> call) {
        return () -> call.get() == null;
    }
}
