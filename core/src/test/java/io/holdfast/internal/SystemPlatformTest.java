package io.holdfast.internal;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Hold;
import io.holdfast.Holdfast;
import io.holdfast.LockListener;
import io.holdfast.Loss;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.Platform;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A machine that has no thread to give for a while, as a container at its limit: what is to be done is done later. */
class SystemPlatformTest {
    private volatile boolean shortage;
    private final AtomicInteger refused = new AtomicInteger();
    private final Platform platform = new SystemPlatform(task -> {
        if (shortage) {
            refused.incrementAndGet();
            throw new OutOfMemoryError("unable to create native thread: planted");
        }
        return new Thread(task);
    });

    @AfterEach
    void close() {
        platform.close();
    }

    /** The thread of the timers is there as soon as something was ever held or waited for. */
    private void begins() throws InterruptedException {
        CountDownLatch ticked = new CountDownLatch(1);
        platform.schedule(0, ticked::countDown);
        assertThat(ticked.await(10, TimeUnit.SECONDS)).isTrue();
        shortage = true;
    }

    private void ends() throws InterruptedException {
        int before = refused.get();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (refused.get() == before) {
            assertThat(System.nanoTime()).as("it is tried again in vain").isLessThan(end);
            Thread.sleep(5);
        }
        shortage = false;
    }

    @Test
    void callbacksAndDaemons_beginWhenThereAreThreadsAgain() throws Exception {
        begins();
        CountDownLatch both = new CountDownLatch(2);

        platform.callbacks().execute(both::countDown);
        platform.daemon("daemon", both::countDown);

        assertThat(both.getCount()).isEqualTo(2);
        ends();
        assertThat(both.await(10, TimeUnit.SECONDS)).isTrue();
    }

    /** Somebody may wait for it. */
    @Test
    void whatCouldNotBegin_isDoneAtTheEnd() throws Exception {
        begins();
        CountDownLatch done = new CountDownLatch(1);
        platform.callbacks().execute(done::countDown);

        platform.close();

        assertThat(done.getCount()).isZero();
    }

    @Test
    void worker_doesInOrderWhatItCouldNotBegin() throws Exception {
        begins();
        List<Integer> done = new CopyOnWriteArrayList<>();
        CountDownLatch all = new CountDownLatch(6);
        Platform.Worker worker = platform.worker("worker");

        for (int i = 0; i < 5; i++) {
            int number = i;
            worker.execute(() -> {
                done.add(number);
                all.countDown();
            });
        }

        ends();
        worker.execute(() -> {
            done.add(5);
            all.countDown();
        });
        assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(done).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(worker.finish(1_000_000_000)).isEmpty();
    }

    /** Its Error came out of the middle of a grant, and the wait never ended, while the lock was renewed for ever. */
    @Test
    void lock_isTakenGivenBackAndLost_asIfThereWereThreads() throws Exception {
        List<String> heard = new CopyOnWriteArrayList<>();
        CompletableFuture<Loss> told = new CompletableFuture<>();
        try (Holdfast locks = Holdfast.builder()
                .platform(platform)
                .store(MemoryStore.isolated())
                .listener(new LockListener() {
                    @Override
                    public void acquired(Hold hold, Duration waited) {
                        heard.add("acquired");
                    }

                    @Override
                    public void lost(Hold hold, Loss loss) {
                        heard.add("lost");
                        told.complete(loss);
                    }
                })
                .build()) {
            begins();

            assertThat(locks.lock("x").tryLock()).isTrue();
            assertThat(locks.lock("x").unlock()).isTrue();
            assertThat(locks.lock("y").tryLock(1_000, 300, TimeUnit.MILLISECONDS))
                    .isTrue();
            Thread.sleep(400);
            assertThat(locks.lock("y").unlock()).isFalse();

            ends();
            assertThat(told.get(10, TimeUnit.SECONDS).cause()).isEqualTo(Loss.Cause.EXPIRED);
            assertThat(heard).containsExactly("acquired", "acquired", "lost");
            assertThat(locks.lock("y").tryLock(ofSeconds(5))).isTrue();
        }
    }
}
