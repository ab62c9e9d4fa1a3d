package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.ClientClosedException;
import io.holdfast.DistributedLatch;
import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Capability;
import io.holdfast.testkit.Faults;
import io.holdfast.testkit.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A latch opens once, when it has been counted down so often, and everybody who waits for it learns of that. */
interface LatchContract extends Contract {

    private DistributedLatch latch() {
        return latch(bench().client());
    }

    private DistributedLatch latch(Holdfast client) {
        bench().needs(Capability.LATCHES);
        return client.latch(bench().name());
    }

    private Actor<Boolean> waiter(DistributedLatch latch) {
        int before = bench().store().count(Operation.LATCH);
        Actor<Boolean> waiter = bench().start(() -> latch.await(Bench.PATIENCE));
        bench().until(() -> bench().store().count(Operation.LATCH) > before);
        return waiter;
    }

    @Test
    default void latch_opensWhenItHasBeenCountedDown() throws InterruptedException {
        DistributedLatch latch = latch();
        DistributedLatch other = latch();
        assertThat(latch.getCount()).isEmpty();
        assertThat(latch.trySetCount(2)).isTrue();
        assertThat(other.trySetCount(3)).as("there is one").isFalse();
        assertThat(other.getCount()).hasValue(2);

        other.countDown();
        assertThat(latch.getCount()).hasValue(1);
        assertThat(other.await(Duration.ZERO)).isFalse();
        latch.countDown();

        assertThat(other.getCount()).hasValue(0);
        assertThat(other.await(Duration.ZERO)).isTrue();
        latch.countDown();
        assertThat(other.getCount()).as("no further than that").hasValue(0);
        assertThat(other.trySetCount(1)).as("it stays open").isFalse();
        assertThat(latch.clear()).isTrue();
        assertThat(latch.clear()).isFalse();
        assertThat(other.getCount()).isEmpty();
    }

    @Test
    default void waiters_areAllToldOnce() {
        DistributedLatch latch = latch();
        latch.trySetCount(1);
        List<Actor<Boolean>> waiters = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            waiters.add(waiter(i % 2 == 0 ? latch : latch()));
        }

        latch.countDown();

