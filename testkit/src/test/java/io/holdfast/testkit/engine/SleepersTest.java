package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.ClientClosedException;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.spi.PushedGrant;
import io.holdfast.testkit.Faults;
import io.holdfast.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A caller that was told by another's thread that it stands in line, and sleeps on in the store: what wakes it. */
class SleepersTest {
    private final ManualClock clock = new ManualClock();
    private final PushingStore store = new PushingStore();
    private final Holdfast locks = Holdfast.builder()
            .platform(clock.platform())
            .store(context -> {
                store.context = context;
                return store;
            })
            .build();

    @BeforeEach
    void leaveAsleep() {
        store.leavesAsleep = true;
    }

    @AfterEach
    void close() {
        locks.close();
    }

    /** A thread that waits for the lock, and what comes of it. */
    private record Sleeper(Thread thread, CompletableFuture<Optional<Lease>> outcome) {
        Optional<Lease> wakes() {
            return outcome.orTimeout(10, TimeUnit.SECONDS).join();
        }
    }

    private Sleeper sleeper(boolean fair) {
        DistributedLock lock = fair ? locks.fairLock("a") : locks.lock("a");
        CompletableFuture<Optional<Lease>> outcome = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                outcome.complete(lock.tryAcquire(Duration.ofSeconds(60)));
            } catch (Exception e) {
                outcome.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        clock.awaitWaiting(1);
        return new Sleeper(thread, outcome);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Faults(44)
    void grant_wakesIt(boolean fair) {
        Sleeper sleeper = sleeper(fair);

        store.events()
                .granted(new PushedGrant(
                        "a",
                        store.asks.get(0).owner(),
                        7,
                        1,
                        Duration.ofSeconds(2),
                        clock.nanoTime(),
                        clock.wallMillis()));

        assertThat(sleeper.wakes()).map(Lease::token).contains(7L);
        assertThat(store.asks).hasSize(1);
    }

    /** It is woken when it is passed the lock, amid its request, and has to be once more by the answer to that. */
    @Test
    @Faults(45)
    void answerThatComesAfterItWasPassedTheLock_wakesIt() throws Exception {
        CompletableFuture<Lease> first =
                locks.fairLock("a").acquireAsync(Duration.ofSeconds(60)).toCompletableFuture();
        clock.advance(Duration.ZERO);
        Sleeper second = sleeper(true);
        clock.advance(Duration.ofSeconds(19));
        CountDownLatch answered = new CountDownLatch(1);
        store.hangs = answered;
        store.events().wake("a", store.asks.get(1).owner());
        await().until(() -> store.asks.size() == 3);
        store.events()
                .granted(new PushedGrant(
                        "a",
                        store.asks.get(0).owner(),
                        7,
                        2,
                        Duration.ofSeconds(2),
                        clock.nanoTime(),
                        clock.wallMillis(),
                        List.of(store.asks.get(1).owner())));
        clock.advance(Duration.ZERO);
        assertThat(CompletableFuture.supplyAsync(() -> first.join().release()).get(10, TimeUnit.SECONDS))
                .isTrue();

        answered.countDown();

        assertThat(second.wakes()).map(Lease::token).contains(8L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Faults(43)
    void timeToLookAgain_wakesIt(boolean fair) {
        Sleeper sleeper = sleeper(fair);

        clock.advance(Duration.ofSeconds(20));

        assertThat(store.asks).hasSize(2);
        assertThat(sleeper.outcome()).isNotDone();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Faults(45)
    void endOfItsTime_wakesIt(boolean fair) {
        Sleeper sleeper = sleeper(fair);

        clock.advance(Duration.ofSeconds(60));

        assertThat(sleeper.wakes()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Faults(46)
    void interrupt_wakesIt(boolean fair) {
        Sleeper sleeper = sleeper(fair);

        sleeper.thread().interrupt();

        assertThatThrownBy(sleeper::wakes).hasCauseInstanceOf(InterruptedException.class);
        clock.advance(Duration.ZERO);
        assertThat(store.releases).containsExactly(store.asks.get(0).owner());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Faults(47)
    void close_wakesIt(boolean fair) {
        Sleeper sleeper = sleeper(fair);

        locks.close();

        assertThatThrownBy(sleeper::wakes).hasCauseInstanceOf(ClientClosedException.class);
        assertThat(store.releases).containsExactly(store.asks.get(0).owner());
    }
}
