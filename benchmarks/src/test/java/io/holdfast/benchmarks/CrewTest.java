package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.holdfast.benchmarks.contenders.BenchLock;
import io.holdfast.benchmarks.contenders.Contenders;
import io.holdfast.benchmarks.contenders.Session;
import io.holdfast.benchmarks.measure.Crew;
import io.holdfast.benchmarks.measure.SharedCounter;
import java.util.Collections;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

class CrewTest {
    private final SharedCounter counter = SharedCounter.inMemory();
    private final Semaphore unlocked = new Semaphore(0);

    @Test
    void aLockThatExcludes_losesNoUpdate() throws Exception {
        Crew.Result result = run(Contenders.named("reentrant").open("", 0));

        assertThat(result.allCycles()).isEqualTo(counter.get());
        assertThat(counter.mostInside()).isEqualTo(1);
        assertThat(result.total()).isPositive().isLessThan(result.allCycles());
        assertThat(result.cycles()).hasSize(4);
        // A thread may be in the middle of a cycle when counting starts, and when it ends.
        assertThat(result.waitTimes().count()).isCloseTo(result.total(), within(4L));
        assertThat(result.cycleTimes().count()).isEqualTo(result.waitTimes().count());
        assertThat(result.handOvers().count()).isEqualTo(result.waitTimes().count());
        assertThat(result.allocated()).isPositive();
    }

    @Test
    void aLockThatDoesNotExclude_isFoundOut() throws Exception {
        Crew.Result result = run(session(() -> {}));

        assertThat(result.allCycles()).isGreaterThan(counter.get());
        assertThat(counter.mostInside()).isBetween(2L, 4L);
    }

    @Test
    void aThreadThatFails_failsTheMeasurement() throws Exception {
        CountDownLatch tried = new CountDownLatch(1);
        try (Crew crew = crew(session(() -> {
            tried.countDown();
            throw new IllegalStateException("no lock today");
        }))) {
            crew.start();
            tried.await();

            assertThatThrownBy(crew::join).hasMessageContaining("no lock today");
        }
    }

    /** Long enough for so many cycles in each phase: without a lock, sections of a millisecond are bound to overlap. */
    private Crew.Result run(Session session) throws InterruptedException {
        try (session;
                Crew crew = crew(session)) {
            crew.start();
            cycles(20);
            crew.count();
            cycles(100);
            crew.stop();
            return crew.join();
        }
    }

    private Crew crew(Session session) {
        return new Crew(counted(session), Collections.nCopies(4, new Crew.Duty("name", 1, counter, 1)));
    }

    private void cycles(int count) throws InterruptedException {
        unlocked.drainPermits();
        unlocked.acquire(count);
    }

    private Session counted(Session session) {
        return new Session() {
            @Override
            public BenchLock lock(String name) {
                BenchLock lock = session.lock(name);
                return new BenchLock() {
                    @Override
                    public void lock() {
                        lock.lock();
                    }

                    @Override
                    public void unlock() {
                        lock.unlock();
                        unlocked.release();
                    }
                };
            }

            @Override
            public void close() {}
        };
    }

    private static Session session(Runnable onLock) {
        return new Session() {
            @Override
            public BenchLock lock(String name) {
                return new BenchLock() {
                    @Override
                    public void lock() {
                        onLock.run();
                    }

                    @Override
                    public void unlock() {}
                };
            }

            @Override
            public void close() {}
        };
    }
}