        assertThat(waiters).allMatch(Actor::join);
        latch.clear();
    }

    @Test
    default void manyWaiters_areAllTold() {
        DistributedLatch latch = latch();
        latch.trySetCount(1);
        List<CompletableFuture<Boolean>> waiters = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            waiters.add(latch.awaitAsync(Bench.PATIENCE).toCompletableFuture());
        }
        bench().until(() -> bench().store().count(Operation.LATCH) >= 151);

        latch.countDown();

        assertThat(waiters).allMatch(CompletableFuture::join);
        latch.clear();
    }

    @Test
    default void waiter_mayComeBeforeTheLatchIsSet() {
        DistributedLatch latch = latch();
        Actor<Boolean> waiter = waiter(latch());

        assertThat(latch.trySetCount(1)).isTrue();
        latch.countDown();

        assertThat(waiter.join()).isTrue();
        latch.clear();
    }

    @Test
    @Faults(20)
    default void wakeUpLost_isMadeUpFor() {
        DistributedLatch latch = latch();
        latch.trySetCount(1);
        Actor<Boolean> waiter = waiter(latch());
        bench().store().dropWakeUps(true);

        latch.countDown();

        assertThat(waiter.join()).isTrue();
        latch.clear();
    }

    @Test
    @Faults({15, 19})
    default void answersLost_countOnce() {
        DistributedLatch latch = latch();
        bench().store().loseNextReply(Operation.LATCH);
        assertThat(latch.trySetCount(3))
                .as("asked again, it is still who has set it")
                .isTrue();
        bench().store().loseNextReply(Operation.COUNT_DOWN);

        latch.countDown();

        assertThat(latch.getCount()).hasValue(2);
        latch.countDownAsync().toCompletableFuture().join();
        assertThat(latch.getCount()).hasValue(1);
        bench().store().loseNextReply(Operation.CLEAR);
        assertThat(latch.clear()).as("it was there when it was asked").isTrue();
        assertThat(latch.getCount()).isEmpty();
    }

    /** Its answers are lost until others have set the next latch of that name. */
    @Test
    @Faults({15, 19})
    default void countRepeated_doesNotCountForTheNextLatch() {
        DistributedLatch latch = latch();
        DistributedLatch other = latch();
        latch.trySetCount(3);
        loseReplies(Operation.COUNT_DOWN);
        CompletableFuture<Void> count = latch.countDownAsync().toCompletableFuture();
        bench().until(() -> other.getCount().equals(OptionalInt.of(2)));

        other.clear();
        other.trySetCount(5);
        awaitRepeated(Operation.COUNT_DOWN);
        bench().store().restore();

        assertThatThrownBy(count::join)
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("was forgotten while it was counted down");
        assertThat(other.getCount()).hasValue(5);
        other.clear();
    }

    @Test
    @Faults({15, 19})
    default void clearRepeated_doesNotForgetTheNextLatch() {
        DistributedLatch latch = latch();
        DistributedLatch other = latch();
        latch.trySetCount(3);
        loseReplies(Operation.CLEAR);
        Actor<Boolean> clear = bench().start(latch::clear);
        bench().until(() -> other.trySetCount(5));

        awaitRepeated(Operation.CLEAR);
        bench().store().restore();

        assertThat(clear.join()).isTrue();
        assertThat(other.getCount()).hasValue(5);
        other.clear();
    }

    /** More than there can be before they are heard again. */
    private void loseReplies(Operation operation) {
        for (int i = 0; i < 10_000; i++) {
            bench().store().loseNextReply(operation);
        }
    }

    private void awaitRepeated(Operation operation) {
        int before = bench().store().count(operation);
        bench().until(() -> bench().store().count(operation) > before);
    }

    @Test
    @Faults({45, 46})
    default void wait_endsWithTimeOutAndInterrupt() throws InterruptedException {
        DistributedLatch latch = latch();
        latch.trySetCount(1);
        assertThat(latch.await(Duration.ofMillis(30))).isFalse();
        assertThat(latch.awaitAsync(Duration.ofMillis(30)).toCompletableFuture().join())
                .isFalse();
        Actor<Boolean> waiter = bench().start(() -> {
            assertThatThrownBy(() -> latch.await(Bench.PATIENCE)).isInstanceOf(InterruptedException.class);
            return Thread.currentThread().isInterrupted();
        });
        bench().until(() -> bench().store().count(Operation.LATCH) >= 6);

        waiter.interrupt();

        assertThat(waiter.join()).isFalse();
        latch.clear();
    }

    @Test
    @Faults(47)
    default void wait_endsWhenTheClientIsClosed() {
        Holdfast client = bench().client();
        DistributedLatch latch = latch(client);
        latch.trySetCount(1);
        CompletableFuture<Boolean> async = latch.awaitAsync(Bench.PATIENCE).toCompletableFuture();
        Actor<Boolean> waiter = bench().start(() -> {
            assertThatThrownBy(() -> latch.await(Bench.PATIENCE)).isInstanceOf(ClientClosedException.class);
            return true;
        });
        bench().until(() -> bench().store().count(Operation.LATCH) >= 3);

        client.close();

        assertThat(waiter.join()).isTrue();
        assertThatThrownBy(async::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(ClientClosedException.class);
        latch().clear();
    }

    @Test
    @Faults(22)
    default void storeOutOfReach_isAnError() {
        bench().needs(Capability.LATCHES);
        Holdfast client = bench().client(builder -> builder.options(
                LockOptions.builder().outageLimit(Duration.ofMillis(200)).build()));
        DistributedLatch latch = latch(client);
        latch.trySetCount(1);
        bench().store().cutOff();

        assertThatThrownBy(latch::countDown).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> latch.await(Duration.ofMillis(50))).isInstanceOf(StoreUnavailableException.class);

        bench().store().restore();
        assertThat(latch.getCount()).hasValue(1);
        latch.clear();
    }

    @Test
    default void waiterOfALatchThatIsForgotten_isTold() {
        DistributedLatch latch = latch();
        latch.trySetCount(1);
        CompletableFuture<Boolean> cleared = latch().awaitAsync(Bench.PATIENCE).toCompletableFuture();
        // It looks a second time when it has the answer to the first.
        bench().until(() -> bench().store().count(Operation.LATCH) >= 3);
        latch.clear();
        assertThatThrownBy(() -> cleared.get(10, TimeUnit.SECONDS))
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'" + bench().name() + "'");

        assertThatThrownBy(latch::countDown)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not set");
    }

    @Test
    default void life_ends() {
        DistributedLatch latch = latch();
        assertThat(latch.trySetCount(1, Duration.ofMillis(300))).isTrue();

        assertThatThrownBy(() -> latch.await(Bench.PATIENCE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("its life was over");
        assertThat(latch.trySetCount(1)).isTrue();
        latch.clear();
    }

    @Test
    default void badInput_isRefusedBeforeAnythingIsSent() {
        DistributedLatch latch = latch();

        assertThatThrownBy(() -> latch.trySetCount(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("count 0")
                .hasMessageContaining("'" + bench().name() + "'");
        assertThatThrownBy(() -> latch.trySetCount(1_000_001)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> latch.trySetCount(1, Duration.ofMillis(99)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + bench().name() + "'");
        assertThatThrownBy(() -> latch.trySetCount(1, Duration.ofDays(366)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(bench().store().count(Operation.LATCH)).isZero();
    }
}
