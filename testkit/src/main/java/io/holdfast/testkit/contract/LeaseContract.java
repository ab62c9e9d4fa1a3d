package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Hold;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** A lease is a thing of its own, and belongs to no thread. */
interface LeaseContract extends Contract {

    @Test
    default void lease_saysWhatItIs() throws InterruptedException {
        try (Lease lease = bench().lock().acquire(Duration.ZERO)) {
            assertThat(lease.lockName()).isEqualTo(bench().name());
            assertThat(lease.token()).isPositive();
            assertThat(lease.isValid()).isTrue();
            assertThat(lease.remaining()).isBetween(Duration.ofSeconds(1), Bench.LONG);
            lease.ensureValid();
            assertThat(lease.lost().toCompletableFuture()).isNotDone();
        }
    }

    @Test
    default void lease_maybePassedToAnotherThread() throws InterruptedException {
        DistributedLock lock = bench().lock();
        Lease lease = lock.acquire(Duration.ZERO);

        Actor<Boolean> worker = bench().start(() -> {
            lease.ensureValid();
            return lease.release();
        });

        assertThat(worker.join()).isTrue();
        assertThat(lease.isValid()).isFalse();
        assertThat(bench().isFree()).isTrue();
    }

    @Test
    default void lease_takenByAThreadThatEnds_livesOn() throws InterruptedException {
        DistributedLock lock = bench().lock(Bench.KEPT);
        Lease lease = bench().start(() -> lock.acquire(Duration.ZERO)).join();
        long before = System.nanoTime();

        bench().until(() -> System.nanoTime() - before > Bench.KEPT.toNanos() * 5 / 4);

        assertThat(lease.isValid()).isTrue();
        assertThat(lease.release()).isTrue();
    }

    @Test
    default void release_twice_isTrueThenFalseAndHarmless() throws InterruptedException {
        Lease lease = bench().lock().acquire(Duration.ZERO);
        assertThat(lease.release()).isTrue();
        Lease other = bench().lock().acquire(Duration.ZERO);

        assertThat(lease.release()).isFalse();
        lease.close();

        assertThat(other.isValid()).isTrue();
        assertThat(bench().isFree()).isFalse();
        assertThatThrownBy(lease::ensureValid)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(bench().name());
        assertThat(other.release()).isTrue();
    }

    @Test
    default void listener_hearsOfTheWholeLifeInOrder() throws InterruptedException {
        List<String> heard = new CopyOnWriteArrayList<>();
        LockListener listener = new LockListener() {
            @Override
            public void acquired(Hold hold, Duration waited) {
                heard.add("acquired " + hold.token());
            }

            @Override
            public void released(Hold hold, Duration held) {
                heard.add("released " + hold.token());
                throw new IllegalStateException("a listener's own trouble");
            }
        };
        DistributedLock lock =
                bench().client(builder -> builder.listener(listener)).lock(bench().name());

        Lease one = lock.acquire(Duration.ZERO);
        one.close();
        Lease two = lock.acquire(Duration.ZERO);
        two.close();

        bench().until(() -> heard.size() == 4);
        assertThat(heard)
                .containsExactly(
                        "acquired " + one.token(),
                        "released " + one.token(),
                        "acquired " + two.token(),
                        "released " + two.token());
    }
}
