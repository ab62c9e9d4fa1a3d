package io.holdfast.examples;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.StoreRefusedException;
import io.holdfast.examples.docs.PrimitivesSnippets;
import io.holdfast.testkit.FaultyStore;
import io.holdfast.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The code of the page on primitives does what the page says. */
class PrimitivesSnippetsTest {
    private final ManualClock clock = new ManualClock();
    private final FaultyStore store = FaultyStore.inMemory();
    private final List<String> notes = new CopyOnWriteArrayList<>();
    private final Holdfast locks =
            Holdfast.builder().store(store.factory()).platform(clock.platform()).build();

    @AfterEach
    void close() {
        locks.close();
    }

    @Test
    void inOrder_holdsTheLockOfThatName() throws Exception {
        PrimitivesSnippets.inOrder(locks, token -> {
            assertThat(token).isPositive();
            assertThat(locks.lock("shop:seats:hall-4").tryAcquire()).isEmpty();
        });
        assertThat(locks.lock("shop:seats:hall-4").tryAcquire().map(Lease::release))
                .contains(true);
    }

    @Test
    void reading_letsOthersReadAndNobodyWrite() throws Exception {
        DistributedReadWriteLock catalogue = locks.readWriteLock("shop:catalogue");
        PrimitivesSnippets.reading(locks, () -> {
            assertThat(catalogue.readLock().tryAcquire().map(Lease::release)).contains(true);
            assertThat(catalogue.writeLock().tryAcquire()).isEmpty();
            PrimitivesSnippets.whoIsIn(locks, notes::add);
        });
        assertThat(notes).singleElement().asString().startsWith("shop:catalogue shared by [");
    }

    @Test
    void reading_whenTheLeaseIsLost_saysSo() {
        assertThatThrownBy(() -> PrimitivesSnippets.reading(locks, () -> {
                    store.cutOff();
                    clock.advance(ofSeconds(31));
                }))
                .isInstanceOf(LeaseLostException.class);
        store.restore();
    }

    @Test
    void writingThenReading_letsReadersInBetween() {
        DistributedReadWriteLock catalogue = locks.readWriteLock("shop:catalogue");
        boolean safe = PrimitivesSnippets.writingThenReading(
                locks, () -> assertThat(catalogue.readLock().tryAcquire()).isEmpty(), () -> {
                    assertThat(catalogue.readLock().tryAcquire().map(Lease::release))
                            .contains(true);
                    assertThat(catalogue.writeLock().tryAcquire()).isEmpty();
                });
        assertThat(safe).isTrue();
        assertThat(catalogue.writeLock().tryAcquire().map(Lease::release)).contains(true);
    }

    @Test
    void limited_takesOneOfTen() throws Exception {
        DistributedSemaphore calls = locks.semaphore("partner:api", 10);
        PrimitivesSnippets.limited(locks, List.of("1"), order -> {
            assertThat(calls.tryAcquire(10)).isEmpty();
            assertThat(calls.tryAcquire(9).map(Lease::release)).contains(true);
        });
    }

    @Test
    void moreOfThem_countsFromThenOn_andOnlyWhileAnyAreHeld() throws Exception {
        PrimitivesSnippets.moreOfThem(locks, notes::add);
        assertThat(notes).hasSize(1);

        DistributedSemaphore old = locks.semaphore("partner:api", 10);
        Lease permit = old.acquire(Duration.ZERO);
        DistributedSemaphore calls = PrimitivesSnippets.moreOfThem(locks, notes::add);

        assertThat(notes).hasSize(1);
        assertThatThrownBy(old::tryAcquire).isInstanceOf(StoreRefusedException.class);
        assertThat(calls.tryAcquire(19).map(Lease::release)).contains(true);
        assertThat(permit.release()).isTrue();
        assertThat(old.tryAcquire().map(Lease::release)).contains(true);
    }

    @Test
    void together_holdsBothAndHasATokenForEach() throws Exception {
        PrimitivesSnippets.together(locks, "account:b", "account:a", (b, a) -> {
            assertThat(a).isPositive().isNotEqualTo(b);
            assertThat(locks.lock("account:a").tryAcquire()).isEmpty();
            assertThat(locks.lock("account:b").tryAcquire()).isEmpty();
        });
        assertThat(locks.allOf(locks.lock("account:a"), locks.lock("account:b"))
                        .tryAcquire()
                        .map(Lease::release))
                .contains(true);
    }

    @Test
    void latch_opensAfterTheFourth() throws Exception {
        PrimitivesSnippets.setUp(locks, () -> notes.add("started"));
        PrimitivesSnippets.setUp(locks, () -> notes.add("started twice"));
        for (int i = 0; i < 4; i++) {
            assertThat(locks.latch("import:2026-11-15").getCount()).hasValue(4 - i);
            PrimitivesSnippets.imported(locks);
        }
        PrimitivesSnippets.afterAll(locks, () -> notes.add("reported"));
        assertThat(notes).containsExactly("started", "reported");
    }
}
