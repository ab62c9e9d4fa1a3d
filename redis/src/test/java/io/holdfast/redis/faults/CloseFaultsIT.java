package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.SLACK;
import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.ClientClosedException;
import io.holdfast.Lease;
import io.holdfast.Loss;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client that is closed while it is in use. */
class CloseFaultsIT {
    @RegisterExtension
    static final Rig rig = new Rig();

    @Test
    @Faults(47)
    void close_withWaitersAndHolders_endsEveryWaitAndReleasesWhatIsHeld() throws Exception {
        Client client = rig.direct();
        Client other = rig.direct();
        List<String> busy = List.of("busy 1", "busy 2", "busy 3");
        busy.forEach(name -> other.take(name, LONG));
        Lease held = client.take("held", LONG);
        Future<Boolean> sync = rig.start(() -> client.lock("busy 1").tryLock(SOON));
        Future<Boolean> endless = rig.start(() -> {
            client.lock("busy 2").lock();
            return true;
        });
        CompletableFuture<Lease> async =
                client.lock("busy 3").acquireAsync(SOON).toCompletableFuture();
        until("all wait", () -> busy.stream().allMatch(name -> rig.waiters(name) == 1));

        client.close();

        for (Future<?> waiter : List.of(sync, endless, async)) {
            assertThatThrownBy(() -> get(waiter)).isInstanceOf(ClientClosedException.class);
        }
        assertThat(rig.isFree("held")).isTrue();
        assertThat(busy).allMatch(name -> rig.waiters(name) == 0);
        assertThat(held.isValid()).isFalse();
        assertThat(held.release()).isFalse();
        Loss loss = held.lost().toCompletableFuture().get(5, java.util.concurrent.TimeUnit.SECONDS);
        assertThat(loss.cause()).isEqualTo(Loss.Cause.CLIENT_CLOSED);
        until("the loss is told", () -> client.losses().size() == 1);
        assertThatThrownBy(() -> client.lock("held").tryLock()).isInstanceOf(ClientClosedException.class);
        until("all its connections are gone", () -> connections() == 2);
    }

    /** The other client's connection for commands, and the test's own. */
    private static long connections() {
        return String.valueOf(rig.redis().command("CLIENT", "LIST")).lines().count();
    }

    @Test
    @Faults({47, 50})
    void close_whileTheStoreIsSilent_isBoundedAndEndsEveryWait() {
        Duration timeout = ofMillis(300);
        Client client = rig.overProxy(timeout).connected();
        Client other = rig.direct();
        other.take("busy 1", LONG);
        other.take("busy 2", LONG);
        Lease held = client.take("held", ofMillis(900));
        Future<Boolean> sync = rig.start(() -> client.lock("busy 1").tryLock(SOON));
        CompletableFuture<Lease> async =
                client.lock("busy 2").acquireAsync(SOON).toCompletableFuture();
        until("all wait", () -> rig.waiters("busy 1") == 1 && rig.waiters("busy 2") == 1);
        rig.proxy().stall();
        long start = System.nanoTime();

        client.close();

        assertThat(since(start)).isLessThan(timeout.multipliedBy(6).plus(SLACK));
        for (Future<?> waiter : List.of(sync, async)) {
            assertThatThrownBy(() -> get(waiter)).isInstanceOf(ClientClosedException.class);
        }
        assertThat(held.isValid()).isFalse();
        until("the lock is free with its lease at the latest", () -> rig.isFree("held"));
        until("the loss is told", () -> client.losses().size() == 1);
    }

    /** The answer to an acquire that was under way is not lost with the client. */
    @Test
    @Tag("race")
    @Faults(47)
    void close_whileManyAcquire_leavesNothingBehind() {
        for (int round = 0; round < 15; round++) {
            Client client = rig.direct();
            List<Future<Boolean>> busy = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                String name = "a" + i % 2;
                busy.add(rig.start(() -> lockUntilClosed(client, name)));
            }
            long start = System.nanoTime();
            int pause = round;
            until("a moment passes", () -> since(start).compareTo(ofMillis(pause)) >= 0);

            client.close();

            busy.forEach(worker -> assertThat(get(worker)).isTrue());
        }
        rig.awaitNothingLeft();
    }

    private static boolean lockUntilClosed(Client client, String name) throws InterruptedException {
        try {
            while (true) {
                try {
                    Optional<Lease> lease = client.lock(name, LONG).tryAcquire(ofMillis(5));
                    lease.ifPresent(Lease::release);
                } catch (StoreUnavailableException tooSlow) {
                    // A busy machine may need longer than that to answer for the first time.
                }
            }
        } catch (ClientClosedException e) {
            return true;
        }
    }
}
