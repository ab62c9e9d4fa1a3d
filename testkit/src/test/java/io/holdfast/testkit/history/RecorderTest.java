package io.holdfast.testkit.history;

import static io.holdfast.testkit.history.Operation.Action.ACQUIRE;
import static io.holdfast.testkit.history.Operation.Action.RELEASE;
import static io.holdfast.testkit.history.Operation.Action.TRY_ACQUIRE;
import static io.holdfast.testkit.history.Operation.Mode.EXCLUSIVE;
import static io.holdfast.testkit.history.Operation.Mode.SHARED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testkit.history.Operation.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecorderTest {
    private final AtomicLong time = new AtomicLong();

    @Test
    void whatIsRecorded_isTheHistory() throws IOException {
        try (Recorder recorder = Recorder.inMemory(time::incrementAndGet)) {
            Recorder.Call acquire = recorder.call("a", "x", ACQUIRE);
            Recorder.Call refused = recorder.call("b", "x", TRY_ACQUIRE, SHARED, 2, 0);
            acquire.granted(7);
            refused.ended(Outcome.REFUSED);
            recorder.call("a", "x", RELEASE, 7);

            assertThat(recorder.history().operations())
                    .containsExactly(
                            new Operation("a", "x", ACQUIRE, EXCLUSIVE, 1, 7, Outcome.GRANTED, 1, 3),
                            new Operation("b", "x", TRY_ACQUIRE, SHARED, 2, 0, Outcome.REFUSED, 2, 4),
                            new Operation("a", "x", RELEASE, EXCLUSIVE, 1, 7, Outcome.UNKNOWN, 5, Operation.OPEN));
        }
    }

    @Test
    void filesOfSeveralProcesses_areOneHistory(@TempDir Path folder) throws IOException {
        Path one = folder.resolve("one");
        Path two = folder.resolve("two");
        try (Recorder first = Recorder.toFile(one, time::incrementAndGet);
                Recorder second = Recorder.toFile(two, time::incrementAndGet)) {
            Recorder.Call acquire = first.call("p 1\n", "order:42 é%", ACQUIRE);
            second.call("p2", "order:42 é%", ACQUIRE);
            acquire.granted(1);
            assertThatThrownBy(first::history).isInstanceOf(IllegalStateException.class);
        }
        // Killed in the middle of a line.
        Files.writeString(two, "4 0 GRANTED 12", StandardOpenOption.APPEND);

        History history = History.read(List.of(one, two));
        assertThat(history.operations())
                .containsExactly(
                        new Operation("p 1\n", "order:42 é%", ACQUIRE, EXCLUSIVE, 1, 1, Outcome.GRANTED, 1, 3),
                        new Operation(
                                "p2", "order:42 é%", ACQUIRE, EXCLUSIVE, 1, 0, Outcome.UNKNOWN, 2, Operation.OPEN));
    }

    @Test
    void historyThatIsWritten_isReadAgain(@TempDir Path folder) throws IOException {
        for (Primitive primitive : Primitive.values()) {
            History history = Simulation.run(primitive, 5, 6, 200, 30);
            Path file = folder.resolve(primitive.name());
            history.write(file);
            assertThat(History.read(List.of(file)).operations())
                    .containsExactlyInAnyOrderElementsOf(history.operations());
        }
    }

    @Test
    void lineThatIsNone_isShown(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("bad"), "1 0 call a ACQUIRE x EXCLUSIVE 1 0\n2 1 GRANTED 5\n");
        assertThatThrownBy(() -> History.read(List.of(file)))
                .hasMessage("not a line of a history: '2 1 GRANTED 5'")
                .hasRootCauseMessage("operation 1 was not called");
    }

    @Test
    void threadsAtARealLock_leaveARightHistory(@TempDir Path folder) throws IOException, InterruptedException {
        Path file = folder.resolve("history");
        Semaphore lock = new Semaphore(1);
        try (Recorder recorder = Recorder.toFile(file, System::nanoTime)) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                String client = "t" + i;
                threads.add(new Thread(() -> takeTurns(lock, recorder, client)));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
        }
        History history = History.read(List.of(file));
        assertThat(history.operations()).hasSize(4 * 250 * 2);
        Verdict verdict = LinearizabilityChecker.check(history, new MutexModel());
        assertThat(verdict.isOk()).as(verdict.report()).isTrue();
    }

    private static void takeTurns(Semaphore lock, Recorder recorder, String client) {
        for (int i = 0; i < 250; i++) {
            Recorder.Call acquire = recorder.call(client, "lock", ACQUIRE);
            lock.acquireUninterruptibly();
            acquire.granted(0);
            Recorder.Call release = recorder.call(client, "lock", RELEASE);
            lock.release();
            release.ended(Outcome.DONE);
        }
    }
}
