package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockOptions;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.StoreEvents;
import io.holdfast.spi.StoreFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Those who wait for an answer, and what they leave on the machine. */
class InquiryTest {
    /** Each piece of news used to start one more chain of looks that went on until the wait was over, and beyond. */
    @Test
    void newsThatComeInPairs_leaveOneTimerForTheNextLook() {
        StepPlatform platform = new StepPlatform(true);
        List<StoreEvents> events = new ArrayList<>();
        StoreFactory memory = MemoryStore.isolated();
        try (Engine engine = Engine.open(
                context -> {
                    events.add(context.events());
                    return memory.open(context);
                },
                "prefix:",
                Duration.ofSeconds(2),
                platform,
                List.of())) {
            NamedLatch latch = new NamedLatch(engine, "x", LockOptions.builder().build());
            assertThat(latch.trySetCount(1)).isTrue();
            CompletableFuture<Boolean> open =
                    latch.awaitAsync(Duration.ofHours(1)).toCompletableFuture();
            platform.settle();
            assertThat(platform.timers()).as("its deadline and its next look").isEqualTo(2);

            for (int i = 0; i < 3; i++) {
                events.get(0).wakeAll();
                events.get(0).wakeAll();
                platform.settle();
            }

            assertThat(platform.timers()).isEqualTo(2);
            assertThat(open.cancel(false)).isTrue();
            platform.settle();
            assertThat(platform.timers()).isZero();
        }
    }
}
