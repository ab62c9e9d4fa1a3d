package io.holdfast.examples;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.Loss;
import io.holdfast.examples.docs.ChoosingSnippets;
import io.holdfast.testkit.FaultyStore;
import io.holdfast.testkit.ManualClock;
import io.holdfast.testkit.Operation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The code of the documents does what the documents say. */
class ChoosingSnippetsTest {
    private final ManualClock clock = new ManualClock();
    private final FaultyStore store = FaultyStore.inMemory();
    private final List<String> metrics = new CopyOnWriteArrayList<>();
    private final List<String> pages = new CopyOnWriteArrayList<>();
    private final Holdfast locks = Holdfast.builder()
            .store(store.factory())
            .platform(clock.platform())
            .listener(ChoosingSnippets.watch((name, value) -> metrics.add(name), pages::add))
            .build();

    @AfterEach
    void close() {
        locks.close();
    }

    @Test
    void stepByStep_whenTheLockIsLost_doesNoFurtherStep() {
        List<String> billed = new CopyOnWriteArrayList<>();

        assertThatThrownBy(() -> ChoosingSnippets.stepByStep(locks, List.of("1", "2", "3"), (invoice, token) -> {
                    billed.add(invoice);
                    if (invoice.equals("2")) {
                        store.lose("billing:run:2026-11");
                    }
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(billed).containsExactly("1", "2");
    }

    @Test
    void stepThatCannotBeUndone_withTooLittleTime_asksForMore() throws Exception {
        DistributedLock lock = locks.lock(
                "billing:pay:1", options -> options.lease(ofSeconds(10)).renewal(false));
        try (Lease lease = lock.acquire(Duration.ZERO)) {
            ChoosingSnippets.stepThatCannotBeUndone(lease, () -> {});
            assertThat(store.count(Operation.RENEW)).isZero();

            clock.advance(ofSeconds(5));
            ChoosingSnippets.stepThatCannotBeUndone(lease, () -> clock.advance(ofSeconds(15)));
            lease.ensureValid();
        }
    }

    @Test
    void limited_afterItsLongestHold_isLost() {
        DistributedLock lock = ChoosingSnippets.limited(locks);
        lock.lock();
        clock.advance(ofMinutes(9));
        assertThat(lock.isHeldByCurrentThread()).isTrue();

        clock.advance(ofMinutes(2));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(lock.unlock()).isFalse();
        Awaitility.await().until(() -> !pages.isEmpty());
        assertThat(pages).singleElement().asString().contains("report:daily:2026-11-15", "maxHold");
    }

    @Test
    void onceForAll_whileAnotherIsAtIt_doesNothing() {
        assertThat(ChoosingSnippets.onceForAll(
                        locks,
                        () -> assertThat(locks.lock("cache:warmup:prices").tryAcquire())
                                .isEmpty()))
                .isTrue();

        locks.lock("cache:warmup:prices").tryAcquire().ifPresent(other -> {
            assertThat(ChoosingSnippets.onceForAll(locks, () -> {})).isFalse();
            assertThat(other.release()).isTrue();
        });
    }

    @Test
    void watch_hearsRenewalsFailuresAndTheLoss() throws Exception {
        Lease lease = locks.lock("billing:run:1").acquire(Duration.ZERO);
        clock.advance(ofSeconds(11));
        store.cutOff();
        clock.advance(ofSeconds(30));

        assertThat(lease.lost().toCompletableFuture().join().cause()).isEqualTo(Loss.Cause.EXPIRED);
        Awaitility.await().until(() -> !pages.isEmpty());
        assertThat(metrics).contains("lock.renewal.lag", "lock.renewal.failed.remaining");
    }

    @Test
    void whoHasIt_namesOwnerAndTime() throws Exception {
        try (Lease lease = locks.lock("billing:run:2").acquire(Duration.ZERO)) {
            List<String> console = new CopyOnWriteArrayList<>();
            ChoosingSnippets.whoHasIt(locks, console::add);
            assertThat(console).singleElement().asString().startsWith("billing:run:2 held by ");
            lease.ensureValid();
        }
    }
}
