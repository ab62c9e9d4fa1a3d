package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.ClientClosedException;
import io.holdfast.DistributedLock;
import io.holdfast.Hold;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.JvmProcess;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a client costs while it lives, and that nothing of it is left when it is closed. */
class ThreadsAndConnectionsIT {
    private final RedisServer redis = SharedRedis.empty();
    private final TcpProxy network = TcpProxy.to(redis.port());
    private final Set<Thread> before = ours();

    @AfterEach
    void nothingIsLeft() {
        until(() -> threads().isEmpty());
        until(() -> network.openConnections() == 0);
        network.close();
    }

    private static Set<Thread> ours() {
        Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
        threads.removeIf(thread -> !thread.getName().startsWith("holdfast-"));
        return threads;
    }

    /** The names of the threads that this test's clients have. */
    private List<String> threads() {
        Set<Thread> now = ours();
        now.removeAll(before);
        return now.stream().map(Thread::getName).sorted().toList();
    }

    private Holdfast connect() {
        return Holdfast.connect("redis://127.0.0.1:" + network.port());
    }

    @Test
    void clientThatWasNeverUsed_hasNoConnectionAndNoThread() {
        try (Holdfast locks = connect()) {
            assertThat(locks.store()).startsWith("redis://");
            assertThat(network.connectionsAccepted()).isZero();
            assertThat(threads()).isEmpty();
        }
    }

    @Test
    void uncontendedUse_takesOneConnectionAndTheTimer() {
        try (Holdfast locks = connect()) {
            for (int i = 0; i < 20; i++) {
                assertThat(locks.lock("a").tryLock()).isTrue();
                assertThat(locks.lock("a").unlock()).isTrue();
            }

            assertThat(network.openConnections()).isEqualTo(1);
            assertThat(network.connectionsAccepted()).isEqualTo(1);
            assertThat(threads()).containsExactly("holdfast-timer");
        }
    }

    @Test
    void everythingAtOnce_takesThreeConnectionsAndOneThreadForEachRole() throws Exception {
        AtomicInteger events = new AtomicInteger();
        LockListener listener = new LockListener() {
            @Override
            public void renewed(Hold hold, Duration lag) {
                events.incrementAndGet();
            }
        };
        try (Holdfast locks = Holdfast.builder()
                        .uri("redis://127.0.0.1:" + network.port())
                        .listener(listener)
                        .build();
                Lease lease =
                        locks.lock("a", o -> o.lease(Duration.ofMillis(1_500))).acquire(Duration.ZERO)) {
            heldByAnother("busy");
            List<Future<Boolean>> waiters = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                waiters.add(Crowd.start(() -> {
                    locks.lock("busy").lock();
                    return locks.lock("busy").unlock();
                }));
            }
            List<Lease> async = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                async.add(locks.lock("n" + i)
                        .acquireAsync(Duration.ofSeconds(5))
                        .toCompletableFuture()
                        .get(10, SECONDS));
            }
            until(() -> events.get() >= 3 && network.openConnections() == 3);

            assertThat(new HashSet<>(threads()))
                    .isSubsetOf(
                            "holdfast-timer",
                            "holdfast-io",
                            "holdfast-release",
                            "holdfast-renewal",
                            "holdfast-inbox",
                            "holdfast-callback")
                    .contains("holdfast-timer", "holdfast-io", "holdfast-renewal", "holdfast-inbox");
            assertThat(threads().stream().filter(name -> !name.equals("holdfast-callback")))
                    .doesNotHaveDuplicates();

