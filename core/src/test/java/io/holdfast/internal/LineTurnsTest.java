package io.holdfast.internal;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Hold;
import io.holdfast.LockListener;
import io.holdfast.LockOptions;
import io.holdfast.Loss;
import io.holdfast.internal.HeldLease.Validity;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a thread may do while the one that it has called is still waking up. Here a thread comes when it is told to, and time
 * passes when it is told to.
 */
class LineTurnsTest {
    private static final LockOptions OPTIONS =
            LockOptions.builder().handOver(ofMillis(15)).build();

    private static final String RIVAL = "rival:1:1";

    private final StepPlatform platform = new StepPlatform(true);
    private Engine engine;
    private @Nullable LockStore store;

    private final List<String> stalled = new ArrayList<>();
    private final List<Loss> losses = new ArrayList<>();
    private final List<Long> released = new ArrayList<>();

    @BeforeEach
    void open() {
        LockListener listener = new LockListener() {
            @Override
            public void stalled(Hold hold, String detail) {
                stalled.add(detail);
            }

            @Override
            public void lost(Hold hold, Loss loss) {
                losses.add(loss);
            }

            @Override
            public void released(Hold hold, Duration held) {
                released.add(hold.token());
            }
        };
        StoreFactory memory = MemoryStore.isolated();
        engine = Engine.open(context -> store = memory.open(context), "p:", ofSeconds(2), platform, List.of(listener));
        first = taker("first");
        second = taker("second");
    }

    @AfterEach
    void nothingIsLeft() {
        platform.settle();
        assertThat(engine.requests().underWay()).isZero();
        assertThat(engine.lines().isEmpty()).isTrue();
        assertThat(engine.held()).isZero();
        engine.close();
    }

    private TurnTaker taker(String name) {
        return new TurnTaker(engine, platform, name, OPTIONS, Share.WHOLE, Order.LINE);
    }

    /** The lock with tokens for many, held by the first, and the other waits for it. */
    private void contend(TurnTaker holder, TurnTaker next) {
        TurnTaker before = taker("before").asks();
        holder.asks();
        next.asks();
        platform.jump(Line.TURN_NANOS);
        assertThat(before.unlocks()).isTrue();
        holder.comes();
        assertThat(holder.has()).isTrue();
    }

    private TurnTaker first;
    private TurnTaker second;

    @Test
    void lockThatIsGivenUpSoon_goesToTheNextThatComes() {
        contend(first, second);

        assertThat(first.unlocks()).isTrue();
        assertThat(first.has()).isFalse();
        assertThat(second.has()).isFalse();
        assertThat(second.isCalled()).isTrue();
        second.comes();

        assertThat(second.has()).isTrue();
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(second.unlocks()).isTrue();
    }

    @Test
    void threadWhoseTurnItIs_takesTheLockAgain_untilTheNextHasCome() {
        contend(first, second);
        List<Long> tokens = new ArrayList<>(List.of(first.token()));
        for (int i = 0; i < 5; i++) {
            assertThat(first.unlocks()).isTrue();
            assertThat(first.asks().has()).isTrue();
            tokens.add(first.token());
        }
        second.comes();
        assertThat(second.has()).as("it has come in vain").isFalse();

        assertThat(first.unlocks()).isTrue();
        assertThat(second.has()).as("passed at once to one that has come").isTrue();
        tokens.add(second.token());
        assertThat(first.asks().has()).isFalse();

        assertThat(tokens).doesNotHaveDuplicates().isSorted();
        assertThat(second.unlocks()).isTrue();
        first.comes();
        assertThat(first.has()).isTrue();
        assertThat(first.unlocks()).isTrue();
    }

    @Test
    void singleTry_takesTheLockAgainToo() {
        contend(first, second);
        assertThat(first.unlocks()).isTrue();

        assertThat(first.asks(0).has()).isTrue();

        assertThat(first.unlocks()).isTrue();
        second.comes();
        assertThat(second.unlocks()).isTrue();
    }

