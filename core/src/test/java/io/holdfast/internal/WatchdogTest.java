package io.holdfast.internal;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Hold;
import io.holdfast.LockListener;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.internal.HeldLease.Phase;
import io.holdfast.internal.HeldLease.Validity;
import io.holdfast.spi.RenewReply;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Leases of 30 s that are renewed together: what becomes of one of them is nothing to the others. */
class WatchdogTest {
    /** How long it counts as held: 1 % and 2 ms are allowed for the clocks. */
    private static final Duration VALID = ofMillis(29_698);

    private static final Duration TICK = Duration.ofNanos(1);

    private final StepPlatform platform = new StepPlatform(true);
    private final RenewingStore store = new RenewingStore(new AtomicInteger());
    private final List<String> lost = new ArrayList<>();
    private final Notices notices = new Notices(
            List.of(new LockListener() {
                @Override
                public void lost(Hold hold, Loss loss) {
                    lost.add(hold.lockName() + " " + loss.cause());
                }
            }),
            Runnable::run);
    private final Watchdog watchdog =
            new Watchdog(platform, store, ofSeconds(2), new Losses(platform, this::isLost, lease -> {}));
    private HeldLease a = lease("a", LockOptions.DEFAULT);
    private HeldLease b = lease("b", LockOptions.DEFAULT);

    /** As the engine does. */
    private void isLost(HeldLease lease) {
        watchdog.remove(lease);
    }

    private HeldLease lease(String name, LockOptions options) {
        return new HeldLease(
                name,
                new OwnerId("client", 1, name.hashCode()),
                1,
                options,
                null,
                platform.nanoTime(),
                notices.trail(name),
                Validity.after(platform.nanoTime(), platform.wallMillis(), options.lease()));
    }

    private HeldLease holds(String name) {
        HeldLease lease = lease(name, LockOptions.DEFAULT);
        watchdog.add(lease);
        return lease;
    }

    private void pass(Duration time) {
        platform.advance(time.toNanos());
        platform.settle();
    }

    /** One is a second older than the other, and both were renewed in one go, just now. */
    @BeforeEach
    void twoAreRenewedTogether() {
        a = holds("a");
        pass(ofSeconds(1));
        b = holds("b");
        pass(ofSeconds(9));
        assertThat(store.batches()).containsExactly(List.of("a", "b"));
    }

    @AfterEach
    void nothingIsLeft() {
        watchdog.held().forEach(watchdog::remove);
        store.batches();
        pass(Duration.ofMinutes(1));
        assertThat(store.batches()).isEmpty();
        assertThat(platform.timers()).isZero();
    }

    private void isRenewedInTime(HeldLease lease) {
        for (int i = 0; i < 100; i++) {
            pass(ofSeconds(1));
            assertThat(Duration.ofNanos(lease.remainingNanos(platform.nanoTime(), platform.wallMillis())))
                    .isGreaterThanOrEqualTo(VALID.minus(ofMillis(10_001)));
        }
    }

    @Test
    void both_areRenewedTogetherFromThenOn() {
        pass(ofSeconds(8));
        assertThat(store.batches()).isEmpty();
        pass(ofSeconds(92));

        assertThat(store.batches()).hasSize(10).allMatch(batch -> batch.size() == 2);
        assertThat(lost).isEmpty();
        isRenewedInTime(a);
        isRenewedInTime(b);
    }

    @Test
    void oneThatIsGivenBack_leavesTheOther() {
        watchdog.remove(a);

        pass(ofSeconds(10));

        assertThat(store.batches()).containsExactly(List.of("b"));
        isRenewedInTime(b);
    }

    @Test
    void oneThatComes_isTakenInOnTheWay() {
        pass(ofSeconds(1));
        HeldLease c = holds("c");

        pass(ofSeconds(9));

        assertThat(store.batches()).containsExactly(List.of("a", "b", "c"));
        watchdog.remove(b);
        isRenewedInTime(a);
        isRenewedInTime(c);
        assertThat(store.batches()).allMatch(batch -> batch.size() == 2);
    }

    @Test
    void oneThatFails_isTriedAgainAlone_andLostAtItsOwnDeadline() {
        store.answer("a", new RenewReply.Failed(StoreFailure.unavailable("elsewhere", null)));
        pass(ofSeconds(10));
        assertThat(store.batches()).containsExactly(List.of("a", "b"));
        pass(ofMillis(500));
        assertThat(store.batches()).containsExactly(List.of("a"));

        pass(VALID.minus(ofMillis(10_500)).minus(TICK));
        assertThat(lost).isEmpty();
        pass(TICK);

        assertThat(lost).containsExactly("a EXPIRED");
        assertThat(store.batches())
                .as("in time, or a little before, along with the other")
                .filteredOn(batch -> batch.contains("b"))
                .hasSizeBetween(1, 2);
        isRenewedInTime(b);
    }

