package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockException;
import io.holdfast.Loss;
import io.holdfast.spi.AcquireReply;
import io.holdfast.spi.Platform;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.RenewReply;
import io.holdfast.testkit.Faults;
import io.holdfast.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A lock is taken away, by a person or by a deletion, and the client hears of it just when it goes from one hand to the next: at
 * each moment at which the thread that has it looks at a clock.
 */
class TakenAwayTest {
    private static final Duration GRANT = Duration.ofSeconds(2);
    private static final int MOST_LOOKS = 60;

    private final ThreadLocal<Integer> looks = ThreadLocal.withInitial(() -> -1);
    private int moment;
    private boolean came;
    private Runnable news = () -> {};
    private CompletableFuture<Void> told = CompletableFuture.completedFuture(null);
    private ManualClock clock = new ManualClock();
    private PushingStore store = new PushingStore();
    private Holdfast locks = open();

    @AfterEach
    void close() {
        locks.close();
    }

    private Holdfast open() {
        Platform platform = Intercepted.of(Platform.class, clock.platform(), "nanoTime", this::look);
        platform = Intercepted.of(Platform.class, platform, "wallMillis", this::look);
        return Holdfast.builder()
                .platform(platform)
                .store(context -> {
                    store.context = context;
                    return store;
                })
                .build();
    }

