package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Platform;
import io.holdfast.spi.RenewItem;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreEvents;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Since when somebody holds or waits, in the store in memory. */
class MemoryStoreAgesTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final ManualClock clock = new ManualClock();
    private final Platform platform = clock.platform();
    private final LockStore store = MemoryStore.isolated()
            .open(new StoreContext("c1", "p:", Duration.ofSeconds(2), platform, new StoreEvents() {
                @Override
                public void wake(String name, String owner) {}

                @Override
                public void wakeAll() {}

                @Override
                public void gone(String name, String owner, String detail) {}
            }));

    @AfterEach
    void close() {
        store.close();
        platform.close();
    }

    private void ask(String owner, boolean waits, Share share) {
        store.acquire(new AcquireRequest("a", owner, LEASE, waits, 1, share));
    }

    private LockInfo lock() {
        return store.inspect("a").toCompletableFuture().join().get(0);
    }

    private static List<Long> ages(List<LockInfo.Party> parties) {
        return parties.stream()
                .map(party -> party.age().orElseThrow().toMillis())
                .toList();
    }

    @Test
    void holder_hasItSinceItGotIt_andRenewalDoesNotChangeThat() {
        Instant got = Instant.ofEpochMilli(platform.wallMillis());
        ask("c1:1:a", false, Share.WHOLE);
        clock.advance(Duration.ofSeconds(3));
        store.renew(List.of(new RenewItem("a", "c1:1:a", LEASE)), Duration.ofSeconds(1));
        clock.advance(Duration.ofSeconds(2));

        assertThat(ages(lock().holders())).containsExactly(5_000L);
        assertThat(lock().holders().get(0).since()).hasValue(got);
        assertThat(lock().owner()).hasValue("c1:1:a");
        assertThat(lock().remaining()).isEqualTo(Duration.ofSeconds(28));
    }

    @Test
    void thoseWhoShare_haveItSinceEachGotIt() {
        ask("c1:1:a", false, Share.READ);
        clock.advance(Duration.ofSeconds(3));
        ask("c1:2:b", false, Share.READ);
        clock.advance(Duration.ofSeconds(2));

        assertThat(ages(lock().holders())).containsExactly(5_000L, 2_000L);
        assertThat(lock().sharedBy()).containsExactly("c1:1:a", "c1:2:b");
        assertThat(lock().owner()).isEmpty();
    }

    @Test
    void waiter_waitsSinceItCame_alsoWhenItAsksAgain_andWhoTakesItsPlaceSinceThen() {
        ask("c1:1:a", false, Share.WHOLE);
        ask("c1:2:b", true, Share.WHOLE);
        clock.advance(Duration.ofSeconds(2));
        ask("c1:2:b", true, Share.WHOLE);
        clock.advance(Duration.ofSeconds(2));
        assertThat(ages(lock().line())).containsExactly(4_000L);

        store.exchange("c1:2:b", new AcquireRequest("a", "c1:3:c", LEASE, true, 1, Share.WHOLE));

        assertThat(lock().line()).extracting(LockInfo.Party::owner).containsExactly("c1:3:c");
        assertThat(ages(lock().line())).containsExactly(4_000L);
        assertThat(ages(lock().holders())).containsExactly(4_000L);
    }
}
