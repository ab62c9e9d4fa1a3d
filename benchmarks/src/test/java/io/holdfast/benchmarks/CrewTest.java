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
import org.junit.jupiter.api.Test;

class CrewTest {
    private final SharedCounter counter = SharedCounter.inMemory();

    @Test
    void aLockThatExcludes_losesNoUpdate() throws Exception {
        Crew.Result result = run(Contenders.named("reentrant").open("", 0));

        assertThat(result.allCycles()).isEqualTo(counter.get());
        assertThat(result.total()).isPositive().isLessThan(result.allCycles());
        assertThat(result.cycles()).hasSize(4);
        // A thread may be in the middle of a cycle when counting starts, and when it ends.
        assertThat(result.waitTimes().count()).isCloseTo(result.total(), within(4L));
        assertThat(result.cycleTimes().count()).isEqualTo(result.waitTimes().count());
    }

    @Test
    void aLockThatDoesNotExclude_isFoundOut() throws Exception {
        Crew.Result result = run(session(() -> {}));

        assertThat(result.allCycles()).isGreaterThan(counter.get());
    }

    @Test
    void aThreadThatFails_failsTheMeasurement() {
        assertThatThrownBy(() -> run(session(() -> {
                    throw new IllegalStateException("no lock today");
                })))
                .hasMessageContaining("no lock today");
    }

    /** Sections of a millisecond: without a lock they are bound to overlap. */
    private Crew.Result run(Session session) throws InterruptedException {
        try (session;
                Crew crew = new Crew(session, Collections.nCopies(4, new Crew.Duty("name", counter, 1)))) {
            crew.start();
            Thread.sleep(50);
            crew.count();
            Thread.sleep(200);
            crew.stop();
            return crew.join();
        }
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
