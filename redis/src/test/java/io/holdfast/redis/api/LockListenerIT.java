package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Hold;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import io.holdfast.Loss;
import io.holdfast.OnLoss;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Every event, from a real server. */
class LockListenerIT {
    private final RedisServer redis = SharedRedis.empty();
    private final TcpProxy network = TcpProxy.to(redis.port());
    private final Recorder events = new Recorder();
    private final Holdfast locks = Holdfast.builder()
            .uri("redis://127.0.0.1:" + network.port())
            .commandTimeout(Duration.ofSeconds(2))
            .listener(events)
            .build();

    @AfterEach
    void close() {
        network.restore();
        locks.close();
        network.close();
    }

    private record Event(
            String what,
            String lockName,
            @Nullable Hold hold,
            Duration time,
            @Nullable Object detail,
            Thread thread) {}

    private static final class Recorder implements LockListener {
        final List<Event> all = new CopyOnWriteArrayList<>();

        private void add(String what, Hold hold, Duration time, @Nullable Object detail) {
            all.add(new Event(what, hold.lockName(), hold, time, detail, Thread.currentThread()));
        }

        @Override
        public void acquired(Hold hold, Duration waited) {
            add("acquired", hold, waited, null);
        }

        @Override
        public void released(Hold hold, Duration held) {
            add("released", hold, held, null);
        }

        @Override
        public void renewed(Hold hold, Duration lag) {
            add("renewed", hold, lag, null);
        }

        @Override
        public void renewalFailed(Hold hold, Duration remaining, Throwable reason) {
            add("renewalFailed", hold, remaining, reason);
        }

        @Override
        public void lost(Hold hold, Loss loss) {
            add("lost", hold, Duration.ZERO, loss);
        }

        @Override
        public void waited(String lockName, Duration waited, boolean obtained) {
            all.add(new Event("waited", lockName, null, waited, obtained, Thread.currentThread()));
        }

        List<Event> of(String what) {
            return all.stream().filter(event -> event.what().equals(what)).toList();
        }

        /** The one event of this kind, once it is there. */
        Event one(String what) {
            until(() -> !of(what).isEmpty());
            assertThat(of(what)).hasSize(1);
            return of(what).get(0);
        }

        List<String> kinds() {
            return all.stream().map(Event::what).toList();
        }
    }

    @Test
    void acquireAndRelease_areTold_inOrder_onAnotherThread() throws Exception {
        Lease lease = locks.lock("a").acquire(Duration.ZERO);
        lease.release();

        Event released = events.one("released");
        Event acquired = events.one("acquired");
        assertThat(events.kinds()).containsExactly("acquired", "released");
        assertThat(acquired.hold()).isEqualTo(released.hold());
        assertThat(acquired.lockName()).isEqualTo("a");
        assertThat(acquired.hold()).extracting(Hold::token).isEqualTo(lease.token());
        assertThat(acquired.hold()).extracting(Hold::owner).asString().matches("[0-9a-z]+:[0-9]+:[0-9a-z]+");
        assertThat(acquired.time()).isBetween(Duration.ZERO, Duration.ofSeconds(5));
        assertThat(released.time()).isBetween(Duration.ZERO, Duration.ofSeconds(5));
        assertThat(acquired.thread()).isNotSameAs(Thread.currentThread());
        assertThat(acquired.thread().getName()).startsWith("holdfast-");
    }

    @Test
    void reentry_isNotTold() {
        DistributedLock lock = locks.lock("a");
        lock.lock();
        lock.lock();
        lock.unlock();
        lock.unlock();

        events.one("released");
        assertThat(events.kinds()).containsExactly("acquired", "released");
    }

    @Test
    void attemptThatFails_isNoEvent() throws Exception {
        try (Holdfast other = Holdfast.connect(redis.uri());
                Lease theirs = other.lock("a").acquire(Duration.ZERO)) {
            assertThat(theirs.isValid()).isTrue();
            assertThat(locks.lock("a").tryLock()).isFalse();
        }
        locks.lock("b").acquire(Duration.ZERO).close();

        events.one("released");
        assertThat(events.all).allMatch(event -> event.lockName().equals("b"));
    }

