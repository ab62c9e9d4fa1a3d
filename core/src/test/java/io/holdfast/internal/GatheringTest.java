package io.holdfast.internal;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockOptions;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Share;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreFailure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GatheringTest {
    /** Short enough that who waits behind a request that long takes it for no late one. */
    private static final Duration WAIT = ofMillis(50);

    /** Fails all that ask for several, and has not answered yet who asks for one. */
    private static final class Failing extends QueueStore {
        Failing(StoreContext context) {
            super(context, 1);
        }

        @Override
        public synchronized CompletionStage<AcquireReply> acquire(AcquireRequest request) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<List<AcquireReply>> acquireAll(List<AcquireRequest> requests, boolean part) {
            return CompletableFuture.failedFuture(StoreFailure.unavailable("down", null));
        }
    }

    private final StepPlatform platform = new StepPlatform(true);
    private final Engine engine = Engine.open(Failing::new, "p:", ofSeconds(2), platform, List.of());

    @AfterEach
    void close() {
        engine.close();
    }

    /** Others of its client were before it in the line for the first, of whom nobody had heard anything either. */
    @Test
    void waitForSeveral_whoseRequestFailed_andThatStoodBehindOthersSince_isAnError() {
        Acquisition first = engine.acquireAsync(
                new Wish(engine, "a", LockOptions.DEFAULT, null, Wish.FOREVER, Share.WHOLE, Order.LINE));
        platform.settle();

        Gathering both =
                engine.acquireAsync(new Gathering.Members(List.of(lock("a"), lock("b")), null, null, WAIT.toNanos()));
        platform.advance(WAIT.toNanos());

        assertThat(first.result()).isNotDone();
        assertThat(both.result()).isDone();
        assertThatThrownBy(both.result()::join)
                .hasCauseInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("down");
    }

    private NamedLock lock(String name) {
        return new NamedLock(engine, name, LockOptions.DEFAULT, Share.WHOLE, Order.LINE);
    }
}
