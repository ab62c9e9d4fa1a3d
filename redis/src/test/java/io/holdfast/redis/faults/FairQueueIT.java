package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.Lease;
import io.holdfast.servers.JvmProcess;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;

/** Hundreds wait for a fair lock, in processes of their own, and half of them are killed where they stand. */
class FairQueueIT {
    private static final int WAITERS = 500;
    private static final String SERVED = "served";
    private static final Duration START = ofSeconds(60);
    /** The dead stand in the way for as long as a ticket lives, and what one of them is given; the rest is work. */
    private static final Duration IN_ALL = ofSeconds(20);

    @RegisterExtension
    static final Rig rig = new Rig();

    private static JvmProcess waiters() {
        return JvmProcess.start(WaiterMain.class, rig.redis().uri(), "a", SERVED);
    }

    /** Every second one is of the process that will be killed; the others are of this process and a third in turn. */
    private static boolean livesOn(int waiter) {
        return waiter % 2 == 0;
    }

    @Test
    @Faults({44, 48, 49, 54})
    void waitersKilledBetweenTheOthers_holdThemUpForSeconds_andTheirOrderStays() {
        Client here = rig.direct().connected();
        Lease lease = rig.direct().take("a", LONG);
        try (JvmProcess killed = waiters();
                JvmProcess other = waiters();
                Jedis list = new Jedis(rig.redis().uri())) {
            killed.awaitLine("ready", START);
            other.awaitLine("ready", START);
            List<Future<Boolean>> waiters = new ArrayList<>();
            for (int i = 0; i < WAITERS; i++) {
                String number = Integer.toString(i);
                if (i % 4 == 0) {
                    waiters.add(rig.start(() -> WaiterMain.waits(here.locks().fairLock("a"), list, SERVED, number)));
                } else {
                    (livesOn(i) ? other : killed).send(number);
                }
                awaitInLine(i + 1);
            }

            killed.kill9();
            assertThat(lease.release()).isTrue();

            await("all who live have had the lock")
                    .atMost(IN_ALL)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> served().size() >= WAITERS / 2);
            assertThat(served())
                    .isEqualTo(IntStream.range(0, WAITERS)
                            .filter(FairQueueIT::livesOn)
                            .mapToObj(Integer::toString)
                            .toList());
            waiters.forEach(waiter -> assertThat(get(waiter)).isTrue());
            other.send("end");
            assertThat(other.awaitLine(".* lost", Timing.SOON)).isEqualTo("0 lost");
        } finally {
            rig.redis().command("DEL", SERVED);
        }
        rig.awaitNothingLeft();
    }

    /** With short pauses between two looks: there are hundreds to wait for. */
    private static void awaitInLine(int count) {
        long start = System.nanoTime();
        while (rig.waiters("a") < count) {
            assertThat(since(start)).as("until " + count + " wait").isLessThan(Timing.SOON);
            LockSupport.parkNanos(300_000);
        }
    }

    private static List<?> served() {
        return (List<?>) requireNonNull(rig.redis().command("LRANGE", SERVED, "0", "-1"));
    }
}
