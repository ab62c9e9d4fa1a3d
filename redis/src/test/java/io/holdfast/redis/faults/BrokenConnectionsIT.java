package io.holdfast.redis.faults;

import static io.holdfast.redis.faults.Rig.ACQUIRE;
import static io.holdfast.redis.faults.Rig.RELEASE;
import static io.holdfast.redis.faults.Timing.LONG;
import static io.holdfast.redis.faults.Timing.get;
import static io.holdfast.redis.faults.Timing.since;
import static io.holdfast.redis.faults.Timing.until;
import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Faults;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many who lock and unlock, while connections break before, during and after their requests. */
class BrokenConnectionsIT {
    @RegisterExtension
    static final Rig rig = new Rig();

    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger granted = new AtomicInteger();
    private final AtomicInteger disorder = new AtomicInteger();
    private final AtomicInteger notReleased = new AtomicInteger();
    private final AtomicLong lastToken = new AtomicLong();

    @Test
    @Tag("race")
    @Faults({14, 15, 16, 19, 22, 42})
    void locks_whileConnectionsBreak_areNeverSharedNorLeaked() {
        long end = System.nanoTime() + 2_500_000_000L;
        List<Client> clients = new ArrayList<>();
        List<Future<Boolean>> workers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Client client = rig.overProxy(ofMillis(500));
            clients.add(client);
            for (int j = 0; j < 2; j++) {
                workers.add(rig.start(() -> work(client, end)));
            }
        }

        while (System.nanoTime() - end < 0) {
            switch (ThreadLocalRandom.current().nextInt(4)) {
                case 0 -> rig.proxy().dropConnections();
                case 1 -> rig.proxy().dropConnectionAfterNextRequestContaining(ACQUIRE);
                case 2 -> rig.proxy().dropConnectionAfterNextRequestContaining(RELEASE);
                default -> rig.redis().killClients();
            }
            long start = System.nanoTime();
            long pause = ThreadLocalRandom.current().nextLong(5, 60);
            until("a moment passes", () -> since(start).compareTo(ofMillis(pause)) >= 0);
        }
        rig.proxy().restore();
        workers.forEach(worker -> assertThat(get(worker)).isTrue());

        assertThat(most).hasValue(1);
        assertThat(disorder).hasValue(0);
        assertThat(notReleased).hasValue(0);
        assertThat(granted).hasValueGreaterThan(20);
        clients.forEach(client -> assertThat(client.losses()).isEmpty());
        rig.awaitNothingLeft();
    }

    private boolean work(Client client, long end) throws InterruptedException {
        while (System.nanoTime() - end < 0) {
            try {
                Optional<Lease> lease = client.lock("a", LONG).tryAcquire(ofMillis(200));
                if (lease.isPresent()) {
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    long token = lease.get().token();
                    if (lastToken.getAndSet(token) >= token) {
                        disorder.incrementAndGet();
                    }
                    granted.incrementAndGet();
                    inside.decrementAndGet();
                    if (!lease.get().release()) {
                        notReleased.incrementAndGet();
                    }
                }
            } catch (StoreUnavailableException e) {
                assertThat(e).hasMessageContaining(rig.proxyUri());
            }
        }
        return true;
    }
}