            async.forEach(Lease::close);
            lease.release();
            redis.command("DEL", "distributed_lock:busy");
            for (Future<Boolean> waiter : waiters) {
                assertThat(Crowd.get(waiter)).isTrue();
            }
        }
    }

    /** By one without threads and connections of ours. */
    private void heldByAnother(String name) {
        redis.command("SET", "distributed_lock:" + name, "somebody", "PX", "60000");
    }

    @Test
    void threads_areAllDaemons() throws Exception {
        try (Holdfast locks = connect();
                Lease lease =
                        locks.lock("a", o -> o.lease(Duration.ofMillis(1_500))).acquire(Duration.ZERO)) {
            heldByAnother("busy");
            Future<Boolean> waiter = Crowd.start(() -> locks.lock("busy").tryLock(20, SECONDS));
            until(() -> threads().contains("holdfast-inbox") && threads().contains("holdfast-renewal"));

            assertThat(ours()).allMatch(Thread::isDaemon);
            lease.release();
            redis.command("DEL", "distributed_lock:busy");
            assertThat(Crowd.get(waiter)).isTrue();
        }
    }

    @Test
    void close_whileIdle_isQuick() {
        Holdfast locks = connect();
        assertThat(locks.lock("a").tryLock()).isTrue();
        assertThat(locks.lock("a").unlock()).isTrue();

        long start = System.nanoTime();
        locks.close();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    @Faults(47)
    void close_whileOthersWait_endsTheirWaitsAndLeavesNoTicket() throws Exception {
        try (Holdfast holder = Holdfast.connect(redis.uri());
                Lease held = holder.lock("a").acquire(Duration.ZERO);
                Lease other = holder.lock("b").acquire(Duration.ZERO)) {
            Holdfast locks = connect();
            List<Future<Boolean>> waiters = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                String name = i % 2 == 0 ? "a" : "b";
                waiters.add(Crowd.start(() -> locks.lock(name).tryLock(60, SECONDS)));
            }
            // One of each line stands in the store, for all of them.
            until(() ->
                    holder.inspect("*").stream().allMatch(lock -> lock.waiters().size() == 1));

            long start = System.nanoTime();
            locks.close();

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
            for (Future<Boolean> waiter : waiters) {
                assertThatExceptionOfType(ClientClosedException.class).isThrownBy(() -> Crowd.get(waiter));
            }
            assertThat(holder.inspect("*"))
                    .hasSize(2)
                    .allMatch(lock -> lock.waiters().isEmpty());
            assertThat(held.isValid() && other.isValid()).isTrue();
        }
    }

    @Test
    @Faults(47)
    void close_withHolds_releasesThem() throws Exception {
        Holdfast locks = connect();
        for (int i = 0; i < 20; i++) {
            assertThat(locks.lock("n" + i).tryLock()).isTrue();
        }

        locks.close();

        assertThat(redis.keys()).containsExactly("distributed_lock:~fence");
    }

    @Test
    void close_byManyThreadsAtOnce_isDoneOnce() throws Exception {
        Holdfast locks = connect();
        assertThat(locks.lock("a").tryLock()).isTrue();

        Crowd.all(8, () -> {
            locks.close();
            return null;
        });

        assertThat(redis.keys()).containsExactly("distributed_lock:~fence");
    }

    @Test
    void manyClients_areAllGoneWhenClosed() {
        for (int i = 0; i < 30; i++) {
            try (Holdfast locks = connect()) {
                assertThat(locks.lock("a").tryLock()).isTrue();
            }
        }

        assertThat(network.connectionsAccepted()).isEqualTo(30);
        assertThat(redis.keys()).containsExactly("distributed_lock:~fence");
    }

    /** Takes a lock and waits for another, and ends without a word. */
    static final class Leaver {
        private Leaver() {}

        public static void main(String[] args) throws Exception {
            Holdfast locks = Holdfast.connect(args[0]);
            DistributedLock mine = locks.lock("mine", o -> o.lease(Duration.ofSeconds(2)));
            mine.lock();
            CountDownLatch started = new CountDownLatch(1);
            Thread waiter = new Thread(() -> {
                started.countDown();
                locks.lock("theirs").lock();
            });
            waiter.setDaemon(true);
            waiter.start();
            started.await();
            while (locks.inspect("theirs").get(0).waiters().isEmpty()) {
                Thread.onSpinWait();
            }
            System.out.println("ready");
        }
    }

    @Test
    @Faults(54)
    void jvmThatEndsWithoutClosing_endsAtOnceAndLeavesNothingLongerThanItsLease() throws Exception {
        try (Holdfast locks = Holdfast.connect(redis.uri());
                Lease theirs = locks.lock("theirs").acquire(Duration.ZERO);
                JvmProcess jvm = JvmProcess.start(Leaver.class, redis.uri())) {
            jvm.awaitLine("ready", Duration.ofSeconds(30));
            long start = System.nanoTime();

            assertThat(jvm.exitCode(Duration.ofSeconds(5))).isZero();

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
            assertThat(redis.keys())
                    .filteredOn(key -> !key.equals("distributed_lock:~fence"))
                    .allSatisfy(key -> assertThat((Long) requireNonNull(redis.command("PTTL", key)))
                            .isPositive());
            until(Duration.ofSeconds(3), () -> redis.command("GET", "distributed_lock:mine") == null);
            assertThat(theirs.isValid()).isTrue();
        }
    }
}