    @Test
    void oneThatFailedOnce_goesOn() {
        store.answer("a", new RenewReply.Failed(StoreFailure.unavailable("elsewhere", null)));
        pass(ofSeconds(10));
        store.answer("a", new RenewReply.Renewed());
        pass(ofMillis(500));

        isRenewedInTime(a);
        isRenewedInTime(b);
        assertThat(lost).isEmpty();
    }

    @Test
    void oneThatIsGone_isLostAtOnce_andTheOtherIsNot() {
        store.answer("a", new RenewReply.Gone());

        pass(ofSeconds(10));

        assertThat(lost).containsExactly("a GONE");
        assertThat(a.phase()).isEqualTo(Phase.LOST);
        isRenewedInTime(b);
    }

    @Test
    void whatIsNotAnswered_isLostAtTheDeadlineOfEach() {
        HeldLease c = holds("c");
        pass(ofSeconds(1));
        HeldLease d = holds("d");
        store.keepsAnswers();
        pass(ofSeconds(9));
        assertThat(store.batches()).containsExactly(List.of("a", "b", "c", "d"));

        pass(VALID.minus(ofSeconds(10)).minus(TICK));
        assertThat(lost).isEmpty();
        pass(TICK);
        assertThat(lost).containsExactlyInAnyOrder("a EXPIRED", "b EXPIRED", "c EXPIRED");
        assertThat(c.phase()).isEqualTo(Phase.LOST);
        pass(ofSeconds(1).minus(TICK));
        assertThat(lost).hasSize(3);
        pass(TICK);

        assertThat(lost).contains("d EXPIRED");
        assertThat(d.phase()).isEqualTo(Phase.LOST);
        store.givesAnswers();
        assertThat(watchdog.held()).isEmpty();
    }

    @Test
    void lateAnswer_isGoodForThoseAloneWhoAreStillThere() {
        pass(ofSeconds(1));
        HeldLease c = holds("c");
        store.keepsAnswers();
        pass(ofSeconds(9));
        // a and b were proved a second before c.
        pass(VALID.minus(ofSeconds(10)));
        assertThat(lost).containsExactlyInAnyOrder("a EXPIRED", "b EXPIRED");

        store.givesAnswers();

        assertThat(watchdog.held()).containsExactly(c);
        isRenewedInTime(c);
        assertThat(lost).hasSize(2);
    }

    @Test
    void oneThatIsExtendedMeanwhile_isRenewedWithTheOthers_andKeepsWhatItHas() {
        store.keepsAnswers();
        pass(ofSeconds(10));
        a.prove(Validity.after(platform.nanoTime(), platform.wallMillis(), Duration.ofMinutes(10)));
        store.givesAnswers();

        isRenewedInTime(b);
        assertThat(a.remainingNanos(platform.nanoTime(), platform.wallMillis()))
                .isGreaterThan(Duration.ofMinutes(8).toNanos());
        pass(Duration.ofMinutes(10));
        isRenewedInTime(a);
        assertThat(lost).isEmpty();
    }

    /** The extension comes amid the answer. It is good for one of them, and takes nothing from it, nor from the others. */
    @Test
    void extensionsAmidAnswers_leaveEverybodyARenewal() throws Exception {
        List<HeldLease> all = new ArrayList<>(List.of(a, b));
        for (int i = 0; i < 20; i++) {
            all.add(holds("n" + i));
        }
        pass(ofSeconds(10));
        AtomicInteger round = new AtomicInteger();
        AtomicReference<Validity> extension = new AtomicReference<>();
        Thread extender = new Thread(() -> {
            for (int seen = 0; seen >= 0; ) {
                int next = round.get();
                if (next != seen) {
                    seen = next;
                    for (int i = 0; i < seen % 400; i++) {
                        Thread.onSpinWait();
                    }
                    all.get(Math.floorMod(seen, all.size())).prove(requireNonNull(extension.get()));
                }
            }
        });
        extender.start();
        try {
            for (int i = 1; i <= 4_000; i++) {
                store.keepsAnswers();
                pass(ofSeconds(10));
                extension.set(Validity.after(platform.nanoTime(), platform.wallMillis(), ofHours(1)));
                round.set(i);
                store.givesAnswers();
                assertThat(all).allSatisfy(lease -> {
                    Moment moment = requireNonNull(lease.moment);
                    assertThat(moment.isForRenewal()).isTrue();
                    assertThat(Duration.ofNanos(moment.nanos() - platform.nanoTime()))
                            .isLessThanOrEqualTo(ofSeconds(10));
                });
            }
        } finally {
            round.set(-1);
            extender.join();
        }
        assertThat(lost).isEmpty();
    }

