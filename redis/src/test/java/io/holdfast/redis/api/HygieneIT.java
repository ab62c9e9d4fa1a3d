package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.servers.RedisServer;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Names come and go, and leave nothing behind: neither in the client nor in the server. */
class HygieneIT {
    private static final int THREADS = 4;
    private static final int ROUND = 100_000;

    @Test
    void aHundredThousandNames_leaveNothingBehind() throws Exception {
        leavesNothingBehind(100_000);
    }

    @Test
    @Tag("slow")
    @Timeout(1_200)
    void aMillionNames_leaveNothingBehind() throws Exception {
        leavesNothingBehind(1_000_000);
    }

    private static void leavesNothingBehind(int names) throws Exception {
        try (RedisServer redis = RedisServer.start();
                Holdfast locks = Holdfast.connect(redis.uri())) {
            // Warmed up: classes, scripts, buffers, the inbox.
            cycles(locks, "warm:", 5_000);
            long heap = usedHeap();
            long memory = redis.usedMemory();
            long start = System.nanoTime();

            for (int round = 0; round < names / ROUND; round++) {
                cycles(locks, "name:" + round + ":", ROUND);
            }

            Duration took = Duration.ofNanos(System.nanoTime() - start);
            System.out.printf(
                    "%d names in %d ms, %d µs each; heap %+d KB, server %+d KB%n",
                    names,
                    took.toMillis(),
                    took.toNanos() / 1_000 / names,
                    (usedHeap() - heap) / 1024,
                    (redis.usedMemory() - memory) / 1024);
            assertThat(redis.keysOfLocks()).containsExactly("distributed_lock:~fence");
            assertThat(redis.command("DBSIZE"))
                    .as("the counter, and where this client runs")
                    .isEqualTo(2L);
            // A hundred bytes left behind for each name would be ten megabytes.
            until(() -> usedHeap() - heap < 4_000_000);
            until(() -> redis.usedMemory() - memory < 1_000_000);
        }
    }

    /** Each name is locked and unlocked; every hundredth by two threads at once, so that one of them waits. */
    private static void cycles(Holdfast locks, String prefix, int names) throws Exception {
        AtomicInteger next = new AtomicInteger();
        Crowd.all(THREADS, () -> {
            for (int i = next.getAndIncrement(); i < names; i = next.getAndIncrement()) {
                int name = i % 100 == 99 ? i - 1 : i;
                DistributedLock lock = locks.lock(prefix + name);
                lock.lock();
                assertThat(lock.unlock()).isTrue();
            }
            return null;
        });
    }

    private static long usedHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
