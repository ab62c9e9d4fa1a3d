package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.SLACK;
import static io.holdfast.redis.faults.Timing.SOON;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Backoff;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The store cannot be reached: never "false", never a hang, and the same client goes on when it is back. */
class OutageIT {
    private static final Duration TIMEOUT = ofMillis(400);

    @RegisterExtension
    static final Rig rig = new Rig();

    /** How a store is out of reach, and what a message says about it. */
    private enum Outage {
        REFUSED("Connection refused"),
        SILENT("(did not answer|timed out)");

        final String reason;

        Outage(String reason) {
            this.reason = reason;
        }

        void begin(TcpProxy proxy) {
            if (this == REFUSED) {
                proxy.cut();
            } else {
                proxy.stall();
            }
        }
    }

    private static Client client() {
        return rig.overProxy(TIMEOUT).connected();
    }

    private static void assertOutage(Outage outage, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("lock 'a'")
                .hasMessageContaining(rig.proxyUri())
                .hasMessageFindingMatch(outage.reason);
    }

    @ParameterizedTest
    @EnumSource
    @Faults(50)
    void tryLock_whileTheStoreIsDown_throwsWithinTheCommandTimeOut(Outage outage) {
        Client client = client();
        outage.begin(rig.proxy());
        long start = System.nanoTime();

        assertOutage(outage, () -> client.lock("a").tryLock());

        assertThat(since(start)).isLessThan(TIMEOUT.plus(SLACK));
        rig.proxy().restore();
        client.goesOn("a");
    }

    @ParameterizedTest
    @EnumSource
    @Faults(50)
    void timedWait_whileTheStoreIsDown_throwsAtItsDeadline(Outage outage) {
        Client client = client();
        outage.begin(rig.proxy());
        Duration wait = ofMillis(700);
        long start = System.nanoTime();

        assertOutage(outage, () -> client.lock("a").tryLock(wait));

        assertThat(since(start)).isBetween(wait, wait.plus(TIMEOUT).plus(SLACK));
        rig.proxy().restore();
        client.goesOn("a");
    }

    @ParameterizedTest
    @EnumSource
    @Faults(50)
    void lock_whileTheStoreIsDown_throwsAfterTheOutageLimit(Outage outage) {
        Client client = client();
        Duration limit = ofMillis(800);
        Backoff backoff = new Backoff(ofMillis(20), ofMillis(100));
        DistributedLock lock =
                client.locks().lock("a", options -> options.outageLimit(limit).backoff(backoff));
        outage.begin(rig.proxy());
        long start = System.nanoTime();

        assertOutage(outage, lock::lock);

        // Counted from the first failure, which may itself take a command time-out.
        assertThat(since(start))
                .isBetween(limit, limit.plus(TIMEOUT.multipliedBy(2)).plus(SLACK));
        rig.proxy().restore();
        client.goesOn("a");
    }

    /** The limit is one for an outage without a break: an answer in between starts it anew. */
    @Test
    @Faults(50)
    void lock_throughOutagesShorterThanTheLimit_goesOnWaiting() {
        Client client = client();
        Lease lease = rig.direct().take("a", LONG);
        Backoff backoff = new Backoff(ofMillis(20), ofMillis(50));
        DistributedLock lock = client.locks()
                .lock("a", options -> options.outageLimit(ofSeconds(1)).backoff(backoff));
        Future<Boolean> waiting = rig.start(() -> {
            lock.lock();
            return lock.unlock();
        });
        until("it waits", () -> rig.waiters("a") == 1);
        for (int i = 0; i < 2; i++) {
            rig.proxy().cut();
            rig.redis().command("DEL", Rig.PREFIX + "~queue:{" + Rig.key("a") + "}");
            long down = System.nanoTime();
            until("it is down for a while", () -> since(down).compareTo(ofMillis(600)) > 0);
            rig.proxy().restore();
            until("it has asked again", () -> rig.waiters("a") == 1);
        }

        assertThat(lease.release()).isTrue();

        assertThat(get(waiting)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    @Faults(50)
    void wait_duringAnOutageThatEnds_getsTheLock(Outage outage) {
        Client client = client();
        outage.begin(rig.proxy());
        Future<Lease> waiting = rig.start(() -> client.lock("a").acquire(SOON));
        long down = System.nanoTime();
        until("it is down for a while", () -> since(down).compareTo(ofMillis(500)) > 0);

        rig.proxy().restore();

        rig.assertProtects(get(waiting));
    }

    /** Those who wait in the queue notice an outage at their next look at the latest. */
    @Test
    @Faults({42, 50})
    void wait_inTheQueueOfAServerThatDies_endsByItsDeadlineWithAnError() {
        Client client = client();
        rig.direct().takeUnrenewed("a", LONG);
        Duration wait = ofMillis(2_600);
        long start = System.nanoTime();
        Future<Boolean> waiting = rig.start(() -> client.lock("a").tryLock(wait));
        until("it waits", () -> rig.waiters("a") == 1);

        rig.proxy().cut();

        assertOutage(Outage.REFUSED, () -> get(waiting));
        assertThat(since(start)).isBetween(wait, wait.plus(TIMEOUT).plus(SLACK));
    }

    /** However many ask at once, and however they ask: nobody stands behind the others' time-outs. */
    @Test
    @Faults({21, 50})
    void tries_byManyThreadsWhileTheStoreIsSilent_failTogetherByTheCommandTimeOut() {
        Client client = client();
        rig.proxy().stall();
        long start = System.nanoTime();
        List<Future<Boolean>> tries = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            tries.add(rig.start(() -> client.lock("a").tryLock()));
        }

        tries.forEach(started -> assertThatThrownBy(() -> get(started)).isInstanceOf(StoreUnavailableException.class));

        assertThat(since(start)).isLessThan(TIMEOUT.plus(SLACK));
    }

    @Test
    @Faults({21, 50})
    void asyncTries_whileTheStoreIsSilent_failTogetherByTheCommandTimeOut() {
        Client client = client();
        rig.proxy().stall();
        long start = System.nanoTime();
        List<CompletableFuture<Optional<Lease>>> tries = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            tries.add(client.lock("a").tryAcquireAsync().toCompletableFuture());
        }

        tries.forEach(started -> assertThatThrownBy(() -> get(started)).isInstanceOf(StoreUnavailableException.class));

        assertThat(since(start)).isLessThan(TIMEOUT.multipliedBy(2).plusMillis(600));
    }

    @Test
    @Faults({27, 50})
    void client_ofAServerThatWasNotThereAtFirst_worksOnceItIs() throws InterruptedException {
        rig.redis().kill9();
        Client client = rig.direct();
        assertThatThrownBy(() -> client.lock("a").tryLock())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining(rig.redis().uri())
                .hasMessageContaining("Connection refused");
        Future<Lease> waiting = rig.start(() -> client.lock("a").acquire(SOON));

        rig.redis().restart();

        rig.assertProtects(get(waiting));
    }
}
