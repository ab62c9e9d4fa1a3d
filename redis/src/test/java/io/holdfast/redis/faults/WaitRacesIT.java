package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.get;
import static java.time.Duration.ofNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Grants that race with whatever ends the wait for them. */
class WaitRacesIT {
    @RegisterExtension
    static final Rig rig = new Rig();

    /** At any moment: the lock, or the exception; never both, and never anything left. */
    @Test
    @Tag("race")
    @Faults(46)
    void interrupts_atAnyMoment_leaveNothingBehind() {
        Client client = rig.direct();
        Client other = rig.direct();
        int interrupted = 0;
        int obtained = 0;
        for (int round = 0; round < 150; round++) {
            DistributedLock lock = client.lock("a", LONG);
            Optional<Lease> obstacle = round % 2 == 0 ? other.lock("a", LONG).tryAcquire() : Optional.empty();
            AtomicBoolean got = new AtomicBoolean();
            Waiter waiter = new Waiter(() -> {
                Lease lease = lock.tryAcquire(SOON).orElseThrow();
                got.set(true);
                return lease.release();
            });
            spin(ThreadLocalRandom.current().nextLong(1_500_000));
            waiter.thread.interrupt();
            obstacle.ifPresent(Lease::release);
            try {
                assertThat(get(waiter.outcome)).isTrue();
                obtained++;
            } catch (AssertionError e) {
                assertThat(e).hasRootCauseInstanceOf(InterruptedException.class);
                assertThat(got).isFalse();
                interrupted++;
            }
        }
        assertThat(interrupted + obtained).isEqualTo(150);
        rig.awaitNothingLeft();
        assertThat(client.losses()).isEmpty();
    }

    /** Waits of about as long as it takes to be granted the lock. */
    @Test
    @Tag("race")
    @Faults(45)
    void grants_thatRaceWithTheWaitersTimeOut_areNeverLeakedNorShared() {
        int clients = 3;
        int threads = 3;
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger granted = new AtomicInteger();
        AtomicInteger timedOut = new AtomicInteger();
        AtomicLong lastToken = new AtomicLong();
        AtomicInteger disorder = new AtomicInteger();
        List<Client> all = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            all.add(rig.direct().connected());
        }
        long end = System.nanoTime() + 2_000_000_000L;
        List<Future<Boolean>> workers = new ArrayList<>();
        for (Client client : all) {
            for (int j = 0; j < threads; j++) {
                workers.add(rig.start(() -> {
                    while (System.nanoTime() - end < 0) {
                        long wait = ThreadLocalRandom.current().nextLong(3_000_000);
                        Optional<Lease> lease = triesFor(client, ofNanos(wait));
                        if (lease.isEmpty()) {
                            timedOut.incrementAndGet();
                            continue;
                        }
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        long token = lease.get().token();
                        if (lastToken.getAndSet(token) >= token) {
                            disorder.incrementAndGet();
                        }
                        spin(ThreadLocalRandom.current().nextLong(300_000));
                        inside.decrementAndGet();
                        granted.incrementAndGet();
                        assertThat(lease.get().release()).isTrue();
                    }
                    return true;
                }));
            }
        }
        workers.forEach(Timing::get);

        assertThat(most).hasValue(1);
        assertThat(disorder).hasValue(0);
        assertThat(granted).hasPositiveValue();
        assertThat(timedOut).hasPositiveValue();
        rig.awaitNothingLeft();
    }

    /** A store that takes longer than the wait, on a busy machine, is told of: the lock is not had then, either. */
    private static Optional<Lease> triesFor(Client client, Duration wait) throws InterruptedException {
        try {
            return client.lock("a", LONG).tryAcquire(wait);
        } catch (StoreUnavailableException e) {
            assertThat(e).hasMessageContaining("did not answer within");
            return Optional.empty();
        }
    }

    private static void spin(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }
}