    @Test
    void renewal_isTold() throws Exception {
        try (Lease lease = locks.lock("a", o -> o.lease(Duration.ofSeconds(6))).acquire(Duration.ZERO)) {
            until(() -> events.of("renewed").size() >= 2);

            assertThat(events.of("renewed")).allSatisfy(event -> {
                assertThat(event.hold()).extracting(Hold::token).isEqualTo(lease.token());
                assertThat(event.time()).isBetween(Duration.ZERO, Duration.ofSeconds(4));
            });
        }
        assertThat(events.of("lost")).isEmpty();
    }

    @Test
    @Faults({4, 21})
    void renewalThatFails_isToldWithWhatIsLeft_andTheHoldIsLostOnce() throws Exception {
        Lease lease = locks.lock("a", o -> o.lease(Duration.ofSeconds(4))).acquire(Duration.ZERO);
        network.cut();

        Event lost = events.one("lost");
        assertThat(lost.detail())
                .isInstanceOfSatisfying(
                        Loss.class, loss -> assertThat(loss.cause()).isEqualTo(Loss.Cause.EXPIRED));
        assertThat(lost.hold()).extracting(Hold::token).isEqualTo(lease.token());
        assertThat(events.of("renewalFailed")).isNotEmpty().allSatisfy(event -> {
            assertThat(event.time()).isBetween(Duration.ZERO, Duration.ofSeconds(4));
            assertThat(event.detail()).asString().contains("redis://127.0.0.1:" + network.port());
        });
        assertThat(events.kinds()).endsWith("lost");
        assertThat(lease.lost().toCompletableFuture().get(5, SECONDS)).isEqualTo(lost.detail());
        assertThat(lease.release()).isFalse();
        assertThat(events.of("released")).isEmpty();
    }

    @Test
    void renewalThatFailsForAWhile_isToldAndTheHoldLives() throws Exception {
        try (Lease lease = locks.lock("a", o -> o.lease(Duration.ofSeconds(8))).acquire(Duration.ZERO)) {
            network.cut();
            until(() -> !events.of("renewalFailed").isEmpty());
            network.restore();
            until(() -> !events.of("renewed").isEmpty());

            assertThat(lease.isValid()).isTrue();
        }
        events.one("released");
        assertThat(events.of("lost")).isEmpty();
    }

