package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLatch;
import io.holdfast.StoreRefusedException;
import io.holdfast.testkit.Faults;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Those who wait for a latch, and those who count down, when connections, scripts and the server are lost. */
class LatchFaultsIT {
    private static final String LATCH = Rig.PREFIX + "~latch:{" + Rig.key("a") + "}";
    private static final String WAITERS = Rig.PREFIX + "~waiters:{" + Rig.key("a") + "}";

    @RegisterExtension
    static final Rig rig = new Rig();

    /** What happens to those who wait before the latch opens. */
    private enum Trouble {
        CONNECTIONS_DROPPED {
            @Override
            void happen() {
                rig.proxy().dropConnections();
            }
        },
        NETWORK_CUT_FOR_A_WHILE {
            @Override
            void happen() {
                rig.proxy().cut();
                long down = System.nanoTime();
                until("it is down for a while", () -> since(down).compareTo(ofMillis(300)) > 0);
                rig.proxy().restore();
            }
        },
        CLIENTS_KILLED {
            @Override
            void happen() {
                rig.redis().killClients();
            }
        },
        SCRIPTS_FLUSHED {
            @Override
            void happen() {
                rig.redis().command("SCRIPT", "FLUSH");
            }
        },
        TICKETS_LOST {
            @Override
            void happen() {
                rig.redis().command("DEL", WAITERS);
            }
        };

        abstract void happen();
    }

    private static DistributedLatch latch(Client client) {
        return client.locks().latch("a");
    }

    private static long waiting() {
        return rig.redis().command("ZCARD", WAITERS) instanceof Long count ? count : 0;
    }

    private static List<Future<Boolean>> waiters(Client... clients) {
        List<Future<Boolean>> waiters = new ArrayList<>();
        for (Client client : clients) {
            waiters.add(rig.start(() -> latch(client).await(SOON)));
            waiters.add(latch(client).awaitAsync(SOON).toCompletableFuture());
        }
        until("they wait", () -> waiting() == waiters.size());
        // It has answered them all before it answers this: one who was never told of the latch waits for it to be set.
        rig.redis().command("PING");
        return waiters;
    }

    @ParameterizedTest
    @EnumSource
    @Faults({22, 35, 42})
    void waitersOfSeveralClients_thatAreDisturbed_areAllToldOfTheOpening(Trouble trouble) {
        DistributedLatch latch = latch(rig.direct());
        assertThat(latch.trySetCount(2)).isTrue();
        List<Future<Boolean>> waiters = waiters(rig.overProxy(), rig.overProxy(), rig.direct());

        trouble.happen();
        latch.countDown();
        trouble.happen();
        latch.countDown();

        waiters.forEach(waiter -> assertThat(get(waiter)).isTrue());
        assertThat(latch.clear()).isTrue();
        rig.awaitNothingLeft();
    }

    /** It opens while nobody can be told. */
    @Test
    @Faults({42, 43})
    void waiters_cutOffWhileItOpens_learnOfItWhenTheyAreBack() {
        DistributedLatch latch = latch(rig.direct());
        latch.trySetCount(1);
        List<Future<Boolean>> waiters = waiters(rig.overProxy(), rig.overProxy());

        rig.proxy().cut();
        latch.countDown();
        rig.proxy().restore();

        waiters.forEach(waiter -> assertThat(get(waiter)).isTrue());
        latch.clear();
        rig.awaitNothingLeft();
    }

    @Test
    @Faults(27)
    void serverRestartedWithoutItsMemory_isToldToThoseWhoWait() {
        DistributedLatch latch = latch(rig.direct());
        latch.trySetCount(1);
        List<Future<Boolean>> waiters = waiters(rig.direct(), rig.direct());

        rig.redis().kill9();
        rig.redis().restart();

        waiters.forEach(waiter -> assertThatThrownBy(() -> get(waiter))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("latch 'a' was forgotten"));
        assertThatThrownBy(latch::countDown)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not set");
        assertThat(latch.trySetCount(1)).isTrue();
        latch.countDown();
        assertThat(latch.getCount()).hasValue(0);
    }

    @Test
    @Faults({15, 20})
    void countsWhoseAnswersAreLost_countOnceEach() {
        DistributedLatch far = latch(rig.overProxy().connected());
        DistributedLatch near = latch(rig.direct());
        assertThat(near.trySetCount(20)).isTrue();
        far.countDown();

        for (int left = 18; left >= 0; left--) {
            rig.proxy().dropConnectionAfterNextRequestContaining("\r\ndown\r\n");
            far.countDown();
            assertThat(near.getCount()).hasValue(left);
        }
        near.clear();
    }

    @Test
    @Faults({16, 18})
    void countThatWasHeldUpOnItsWay_doesNotCountForALatchThatIsSetLater() {
        Client client = rig.overProxy(ofMillis(300)).connected();
        DistributedLatch near = latch(rig.direct());
        near.trySetCount(2);
        latch(client).countDown();
        var held = rig.proxy().holdNextRequestContaining("\r\ndown\r\n");
        Future<?> late = rig.start(() -> {
            latch(client).countDown();
            return true;
        });
        held.awaitSprung(SOON);
        get(late);
        assertThat(near.getCount()).hasValue(0);
        assertThat(near.clear()).isTrue();
        assertThat(near.trySetCount(2)).isTrue();
        long start = System.nanoTime();
        until("it is too late for it", () -> since(start).compareTo(ofMillis(400)) > 0);

        held.release();

        long released = System.nanoTime();
        until("it has arrived", () -> since(released).compareTo(ofMillis(200)) > 0);
        assertThat(near.getCount()).hasValue(2);
        near.clear();
    }

    @Test
    @Faults({39, 40})
    void somethingElseAtTheKey_isRefusedByItsName() {
        rig.redis().command("HSET", LATCH, "=", "hf2 1 x");
        rig.redis().command("PEXPIRE", LATCH, "60000");
        DistributedLatch latch = latch(rig.direct());

        assertThatThrownBy(latch::countDown)
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining(LATCH);
        assertThatThrownBy(() -> latch.await(SOON)).isInstanceOf(StoreRefusedException.class);
        assertThatThrownBy(() -> latch.trySetCount(1)).isInstanceOf(StoreRefusedException.class);
        rig.redis().command("DEL", LATCH);
        rig.redis().command("SET", LATCH, "x", "PX", "60000");
        assertThatThrownBy(latch::countDown).isInstanceOf(StoreRefusedException.class);
    }

    @Test
    @Faults({45, 46})
    void awaitCancelledAtAnyMoment_leavesNoTicket() {
        List<Client> clients = List.of(rig.direct().connected(), rig.direct().connected());
        DistributedLatch latch = latch(clients.get(0));
        latch.trySetCount(1);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<CompletableFuture<Boolean>> pending = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            pending.add(latch(clients.get(i % 2)).awaitAsync(SOON).toCompletableFuture());
            if (random.nextBoolean()) {
                pending.remove(random.nextInt(pending.size())).cancel(false);
            }
        }
        pending.forEach(waiter -> waiter.cancel(false));
        long cancelled = System.nanoTime();

        until("nobody waits any more (seed " + seed + ")", () -> waiting() == 0);

        assertThat(since(cancelled))
                .as("before their tickets end by themselves")
                .isLessThan(ofSeconds(5));

        latch.clear();
        rig.awaitNothingLeft();
    }
}
