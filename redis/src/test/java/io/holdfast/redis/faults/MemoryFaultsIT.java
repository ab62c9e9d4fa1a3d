package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.KEPT;
import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Lease;
import io.holdfast.StoreRefusedException;
import io.holdfast.testkit.Faults;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server that is out of memory: nothing new, but nobody who has something is stuck with it. */
class MemoryFaultsIT {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static void runOutOfMemory() {
        rig.configure("maxmemory", "1");
    }

    @Test
    @Faults(34)
    void acquire_outOfMemory_failsWithTheReasonAndLeavesNothing() {
        Client client = rig.direct().connected();
        runOutOfMemory();

        assertThatThrownBy(() -> client.lock("a").tryLock())
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining(rig.redis().uri())
                .hasMessageContaining("OOM")
                .hasMessageContaining("maxmemory");

        assertThat(rig.isFree("a")).isTrue();
    }

    @Test
    @Faults(34)
    void wait_outOfMemory_failsWithTheReasonAndLeavesNoTicket() {
        Client client = rig.direct().connected();
        rig.direct().take("a", LONG);
        runOutOfMemory();

        assertThatThrownBy(() -> client.lock("a").acquire(SOON))
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining("OOM");

        assertThat(rig.waiters("a")).isZero();
    }

    @Test
    @Faults(34)
    void renewalAndRelease_outOfMemory_stillWork() {
        Client client = rig.direct();
        Lease lease = client.take("a", KEPT);
        runOutOfMemory();

        int before = client.renewals();
        until("it is renewed again and again", () -> client.renewals() > before + 1);

        rig.assertProtects(lease);
        assertThat(lease.release()).isTrue();
        assertThat(rig.isFree("a")).isTrue();
        assertThat(client.losses()).isEmpty();
    }

    /** The release has to hand the lock over, which writes more than a server without memory allows at first. */
    @Test
    @Faults(34)
    void release_outOfMemoryWithWaiters_handsTheLockOver() throws InterruptedException {
        Client holder = rig.direct();
        Client waiter = rig.direct();
        Lease lease = holder.take("a", LONG);
        Future<Lease> waiting = rig.start(() -> waiter.lock("a", LONG).acquire(SOON));
        until("it waits, and listens", () -> rig.waiters("a") == 1 && rig.subscribers() == 1);
        until("its look after the subscription is over", rig::isQuiet);
        runOutOfMemory();

        assertThat(lease.release()).isTrue();

        Lease next = get(waiting);
        rig.assertProtects(next);
        assertThat(next.token()).isGreaterThan(lease.token());
        assertThat(next.release()).isTrue();
        rig.awaitNothingLeft();
    }

    @Test
    @Faults(34)
    void extend_outOfMemory_stillWorks() {
        Client client = rig.direct();
        Lease lease = client.takeUnrenewed("a", KEPT);
        runOutOfMemory();

        lease.extend(LONG);

        assertThat(lease.remaining()).isGreaterThan(LONG.dividedBy(2));
        rig.assertProtects(lease);
    }
}