    @Test
    @Faults(32)
    void lockThatIsDeleted_isToldAsGone() throws Exception {
        Lease lease = locks.lock("a", o -> o.lease(Duration.ofSeconds(3))).acquire(Duration.ZERO);

        redis.command("DEL", "distributed_lock:a");

        Event lost = events.one("lost");
        assertThat(lost.detail())
                .isInstanceOfSatisfying(
                        Loss.class, loss -> assertThat(loss.cause()).isEqualTo(Loss.Cause.GONE));
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    @Faults(32)
    void lossFoundAtTheRelease_isToldInsteadOfTheRelease() throws Exception {
        DistributedLock lock = locks.lock("a");
        lock.lock();
        redis.command("DEL", "distributed_lock:a");

        assertThat(lock.unlock()).isFalse();

        Event lost = events.one("lost");
        assertThat(lost.detail())
                .isInstanceOfSatisfying(
                        Loss.class, loss -> assertThat(loss.cause()).isEqualTo(Loss.Cause.GONE));
        assertThat(events.of("released")).isEmpty();
    }

    @Test
    void leaseThatRunsOutUnrenewed_isToldAsExpired() throws Exception {
        assertThat(locks.lock("a").tryLock(0, 200, MILLISECONDS)).isTrue();

        assertThat(events.one("lost").detail())
                .isInstanceOfSatisfying(
                        Loss.class, loss -> assertThat(loss.cause()).isEqualTo(Loss.Cause.EXPIRED));
        assertThat(locks.lock("a").unlock()).isFalse();
    }

    @Test
    @Faults(53)
    void threadThatEndsWithItsLock_isToldAsDied() throws Exception {
        boolean locked = Crowd.elsewhere(
                () -> locks.lock("a", o -> o.lease(Duration.ofMillis(300))).tryLock());
        assertThat(locked).isTrue();

        assertThat(events.one("lost").detail())
                .isInstanceOfSatisfying(
                        Loss.class, loss -> assertThat(loss.cause()).isEqualTo(Loss.Cause.HOLDER_DIED));
        until(Duration.ofSeconds(1), () -> redis.command("GET", "distributed_lock:a") == null);
    }

    @Test
    void holdPastItsLimit_isToldAsSuch() throws Exception {
        Lease lease = locks.lock("a", o -> o.lease(Duration.ofMillis(300)).maxHold(Duration.ofMillis(500)))
                .acquire(Duration.ZERO);

        Event lost = events.one("lost");
        assertThat(lost.detail())
                .isInstanceOfSatisfying(
                        Loss.class, loss -> assertThat(loss.cause()).isEqualTo(Loss.Cause.MAX_HOLD));
        assertThat(events.of("renewed")).isNotEmpty();
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    @Faults(47)
    void clientClosedWithAHold_isToldAndTheLockIsFree() throws Exception {
        Lease lease = locks.lock("a").acquire(Duration.ZERO);

        locks.close();

        assertThat(events.one("lost").detail())
                .isInstanceOfSatisfying(
                        Loss.class, loss -> assertThat(loss.cause()).isEqualTo(Loss.Cause.CLIENT_CLOSED));
        assertThat(redis.command("GET", "distributed_lock:a")).isNull();
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void waitThatEndsWithTheLock_isTold() throws Exception {
        try (Holdfast other = Holdfast.connect(redis.uri())) {
            DistributedLock theirs = other.lock("a");
            theirs.lock();
            Future<Boolean> waiter = Crowd.start(() -> locks.lock("a").tryLock(20, SECONDS));
            until(() -> HandOver.inboxes(redis) == 1);
            theirs.unlock();
            assertThat(Crowd.get(waiter)).isTrue();
        }

        Event waited = events.one("waited");
        assertThat(waited.detail()).isEqualTo(true);
        assertThat(waited.lockName()).isEqualTo("a");
        assertThat(waited.time()).isPositive();
        assertThat(events.one("acquired").time())
                .isGreaterThanOrEqualTo(waited.time().minusMillis(5));
    }

    @Test
    void waitThatEndsWithoutTheLock_isTold() throws Exception {
        try (Holdfast other = Holdfast.connect(redis.uri());
                Lease theirs = other.lock("a").acquire(Duration.ZERO)) {
            assertThat(locks.lock("a").tryLock(100, MILLISECONDS)).isFalse();
            assertThat(theirs.isValid()).isTrue();
        }

        Event waited = events.one("waited");
        assertThat(waited.detail()).isEqualTo(false);
        assertThat(waited.time()).isBetween(Duration.ofMillis(95), Duration.ofSeconds(2));
        assertThat(events.of("acquired")).isEmpty();
    }

    @Test
    void lossWithInterrupt_interruptsTheHolderAndIsTold() throws Exception {
        Future<Boolean> holder = Crowd.start(() -> {
            locks.lock("a", o -> o.lease(Duration.ofMillis(300)).onLoss(OnLoss.INTERRUPT))
                    .lock();
            try {
                new CountDownLatch(1).await(20, SECONDS);
                return false;
            } catch (InterruptedException e) {
                return true;
            }
        });
        until(() -> redis.command("GET", "distributed_lock:a") != null);

        redis.command("DEL", "distributed_lock:a");

        assertThat(Crowd.get(holder)).as("interrupted").isTrue();
        events.one("lost");
    }

    @Test
    void listenerThatThrows_disturbsNobody() throws Exception {
        Recorder second = new Recorder();
        LockListener broken = new LockListener() {
            @Override
            public void acquired(Hold hold, Duration waited) {
                throw new IllegalStateException("on purpose");
            }
        };
        try (Holdfast client = Holdfast.builder()
                .uri(redis.uri())
                .listener(broken)
                .listener(second)
                .build()) {
            client.lock("a").acquire(Duration.ZERO).close();

            second.one("released");
            assertThat(second.kinds()).containsExactly("acquired", "released");
        }
    }

    @Test
    void slowListener_delaysNoLock() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        LockListener slow = new LockListener() {
            @Override
            public void acquired(Hold hold, Duration waited) {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        try (Holdfast client =
                Holdfast.builder().uri(redis.uri()).listener(slow).build()) {
            long start = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                client.lock("a").acquire(Duration.ZERO).close();
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
            end.countDown();
        }
    }
}