    @Test
    void turn_endsAfterItsTime() {
        contend(first, second);
        assertThat(first.unlocks()).isTrue();
        assertThat(first.asks().has()).isTrue();
        assertThat(first.unlocks()).isTrue();
        platform.jump(Line.TURN_NANOS);

        assertThat(first.asks().has()).isFalse();

        second.comes();
        assertThat(second.has()).isTrue();
        assertThat(second.unlocks()).isTrue();
        first.comes();
        assertThat(first.unlocks()).isTrue();
    }

    /** As everybody was before there were turns: a section that takes long makes none shorter by being taken again. */
    @Test
    void lockThatWasHeldForLonger_isPassedOnAtOnce() {
        contend(first, second);
        platform.jump(Line.TURN_NANOS);

        assertThat(first.unlocks()).isTrue();

        assertThat(second.has()).isTrue();
        assertThat(second.unlocks()).isTrue();
    }

    @Test
    void threadWhoseTurnItIsNot_waitsBehindTheOneThatIsCalled() {
        contend(first, second);
        assertThat(first.unlocks()).isTrue();
        TurnTaker third = taker("third");

        assertThat(third.asks().has()).isFalse();
        assertThat(taker("fourth").asks(0).has()).isFalse();
        second.comes();

        assertThat(second.has()).isTrue();
        assertThat(second.unlocks()).isTrue();
        third.comes();
        assertThat(third.unlocks()).isTrue();
    }

    @Test
    void oneThatIsCalledAndLeaves_leavesTheLockToTheStore() {
        contend(first, second);
        assertThat(first.unlocks()).isTrue();

        second.attempt().abandon();
        platform.settle();

        TurnTaker third = taker("third").asks(0);
        assertThat(third.has()).isTrue();
        assertThat(third.unlocks()).isTrue();
        second.comes();
    }

    @Test
    void oneThatIsCalledAndLeaves_leavesTheLockToTheNext() {
        TurnTaker third = taker("third");
        contend(first, second);
        third.asks();
        assertThat(first.unlocks()).isTrue();

        second.attempt().abandon();
        platform.settle();
        third.comes();

        assertThat(third.has()).isTrue();
        second.comes();
        assertThat(second.has()).isFalse();
        assertThat(third.unlocks()).isTrue();
    }

    @Test
    void oneThatComesAfterTheHandOverTime_asksTheStore() {
        contend(first, second);
        long before = first.token();
        assertThat(first.unlocks()).isTrue();
        platform.jump(OPTIONS.handOver().toNanos());

        second.comes();
        platform.settle();
        second.comes();

        assertThat(second.has()).isTrue();
        assertThat(second.token()).isGreaterThan(before);
        assertThat(second.unlocks()).isTrue();
    }