    private Object look(Callable<Object> real) throws Exception {
        int look = looks.get();
        if (look >= 0) {
            looks.set(look + 1);
            if (look == moment) {
                came = true;
                // What it does looks at clocks as well.
                looks.set(-1);
                // On a thread of its own: of a pool, the one that looks could do it itself while it waits.
                told = CompletableFuture.runAsync(news, task -> new Thread(task).start());
                try {
                    told.get(100, TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    // They need something that the thread that looks has locked, and come right after that.
                }
                looks.set(MOST_LOOKS);
            }
        }
        return real.call();
    }

    /** Again, as if nothing had been. */
    private void anew(int at) {
        locks.close();
        moment = at;
        came = false;
        clock = new ManualClock();
        store = new PushingStore();
        locks = open();
    }

    private CompletableFuture<Lease> inLine() {
        CompletableFuture<Lease> waiter =
                locks.fairLock("a").acquireAsync(Duration.ofSeconds(60)).toCompletableFuture();
        clock.advance(Duration.ZERO);
        return waiter;
    }

    private String id(int place) {
        return store.asks.get(place).owner();
    }

    private void pushToTheFirst(String... behind) {
        store.events()
                .granted(new PushedGrant(
                        "a", id(0), 7, 64, GRANT, clock.nanoTime(), clock.wallMillis(), List.of(behind)));
        clock.advance(Duration.ZERO);
    }

    private boolean releaseWatched(Lease lease) {
        return CompletableFuture.supplyAsync(() -> {
                    looks.set(0);
                    try {
                        return lease.release();
                    } finally {
                        looks.set(-1);
                    }
                })
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
    }

    /** Whoever comes next has either not got it, or is told that it is lost. */
    private void nobodyBelievesInIt(boolean released, CompletableFuture<Lease> next, Loss.Cause cause) {
        told.orTimeout(10, TimeUnit.SECONDS).join();
        clock.advance(Duration.ZERO);
        if (next.isDone()) {
            assertThat(next.join().isValid()).as("news at look %s", moment).isFalse();
            assertThat(next.join().lost())
                    .as("news at look %s", moment)
                    .isCompletedWithValueMatching(loss -> loss.cause() == cause);
        } else if (released) {
            assertThat(store.releases).as("news at look %s", moment).contains(id(0));
        }
    }

    @Test
    @Faults(45)
    void rowThatIsTakenAwayByForceWhileItIsPassedOn_isHeldByNobody() {
        int at = 0;
        for (; at < MOST_LOOKS; at++) {
            anew(at);
            List<CompletableFuture<Lease>> line = List.of(inLine(), inLine());
            pushToTheFirst(id(1));
            Lease first = line.get(0).join();
            news = () -> store.events().expelled("a", id(0), "by a person");

            boolean released = releaseWatched(first);

            if (!came) {
                break;
            }
            nobodyBelievesInIt(released, line.get(1), Loss.Cause.FORCED);
        }
        assertThat(at).as("looks at a clock").isBetween(3, MOST_LOOKS - 1);
    }

    @Test
    @Faults({5, 32})
    void rowThatIsGoneWhileItIsPassedOn_isHeldByNobody() {
        int at = 0;
        for (; at < MOST_LOOKS; at++) {
            anew(at);
            List<CompletableFuture<Lease>> line = List.of(inLine(), inLine());
            store.answersLater = true;
            pushToTheFirst(id(1));
            Lease first = line.get(0).join();
            clock.advance(Duration.ofMillis(30));
            assertThat(store.later).hasSize(1);
            news = () -> store.later.get(0).complete(List.of(new RenewReply.Gone()));

            boolean released = releaseWatched(first);

            if (!came) {
                break;
            }
            nobodyBelievesInIt(released, line.get(1), Loss.Cause.GONE);
        }
        assertThat(at).as("looks at a clock").isBetween(3, MOST_LOOKS - 1);
    }

    @Test
    @Faults({5, 32})
    void handleThatIsExtendedWhenTheLockIsGone_isALossOfWhoeverHasIt() {
        List<CompletableFuture<Lease>> line = List.of(inLine(), inLine());
        pushToTheFirst(id(1));
        Lease first = line.get(0).join();
        store.answersLater = true;
        CompletableFuture<Void> extended = CompletableFuture.runAsync(() -> first.extend(Duration.ofSeconds(60)));
        await().until(() -> store.later.size() == 1);
        assertThat(first.release()).isTrue();
        Lease second = line.get(1).join();
        assertThat(second.isValid()).isTrue();

        store.later.get(0).complete(List.of(new RenewReply.Gone()));

        assertThat(extended.handle((done, error) -> error).join()).isNotNull();
        assertThat(second.isValid()).isFalse();
    }

    /** The news overtake the answer. */
    @Test
    @Faults(45)
    void grantThatWasTakenAwayBeforeItsAnswerCame_isAskedForOnceMore() {
        CompletableFuture<AcquireReply> answer = new CompletableFuture<>();
        store.next = answer;
        CompletableFuture<Lease> waiter =
                locks.lock("a").acquireAsync(Duration.ofSeconds(60)).toCompletableFuture();
        clock.advance(Duration.ZERO);
        store.events().expelled("a", id(0), "by a person");
        store.next = null;

        answer.complete(new AcquireReply.Granted(7, 1));
        clock.advance(Duration.ZERO);

        assertThat(waiter).isNotDone();
        assertThat(store.asks).hasSize(2);
        assertThat(id(1)).isEqualTo(id(0));
    }

    /** The same for one that does not wait, whom no news reach; and what it is granted when it asks once more is its own. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Faults(45)
    void tryThatWasTakenAwayBeforeItsAnswerCame_isNotBelieved(boolean late) throws Exception {
        CompletableFuture<AcquireReply> answer = new CompletableFuture<>();
        store.next = answer;
        CompletableFuture<Boolean> tried =
                CompletableFuture.supplyAsync(() -> locks.lock("a").tryLock());
        await().until(() -> store.asks.size() == 1);
        store.events().expelled("a", id(0), "by a person");
        if (late) {
            clock.advance(Duration.ofMillis(1_900));
        }

        answer.complete(new AcquireReply.Granted(7, 1));

        assertThat(tried.handle((locked, error) -> locked != null && locked).get(10, TimeUnit.SECONDS))
                .isFalse();
        await().until(() -> store.releases.contains(id(0)));
    }

    /** One try, which others send for its caller, has no time to ask again. */
    @Test
    @Faults(45)
    void tryByAWorker_thatWasTakenAwayBeforeItsAnswerCame_isToldSo() throws Exception {
        CompletableFuture<AcquireReply> answer = new CompletableFuture<>();
        store.next = answer;
        CompletableFuture<Optional<Lease>> tried =
                locks.lock("a").tryAcquireAsync().toCompletableFuture();
        await().until(() -> store.asks.size() == 1);
        store.events().expelled("a", id(0), "by a person");

        answer.complete(new AcquireReply.Granted(7, 1));

        assertThat(tried.handle((lease, error) -> String.valueOf(error)).get(10, TimeUnit.SECONDS))
                .contains("StoreUnavailableException: lock 'a': ")
                .endsWith("granted the lock, but it was released by force before its caller could be told");
        await().until(() -> store.releases.contains(id(0)));
    }

    /** What is kept to read is on its way to the thread that wrote, and is taken away before anybody watches it. */
    @Test
    @Faults({45, 55})
    void readingOn_thatIsTakenAwayBeforeItsAnswerCame_isNotBelieved() throws Exception {
        DistributedReadWriteLock lock = locks.readWriteLock("a");
        CompletableFuture<AcquireReply> answer = new CompletableFuture<>();
        CompletableFuture<Boolean> readsOn = CompletableFuture.supplyAsync(() -> {
            store.next = CompletableFuture.completedFuture(new AcquireReply.Granted(7, 1));
            assertThat(lock.writeLock().tryLock()).isTrue();
            assertThat(lock.readLock().tryLock()).isTrue();
            store.next = answer;
            assertThat(lock.writeLock().unlock()).isTrue();
            return lock.readLock().isHeldByCurrentThread();
        });
        await().until(() -> store.asks.size() == 2);
        store.events().expelled("a", id(1), "by a person");

        answer.complete(new AcquireReply.Granted(8, 1));

        assertThat(readsOn.get(10, TimeUnit.SECONDS)).isFalse();
        await().until(() -> store.releases.contains(id(1)));
    }

    /** News of a grant that was taken away, which come when its owner has asked again and been granted it once more. */
    @Test
    @Faults(45)
    void newsThatComeWhenTheStoreHasGivenItOnceMore_giveThatBack() {
        CompletableFuture<Lease> waiter =
                locks.lock("a").acquireAsync(Duration.ofSeconds(60)).toCompletableFuture();
        clock.advance(Duration.ZERO);
        store.next = CompletableFuture.completedFuture(new AcquireReply.Granted(7, 1));
        store.events().wake("a", id(0));
        clock.advance(Duration.ZERO);
        assertThat(waiter.join().isValid()).isTrue();

        store.events().expelled("a", id(0), "by a person");

        assertThat(waiter.join().isValid()).isFalse();
        await().until(() -> store.releases.contains(id(0)));
    }

    /** Of several, the store may still have more than one: all of them would stand in the way of the next attempt. */
    @Test
    @Faults({2, 57})
    void severalThatAreOverBeforeTheirCallerLooks_areAllGivenBack_beforeTheyAreAskedForAgain() throws Exception {
        int at = 0;
        int again = 0;
        for (; at < MOST_LOOKS; at++) {
            anew(at);
            store.next = CompletableFuture.completedFuture(new AcquireReply.Granted(7, 1));
            store.answersLater = true;
            news = () -> clock.advance(Duration.ofSeconds(30));

            boolean locked = CompletableFuture.supplyAsync(() -> {
                        looks.set(0);
                        try {
                            return locks.allOf(locks.lock("a"), locks.lock("b")).tryLock(Duration.ofSeconds(90));
                        } catch (LockException e) {
                            return false;
                        } catch (InterruptedException e) {
                            throw new AssertionError(e);
                        } finally {
                            looks.set(-1);
                        }
                    })
                    .get(10, TimeUnit.SECONDS);

            if (!came) {
                break;
            }
            if (locked && store.asks.size() == 4) {
                again++;
                await().untilAsserted(() ->
                        assertThat(store.releases).as("over at look %s", moment).contains(id(0), id(1)));
            }
        }
        assertThat(at).as("looks at a clock").isBetween(3, MOST_LOOKS - 1);
        assertThat(again).as("times they were over before their caller looked").isPositive();
    }
}