    @Test
    void oneThatIsBeingGivenBack_isNotAskedFor_andForgottenAtItsDeadline() {
        assertThat(a.moves(Phase.HELD, Phase.RELEASING)).isTrue();

        pass(ofSeconds(10));

        assertThat(store.batches()).containsExactly(List.of("b"));
        assertThat(watchdog.held()).containsExactlyInAnyOrder(a, b);
        pass(VALID.minus(ofSeconds(10)));
        assertThat(watchdog.held()).containsExactly(b);
        assertThat(lost).isEmpty();
        isRenewedInTime(b);
    }

    @Test
    void oneThatIsLostWhileItIsAnswered_isForgotten() {
        store.keepsAnswers();
        pass(ofSeconds(10));
        assertThat(a.loses(Phase.HELD, new Loss(Loss.Cause.EXPIRED, "somebody looked")))
                .isTrue();

        store.givesAnswers();

        assertThat(watchdog.held()).containsExactly(b);
        isRenewedInTime(b);
    }

    @Test
    void storeThatCannotTellWhereALockIs_costsNobodyItsRenewal() {
        store.failsToTell(true);

        isRenewedInTime(a);
        isRenewedInTime(b);
        assertThat(store.batches()).allMatch(batch -> batch.size() == 2);
        assertThat(lost).isEmpty();
    }

    @Test
    void oneThatMovedToAnotherPart_isSentApart() {
        store.isIn("b", "elsewhere");

        pass(ofSeconds(10));

        assertThat(store.batches()).containsExactlyInAnyOrder(List.of("a"), List.of("b"));
        isRenewedInTime(a);
        isRenewedInTime(b);
        assertThat(store.batches()).allMatch(batch -> batch.size() == 1);
    }

    @Test
    void oneThatMayBeHeldNoLonger_isNotRenewed_andTheOtherIs() {
        HeldLease c = lease("c", LockOptions.builder().maxHold(ofSeconds(15)).build());
        watchdog.add(c);
        pass(ofSeconds(10));
        assertThat(store.batches()).containsExactly(List.of("a", "b", "c"));

        pass(ofSeconds(10));
        assertThat(store.batches()).containsExactly(List.of("a", "b"));
        pass(VALID.minus(ofSeconds(10)));

        assertThat(lost).containsExactly("c MAX_HOLD");
        isRenewedInTime(a);
        isRenewedInTime(b);
    }

    /** Of about the same length, so that they go together; but each is renewed after a third of its own. */
    @Test
    void thoseOfOtherLengths_areRenewedInTheirTime() {
        HeldLease c = lease("c", LockOptions.builder().lease(ofSeconds(20)).build());
        watchdog.add(c);

        for (int i = 0; i < 100; i++) {
            pass(ofSeconds(1));
            assertThat(Duration.ofNanos(c.remainingNanos(platform.nanoTime(), platform.wallMillis())))
                    .isGreaterThan(ofSeconds(13));
        }
        isRenewedInTime(a);
        isRenewedInTime(b);
        assertThat(lost).isEmpty();
    }

    @Test
    void many_areRenewedInFewBatches_whateverBecomesOfSome() {
        List<HeldLease> all = new ArrayList<>(List.of(a, b));
        for (int i = 0; i < 1_300; i++) {
            all.add(holds("n" + i));
        }
        for (int round = 0; round < 8; round++) {
            pass(ofSeconds(10));
            List<List<String>> batches = store.batches();
            assertThat(batches).allMatch(batch -> batch.size() <= Watchdog.BATCH);
            assertThat(batches).hasSizeLessThanOrEqualTo(all.size() * 4 / (3 * Watchdog.BATCH) + 1);
            List<String> renewed = batches.stream().flatMap(List::stream).toList();
            assertThat(renewed).hasSameSizeAs(all).doesNotHaveDuplicates();
            assertThat(new TreeSet<>(renewed))
                    .isEqualTo(new TreeSet<>(all.stream().map(HeldLease::name).toList()));
            // Some in each batch go.
            for (int i = all.size() - 1; i >= 0; i -= 3) {
                watchdog.remove(all.remove(i));
            }
        }
        assertThat(all).hasSizeLessThan(100);
        assertThat(lost).isEmpty();
    }
}
