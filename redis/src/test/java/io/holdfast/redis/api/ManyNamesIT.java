package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Hold;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import io.holdfast.Loss;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Thousands of names in one call. */
@Faults(57)
class ManyNamesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final RedisServer redis = SharedRedis.empty();
    private final AtomicInteger renewals = new AtomicInteger();
    private final Map<String, Integer> losses = new ConcurrentHashMap<>();

    private Holdfast connect() {
        return Holdfast.builder()
                .uri(redis.uri())
                .listener(new LockListener() {
                    @Override
                    public void renewed(Hold hold, Duration lag) {
                        renewals.incrementAndGet();
                    }

                    @Override
                    public void lost(Hold hold, Loss loss) {
                        losses.merge(hold.lockName(), 1, Integer::sum);
                    }
                })
                .build();
    }

    private static DistributedLock all(Holdfast locks, int names, Duration lease) {
        return locks.allOf(IntStream.range(0, names)
                .mapToObj(i -> locks.lock("n" + i, o -> o.lease(lease)))
                .toList());
    }

    /** The best of some runs: a busy machine makes some slower, and none faster. */
    @Test
    void timeForEachName_doesNotGrowWithTheirNumber() throws InterruptedException {
        Map<Integer, Long> best = new TreeMap<>();
        try (Holdfast locks = connect()) {
            cycle(locks, 2_500);
            for (int round = 0; round < 4; round++) {
                for (int names : new int[] {1_000, 2_500, 5_000, 10_000}) {
                    best.merge(names, cycle(locks, names) / names, Math::min);
                }
            }
        }
        System.out.println("ns for each name, taken and given back, by the number of names: " + best);
        assertThat(best.get(10_000)).as("%s", best).isLessThan(3 * best.getOrDefault(1_000, 0L));
        assertThat(redis.keys()).containsExactly("distributed_lock:~fence");
        assertThat(losses).isEmpty();
    }

    private static long cycle(Holdfast locks, int names) throws InterruptedException {
        long start = System.nanoTime();
        Lease lease = all(locks, names, LEASE).acquire(PATIENCE);
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.release()).isTrue();
        return System.nanoTime() - start;
    }

    @Test
    void tenThousand_areRenewedTogether_andLeaveNothingInTheHeap() throws InterruptedException {
        try (Holdfast locks = connect()) {
            cycle(locks, 10_000);
            long before = usedHeap();

            holdUntilRenewed(locks, 10_000);

            assertThat(redis.keysOfLocks()).containsExactly("distributed_lock:~fence");
            until(() -> usedHeap() < before + 1_500_000);
        }
    }

    private void holdUntilRenewed(Holdfast locks, int names) throws InterruptedException {
        Lease lease = all(locks, names, Duration.ofSeconds(9)).acquire(PATIENCE);
        until(() -> renewals.get() >= names);
        assertThat(lease.isValid()).isTrue();
        assertThat(redis.keysOfLocks()).hasSize(names + 1);
        assertThat(lease.release()).isTrue();
    }

    private static long usedHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Test
    @Faults({32, 57})
    void thousandsLostAtOnce_areToldOnceEach_andSoon() throws InterruptedException {
        int names = 5_000;
        try (Holdfast locks = connect()) {
            Lease lease = all(locks, names, Duration.ofSeconds(6)).acquire(PATIENCE);

            redis.flushAll();
            long flushed = System.nanoTime();

            until(() -> losses.size() == names);
            assertThat(Duration.ofNanos(System.nanoTime() - flushed))
                    .as("at the next renewal")
                    .isLessThan(Duration.ofSeconds(5));
            assertThat(lease.isValid()).isFalse();
            assertThat(lease.lost().toCompletableFuture().join().cause()).isEqualTo(Loss.Cause.GONE);
            assertThat(lease.release()).isFalse();
        }
        assertThat(losses.values()).as("once each, also after closing").containsOnly(1);
        assertThat(redis.keys()).as("nothing is made anew").isEmpty();
    }
}
