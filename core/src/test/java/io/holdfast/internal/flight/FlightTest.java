package io.holdfast.internal.flight;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlightTest {
    @TempDir
    Path folder;

    private interface Scene {
        void play(Holdfast locks) throws Exception;
    }

    /** Records with the settings a recording has if nobody sets any. */
    private List<RecordedEvent> record(Scene scene) throws Exception {
        Path file = folder.resolve("flight.jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            try (Holdfast locks = Holdfast.connect("memory:flight")) {
                scene.play(locks);
            }
            recording.stop();
            recording.dump(file);
        }
        return read(file);
    }

    private static List<RecordedEvent> read(Path file) throws IOException {
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("io.holdfast."))
                .toList();
    }

    private static RecordedEvent one(List<RecordedEvent> events, String name, String lock) {
        List<RecordedEvent> found = events.stream()
                .filter(event -> event.getEventType().getName().equals(name))
                .filter(event -> event.getString("lock").equals(lock))
                .toList();
        assertThat(found).as(name + " in " + events).hasSize(1);
        return found.get(0);
    }

    @Test
    void wait_isRecorded_onTheThreadThatWaited_withItsStack() throws Exception {
        List<RecordedEvent> events = record(locks -> {
            DistributedLock lock = locks.lock("busy");
            Lease first = lock.acquire(Duration.ZERO);
            Callable<Boolean> work = () -> lock.tryLock(Duration.ofSeconds(10)) && lock.unlock();
            FutureTask<Boolean> waiter = new FutureTask<>(work);
            Thread thread = new Thread(waiter, "the-waiter");
            thread.start();
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> thread.getState() == Thread.State.TIMED_WAITING
                            || thread.getState() == Thread.State.WAITING);
            // Longer than the threshold, which is what makes it worth a record.
            long since = System.nanoTime();
            await().atMost(Duration.ofSeconds(10)).until(() -> System.nanoTime() - since > 50_000_000);
            first.release();
            assertThat(waiter.get(10, SECONDS)).isTrue();
        });

        RecordedEvent wait = events.stream()
                .filter(event -> event.getEventType().getName().equals("io.holdfast.LockAttempt"))
                .filter(event -> event.getBoolean("waited"))
                .findFirst()
                .orElseThrow();
        assertThat(wait.getString("outcome")).isEqualTo("obtained");
        assertThat(wait.getString("lock")).isEqualTo("busy");
        assertThat(wait.getString("handOver")).isIn("local", "remote");
        assertThat(wait.getLong("token")).isPositive();
        assertThat(wait.getDuration()).isGreaterThan(Duration.ofMillis(40));
        assertThat(wait.getThread().getJavaName()).isEqualTo("the-waiter");
        assertThat(wait.getStackTrace().getFrames())
                .anyMatch(frame -> frame.getMethod().getType().getName().equals(FlightTest.class.getName()));

        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals("io.holdfast.LockHold"))
                .anySatisfy(hold -> {
                    assertThat(hold.getString("end")).isEqualTo("released");
                    assertThat(hold.getString("lock")).isEqualTo("busy");
                    assertThat(hold.getDuration()).isGreaterThan(Duration.ofMillis(40));
                });
    }

    @Test
    void renewalAndLoss_areRecorded() throws Exception {
        List<RecordedEvent> events = record(locks -> {
            Lease lease = locks.lock(
                            "long", o -> o.lease(Duration.ofMillis(1500)).maxHold(Duration.ofMillis(700)))
                    .acquire(Duration.ZERO);
            await().atMost(Duration.ofSeconds(10)).until(() -> !lease.isValid());
            // It is written down after it is lost: by the thread that loses this one next.
            Lease next = locks.lock("next", o -> o.lease(Duration.ofMillis(100)).renewal(false))
                    .acquire(Duration.ZERO);
            next.lost().toCompletableFuture().get(10, TimeUnit.SECONDS);
        });

        RecordedEvent lost = one(events, "io.holdfast.LeaseLost", "long");
        assertThat(lost.getString("cause")).isEqualTo("max_hold");
        assertThat(one(events, "io.holdfast.LockHold", "long").getString("end")).isEqualTo("max_hold");
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals("io.holdfast.Renewals"))
                .isNotEmpty()
                .allSatisfy(renewals -> {
                    assertThat(renewals.getInt("leases")).isEqualTo(1);
                    assertThat(renewals.getInt("failed")).isZero();
                });
    }

    @Test
    void openClient_isLookedAtFromTimeToTime() throws Exception {
        List<RecordedEvent> seen = new CopyOnWriteArrayList<>();
        try (RecordingStream stream = new RecordingStream();
                Holdfast locks = Holdfast.connect("memory:watched")) {
            stream.enable("io.holdfast.Client").withPeriod(Duration.ofMillis(50));
            stream.setReuse(false);
            stream.onEvent("io.holdfast.Client", seen::add);
            stream.startAsync();
            try (Lease lease = locks.lock("a").acquire(Duration.ZERO)) {
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> seen.stream()
                                .anyMatch(client -> client.getString("store").contains("watched")
                                        && client.getInt("held") == 1
                                        && client.getInt("asking") == 0));
                assertThat(lease.isValid()).isTrue();
            }
        }
    }

    @Test
    void uncontendedCycle_isNotRecorded() throws Exception {
        List<RecordedEvent> events = record(locks -> {
            for (int i = 0; i < 5; i++) {
                locks.lock("free").acquire(Duration.ZERO).close();
            }
        });

        assertThat(events)
                .filteredOn(event -> event.hasField("lock") && "free".equals(event.getString("lock")))
                .filteredOn(event -> event.getDuration().toMillis() < 10)
                .isEmpty();
    }

    /** A JVM without the module jdk.jfr takes and gives a lock all the same. */
    @Test
    void runtimeWithoutTheRecorder_locksAllTheSame() throws Exception {
        assertThat(said(WithoutRecorder.class, "--limit-modules", "java.base,java.logging"))
                .contains("jfr=false locked=true unlocked=true");
    }

    /** The recorder is left alone until somebody uses it, and told of what comes from then on. */
    @Test
    void recordingThatStartsLate_isToldFromThen() throws Exception {
        assertThat(said(LateRecording.class)).contains("before=false early=0 late=1");
    }

    /** What a main class prints that is run in a JVM of its own. */
    private static String said(Class<?> main, String... options) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(options));
        command.addAll(
                List.of("-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), main.getName()));
        Process jvm = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(jvm.getInputStream().readAllBytes(), UTF_8);
        assertThat(jvm.waitFor(60, SECONDS)).isTrue();
        assertThat(jvm.exitValue()).as(said).isZero();
        return said;
    }

    static final class WithoutRecorder {
        private WithoutRecorder() {}

        public static void main(String[] args) {
            try (Holdfast locks = Holdfast.connect("memory:")) {
                DistributedLock lock = locks.lock("a");
                boolean locked = lock.tryLock();
                System.out.println(
                        "jfr=" + ModuleLayer.boot().findModule("jdk.jfr").isPresent() + " locked=" + locked
                                + " unlocked=" + lock.unlock());
            }
        }
    }

    static final class LateRecording {
        private LateRecording() {}

        public static void main(String[] args) throws Exception {
            try (Holdfast locks = Holdfast.connect("memory:")) {
                hold(locks, "early");
                boolean before = FlightRecorder.isInitialized();
                Path file = Files.createTempFile("flight", ".jfr");
                try (Recording recording = new Recording()) {
                    recording.start();
                    hold(locks, "late");
                    recording.stop();
                    recording.dump(file);
                }
                List<RecordedEvent> events = read(file);
                Files.delete(file);
                System.out.println(
                        "before=" + before + " early=" + holds(events, "early") + " late=" + holds(events, "late"));
            }
        }

        /** Longer than the threshold. */
        private static void hold(Holdfast locks, String name) throws InterruptedException {
            try (Lease lease = locks.lock(name).acquire(Duration.ZERO)) {
                Thread.sleep(50);
                lease.ensureValid();
            }
        }

        private static long holds(List<RecordedEvent> events, String lock) {
            return events.stream()
                    .filter(event -> event.getEventType().getName().equals("io.holdfast.LockHold"))
                    .filter(event -> lock.equals(event.getString("lock")))
                    .count();
        }
    }
}