    /** At each of the points that it passes while it takes its place in the line. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
    void oneThatIsPassedTheLockWhileItComesToTheLine_isNotSaidToWaitForItself(int point) {
        contend(first, second);
        platform.jump(Line.TURN_NANOS);
        assertThat(first.unlocks()).isTrue();
        platform.arm(point, true, () -> {
            platform.disarm();
            platform.jump(Line.TURN_NANOS);
            assertThat(second.unlocks()).isTrue();
        });
        first.asks();
        platform.disarm();
        if (!platform.hasHappened()) {
            assertThat(second.unlocks()).isTrue();
        }
        first.comes();
        platform.settle();

        assertThat(first.has()).isTrue();
        assertThat(stalled).isEmpty();
        assertThat(first.unlocks()).isTrue();
    }

    /**
     * One that was extended is not passed on. The answer to that comes at each of the points that its thread passes while it
     * gives the lock up, and the next in the line has it all the same, from that thread or from the store.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
    void lockThatIsExtendedWhileItIsPassedOn_isNotWaitedForForEver(int point) {
        contend(first, second);
        HeldLease lease = first.lease();
        platform.jump(Line.TURN_NANOS);
        platform.arm(point, true, () -> {
            platform.disarm();
            lease.prove(Validity.after(platform.nanoTime(), platform.wallMillis(), ofMinutes(5)));
        });

        assertThat(first.unlocks()).isTrue();
        platform.disarm();
        platform.settle();
        second.comes();

        assertThat(platform.hasHappened()).isTrue();
        assertThat(second.has()).isTrue();
        assertThat(second.unlocks()).isTrue();
    }

    /** Who is told of it while the lock lies ready has it no more, and was told so before; the next is not to have it either. */
    @Test
    void lockThatIsReleasedByForceWhileItLiesReady_isNotPassedOn() {
        contend(first, second);
        assertThat(first.unlocks()).isTrue();
        requireNonNull(store).expel("x", first.lease().owner());
        assertThat(rivalTakes()).isTrue();
        platform.settle();

        second.comes();
        platform.settle();
        second.comes();

        assertThat(second.has()).isFalse();
        assertThat(losses).as("the first was told that all was well").isEmpty();
        second.attempt().abandon();
        rivalReleases();
    }

    /** By the wall clock alone: the monotonic one stands still while the host does. */
    @Test
    void hostThatIsSuspendedWhileTheLockLiesReady_leavesItToTheStore() {
        contend(first, second);
        String lay = first.lease().owner();
        assertThat(first.unlocks()).isTrue();
        platform.suspend(OPTIONS.lease().toMillis());

        first.asks();
        assertThat(first.has()).as("its turn, by a clock that stood still").isFalse();
        second.comes();
        platform.settle();
        assertThat(second.has()).isTrue();
        assertThat(second.lease().owner()).as("the store was asked").isNotEqualTo(lay);
        assertThat(second.unlocks()).isTrue();
        platform.settle();
        first.comes();
        assertThat(first.unlocks()).isTrue();
    }

    /** What the store no longer had when it came back was no loss to one that had been told that all was well. */
    @Test
    void lockThatIsGoneWhenItIsGivenBack_isNoLossToWhoHeldIt() {
        contend(first, second);
        long token = first.token();
        assertThat(first.unlocks()).isTrue();
        requireNonNull(store).release("x", first.lease().owner());

        second.attempt().abandon();
        platform.settle();
        second.comes();

        assertThat(losses).isEmpty();
        assertThat(released).containsOnlyOnce(token);
    }

    /** It is called between the end of its wait and its leaving the line, and has to see to what lies ready for it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
    void lockThatIsLaidReadyForOneThatIsJustLeaving_goesToTheNext(int point) {
        TurnTaker third = taker("third");
        contend(first, second);
        third.asks();
        platform.arm(point, false, () -> {
            platform.disarm();
            assertThat(first.unlocks()).isTrue();
        });
        second.attempt().abandon();
        platform.disarm();
        if (!platform.hasHappened()) {
            assertThat(first.unlocks()).isTrue();
        }
        platform.settle();
        third.comes();

        assertThat(third.has()).isTrue();
        assertThat(third.unlocks()).isTrue();
        second.comes();
    }

    private boolean rivalTakes() {
        return requireNonNull(store)
                        .acquire(new AcquireRequest("x", RIVAL, ofSeconds(30), false))
                        .toCompletableFuture()
                        .join()
                instanceof AcquireReply.Granted;
    }

    private void rivalReleases() {
        requireNonNull(store).release("x", RIVAL);
        platform.settle();
    }

    @Test
    void clientThatIsClosed_givesBackWhatLiesReady() {
        contend(first, second);
        assertThat(first.unlocks()).isTrue();

        engine.close();
        platform.settle();
        second.comes();

        assertThat(second.attempt().result()).isCompletedExceptionally();
        assertThat(engine.requests().underWay()).isZero();
    }
}
