package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.DistributedLatch;
import io.holdfast.DistributedLock;
import io.holdfast.Hold;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import io.holdfast.Loss;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Callers that are virtual threads. An interrupt of one closes the socket it blocks on, so it must not block on ours. */
@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsIT {
    private final RedisServer redis = SharedRedis.empty();
    private final TcpProxy network = TcpProxy.to(redis.port());
    private final Holdfast locks = Holdfast.connect("redis://127.0.0.1:" + network.port());

    @AfterEach
    void close() {
        network.restore();
        locks.close();
        network.close();
    }

    /** A virtual thread and what became of it. */
    private record Virtual<T>(Thread thread, Future<T> result) {
        static <T> Virtual<T> start(Callable<T> task) {
            FutureTask<T> result = new FutureTask<>(task);
            try {
                // By reflection, since we compile for 17.
                Object thread = Thread.class
                        .getMethod("startVirtualThread", Runnable.class)
                        .invoke(null, result);
                return new Virtual<>((Thread) thread, result);
            } catch (ReflectiveOperationException e) {
                throw new LinkageError("no virtual threads here", e);
            }
        }

        T get() throws Exception {
            return Crowd.get(result);
        }
    }

    @Test
    void thousandsOfVirtualThreads_excludeEachOther() throws Exception {
        int names = 40;
        AtomicIntegerArray inside = new AtomicIntegerArray(names);
        AtomicInteger violations = new AtomicInteger();
        int[] unguarded = new int[names];
        List<Virtual<Boolean>> threads = new ArrayList<>();
        for (int i = 0; i < 4_000; i++) {
            int name = i % names;
            threads.add(Virtual.start(() -> {
                DistributedLock lock = locks.lock("n" + name);
                lock.lock();
                try {
                    if (inside.incrementAndGet(name) != 1) {
                        violations.incrementAndGet();
                    }
                    unguarded[name]++;
                    inside.decrementAndGet(name);
                } finally {
                    if (!lock.unlock()) {
                        violations.incrementAndGet();
                    }
                }
                return true;
            }));
        }
        for (Virtual<Boolean> thread : threads) {
            assertThat(thread.get()).isTrue();
        }

        assertThat(violations).hasValue(0);
        assertThat(unguarded).containsOnly(4_000 / names);
        assertThat(network.connectionsAccepted()).isLessThanOrEqualTo(3);
        until(() -> redis.keysOfLocks().size() == 1);
    }

    @Test
    void reentrancy_isPerVirtualThread() throws Exception {
        DistributedLock lock = locks.lock("a");
        CompletableFuture<Void> held = new CompletableFuture<>();
        CompletableFuture<Void> end = new CompletableFuture<>();
        Virtual<Integer> holder = Virtual.start(() -> {
            lock.lock();
            lock.lock();
            held.complete(null);
            end.get(20, SECONDS);
            int count = lock.getHoldCount();
            assertThat(lock.unlock()).isTrue();
            assertThat(lock.unlock()).isTrue();
            assertThat(lock.unlock()).isFalse();
            return count;
        });
        held.get(20, SECONDS);

        boolean elsewhere = Virtual.start(lock::tryLock).get();
        assertThat(elsewhere).isFalse();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        end.complete(null);

        assertThat(holder.get()).isEqualTo(2);
        assertThat(redis.keysOfLocks()).containsExactly("distributed_lock:~fence");
    }

    @Test
    @Faults(46)
    void interrupt_inTheMiddleOfAWait_endsItAndLeavesNoTicket() throws Exception {
        try (Holdfast others = Holdfast.connect(redis.uri());
                Lease held = others.lock("a").acquire(Duration.ZERO);
                Lease busy = others.lock("b").acquire(Duration.ZERO)) {
            Virtual<Boolean> waiter = Virtual.start(() -> locks.lock("a").tryLock(60, SECONDS));
            Virtual<Boolean> patient = Virtual.start(() -> locks.lock("b").tryLock(60, SECONDS));
            until(() ->
                    locks.inspect("*").stream().allMatch(lock -> lock.waiters().size() == 1));
            long connections = network.connectionsAccepted();

            waiter.thread().interrupt();

            assertThatExceptionOfType(InterruptedException.class).isThrownBy(waiter::get);
            until(() -> locks.inspect("a").get(0).waiters().isEmpty());
            assertThat(network.connectionsAccepted())
                    .as("nobody's connection broke")
                    .isEqualTo(connections);
            assertThat(held.isValid()).isTrue();
            busy.release();
            assertThat(patient.get()).isTrue();
        }
    }

    @Test
    @Faults(46)
    void interrupt_inTheMiddleOfIo_breaksNobodysConnection() throws Exception {
        assertThat(locks.lock("warm").tryLock()).isTrue();
        assertThat(locks.lock("warm").unlock()).isTrue();
        long connections = network.connectionsAccepted();
        network.delayReplies(Duration.ofMillis(300));
        List<Virtual<Boolean>> interrupted = new ArrayList<>();
        List<Virtual<Boolean>> others = new ArrayList<>();
        long requests = network.requestsSeen();
        for (int i = 0; i < 3; i++) {
            int name = i;
            interrupted.add(Virtual.start(() -> locks.lock("i" + name).tryLock(20, SECONDS)));
            others.add(Virtual.start(() -> {
                locks.lock("o" + name).lock();
                return locks.lock("o" + name).unlock();
            }));
        }
        until(() -> network.requestsSeen() > requests);

        interrupted.forEach(virtual -> virtual.thread().interrupt());

        for (Virtual<Boolean> virtual : interrupted) {
            assertThatExceptionOfType(InterruptedException.class).isThrownBy(virtual::get);
        }
        for (Virtual<Boolean> virtual : others) {
            assertThat(virtual.get()).isTrue();
        }
        network.restore();
        assertThat(network.connectionsAccepted()).isEqualTo(connections);
        until(() -> redis.keysOfLocks().size() == 1);
    }

    @Test
    @Faults(46)
    void interrupt_duringAnUninterruptibleCall_isStillSetAfterwards() throws Exception {
        assertThat(locks.lock("warm").tryLock()).isTrue();
        network.delayReplies(Duration.ofMillis(200));
        long requests = network.requestsSeen();
        Virtual<Boolean> virtual = Virtual.start(() -> {
            locks.lock("a").lock();
            boolean flag = Thread.interrupted();
            assertThat(locks.lock("a").unlock()).isTrue();
            return flag;
        });
        until(() -> network.requestsSeen() > requests);

        virtual.thread().interrupt();

        assertThat(virtual.get()).as("the flag").isTrue();
    }

    @Test
    @Faults(53)
    void virtualThread_thatEndsWithItsLock_losesItAndFreesItWithinTheLease() throws Exception {
        CompletableFuture<Loss> lost = new CompletableFuture<>();
        try (Holdfast client = Holdfast.builder()
                .uri(redis.uri())
                .listener(new LockListener() {
                    @Override
                    public void lost(Hold hold, Loss loss) {
                        lost.complete(loss);
                    }
                })
                .build()) {
            Virtual<Boolean> dies = Virtual.start(
                    () -> client.lock("a", o -> o.lease(Duration.ofMillis(400))).tryLock());
            assertThat(dies.get()).isTrue();

            assertThat(lost.get(10, SECONDS).cause()).isEqualTo(Loss.Cause.HOLDER_DIED);
            until(Duration.ofSeconds(1), () -> redis.command("GET", "distributed_lock:a") == null);
        }
    }

    @Test
    @Faults(57)
    void setsThatOverlap_ofManyVirtualThreads_areHadWholeOrNotAtAll() throws Exception {
        int names = 6;
        AtomicIntegerArray inside = new AtomicIntegerArray(names);
        AtomicInteger violations = new AtomicInteger();
        List<Virtual<Boolean>> threads = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            int first = i % names;
            int second = (first + 1 + i % (names - 1)) % names;
            threads.add(Virtual.start(() -> {
                DistributedLock both = locks.allOf(locks.lock("n" + second), locks.lock("n" + first));
                both.lock();
                if (inside.incrementAndGet(first) != 1 || inside.incrementAndGet(second) != 1) {
                    violations.incrementAndGet();
                }
                inside.decrementAndGet(first);
                inside.decrementAndGet(second);
                return both.unlock();
            }));
        }
        for (Virtual<Boolean> thread : threads) {
            assertThat(thread.get()).isTrue();
        }

        assertThat(violations).hasValue(0);
        until(() -> redis.keysOfLocks().size() == 1);
    }

    @Test
    @Faults({46, 57})
    void interruptsAtAnyMoment_ofThoseWhoTakeSeveral_leaveNothingBehind() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Virtual<Boolean>> threads = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            int first = i % 4;
            threads.add(Virtual.start(() -> {
                DistributedLock all = locks.allOf(locks.lock("n" + first), locks.lock("n4"), locks.lock("n5"));
                try {
                    all.lockInterruptibly();
                } catch (InterruptedException e) {
                    return !all.isHeldByCurrentThread();
                }
                return all.unlock();
            }));
            if (random.nextBoolean()) {
                threads.get(random.nextInt(threads.size())).thread().interrupt();
            }
        }

        for (Virtual<Boolean> thread : threads) {
            assertThat(thread.get()).as("seed %s", seed).isTrue();
        }
        assertThat(network.connectionsAccepted()).isLessThanOrEqualTo(3);
        until(() -> redis.keysOfLocks().size() == 1);
    }

    @Test
    @Faults(46)
    void interruptOfOneWhoWaitsForALatch_leavesNoTicket_andTheOthersAreTold() throws Exception {
        DistributedLatch latch = locks.latch("a");
        assertThat(latch.trySetCount(1)).isTrue();
        List<Virtual<Boolean>> waiters = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            waiters.add(Virtual.start(() -> latch.await(Duration.ofSeconds(30))));
        }
        until(() -> waitingForTheLatch() == 100);

        waiters.subList(0, 30).forEach(waiter -> waiter.thread().interrupt());

        for (Virtual<Boolean> waiter : waiters.subList(0, 30)) {
            assertThatExceptionOfType(InterruptedException.class).isThrownBy(waiter::get);
        }
        until(Duration.ofSeconds(4), () -> waitingForTheLatch() == 70);
        latch.countDown();
        for (Virtual<Boolean> waiter : waiters.subList(30, 100)) {
            assertThat(waiter.get()).isTrue();
        }
        assertThat(latch.clear()).isTrue();
        assertThat(redis.keysOfLocks()).isEmpty();
    }

    private long waitingForTheLatch() {
        return redis.command("ZCARD", "distributed_lock:~waiters:{distributed_lock:a}") instanceof Long count
                ? count
                : 0;
    }

    @Test
    void lease_isUsedByManyVirtualThreads() throws Exception {
        try (Lease lease = locks.lock("a").acquire(Duration.ZERO)) {
            List<Virtual<Long>> threads = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                threads.add(Virtual.start(() -> {
                    lease.ensureValid();
                    lease.extend(Duration.ofSeconds(40));
                    return lease.token();
                }));
            }
            for (Virtual<Long> thread : threads) {
                assertThat(thread.get()).isEqualTo(lease.token());
            }
            assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(35));
            boolean released = Virtual.start(lease::release).get();
            assertThat(released).isTrue();
        }
    }
}
