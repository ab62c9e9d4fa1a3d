package io.holdfast.servers;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class JvmProcessIT {
    private static final Duration SOON = ofSeconds(20);

    @Test
    void lines_goBothWays() {
        try (JvmProcess child = JvmProcess.start(EchoMain.class, "first", "zweites grün")) {
            assertThat(child.awaitLine("argument f.*", SOON)).isEqualTo("argument first");
            assertThat(child.awaitLine(line -> line.startsWith("argument"), SOON))
                    .isEqualTo("argument zweites grün");
            child.send("hello");
            assertThat(child.awaitLine("echo hello", SOON)).isEqualTo("echo hello");
            assertThat(child.awaitLine("on stderr: hello", SOON)).isNotNull();
            assertThat(child.lines()).startsWith("argument first").contains("ready");
            assertThat(child.isRunning()).isTrue();
            child.send("exit 7");
            assertThat(child.exitCode(SOON)).isEqualTo(7);
        }
    }

    @Test
    void awaitLine_looksAtEachLineOnce() {
        try (JvmProcess child = JvmProcess.start(EchoMain.class)) {
            child.send("same");
            child.send("same");
            child.awaitLine("echo same", SOON);
            child.awaitLine("echo same", SOON);
            assertThatThrownBy(() -> child.awaitLine("echo same", ofMillis(50)))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void awaitLine_ofAChildThatEnded_failsAtOnceWithItsOutput() {
        try (JvmProcess child = JvmProcess.start(EchoMain.class, "marker")) {
            child.send("throw");
            assertThatThrownBy(() -> child.awaitLine("never printed", SOON))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("never printed")
                    .hasMessageContaining("argument marker")
                    .hasMessageContaining("IllegalStateException: as asked");
        }
    }

    @Test
    void exitCode_ofARunningChild_failsWithItsOutput() {
        try (JvmProcess child = JvmProcess.start(EchoMain.class)) {
            child.awaitLine("ready", SOON);
            assertThatThrownBy(() -> child.exitCode(ofMillis(50)))
                    .hasMessageContaining("running")
                    .hasMessageContaining("ready");
        }
    }

    @Test
    void options_andEnvironment_reachTheChild() {
        try (JvmProcess child = JvmProcess.of(EchoMain.class)
                .options("-Dcolour=green")
                .environment("SHAPE", "round")
                .arguments("last")
                .start()) {
            child.awaitLine("argument last", SOON);
            child.send("property colour");
            child.awaitLine("green", SOON);
            child.send("variable SHAPE");
            child.awaitLine("round", SOON);
        }
    }

    @Test
    void kill9_runsNoShutdownHooks() {
        try (JvmProcess child = JvmProcess.start(EchoMain.class)) {
            child.awaitLine("ready", SOON);
            child.kill9();
            assertThat(child.isRunning()).isFalse();
            assertThat(child.exitCode(SOON)).isEqualTo(137);
            assertThat(child.lines()).doesNotContain("shutdown hook");
            assertThatThrownBy(() -> child.send("hello")).hasMessageContaining("'hello' was not sent");
        }
    }

    @Test
    void terminate_runsShutdownHooks() {
        try (JvmProcess child = JvmProcess.start(EchoMain.class)) {
            child.awaitLine("ready", SOON);
            child.terminate();
            child.awaitLine("shutdown hook", SOON);
            assertThat(child.exitCode(SOON)).isEqualTo(143);
        }
    }

    @Test
    void pause_stopsAllThreadsUntilResume() {
        try (JvmProcess child = JvmProcess.start(EchoMain.class)) {
            child.awaitLine("ready", SOON);
            child.pause();
            child.send("hello");
            assertThatThrownBy(() -> child.awaitLine("echo hello", ofMillis(200)))
                    .isInstanceOf(IllegalStateException.class);
            child.resume();
            child.awaitLine("echo hello", SOON);
        }
    }

    @Test
    void grandchildren_endWithAChildThatExits() throws Exception {
        try (JvmProcess child = JvmProcess.start(EchoMain.class)) {
            child.send("redis");
            String[] server = child.awaitLine("server .*", SOON).split(" ", 3);
            child.send("exit 0");
            assertThat(child.exitCode(SOON)).isZero();
            awaitGone(Long.parseLong(server[1]));
            assertThat(Path.of(server[2])).doesNotExist();
        }
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, disabledReason = "only Linux has a parent-death signal")
    void grandchildren_endWithAChildThatIsKilled() throws Exception {
        try (JvmProcess child = JvmProcess.start(EchoMain.class)) {
            child.send("redis");
            String[] server = child.awaitLine("server .*", SOON).split(" ", 3);
            child.kill9();
            awaitGone(Long.parseLong(server[1]));
            TempFolder.delete(Path.of(server[2]));
            assertThat(Files.exists(Path.of(server[2]))).isFalse();
        }
    }

    @Test
    void children_thatUnpackTheSameServerAtOnce_allStartIt(@TempDir Path temp) throws Exception {
        List<JvmProcess> children = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                children.add(JvmProcess.of(EchoMain.class)
                        .options("-Djava.io.tmpdir=" + temp)
                        .start());
            }
            children.forEach(child -> child.awaitLine("ready", SOON));
            children.forEach(child -> child.send("redis"));
            children.forEach(child -> child.awaitLine("server .*", SOON));
            try (Stream<Path> files = Files.walk(temp)) {
                assertThat(files.map(file -> file.getFileName().toString()))
                        .noneMatch(name -> name.startsWith("partial-"))
                        .filteredOn(name -> name.startsWith("redis-server-"))
                        .hasSize(1);
            }
        } finally {
            children.forEach(JvmProcess::close);
        }
    }

    @Test
    void wallClockThatIsSet_isSeenByTheProcess_andDoesNotChangeHowTimePasses() {
        assumeTrue(JvmProcess.whyNoMovableClock().isEmpty(), JvmProcess.whyNoMovableClock());
        long minute = 60_000;
        try (JvmProcess child = JvmProcess.of(EchoMain.class).movableClock().start()) {
            child.awaitLine("ready", SOON);
            for (Duration ahead : List.of(Duration.ZERO, Duration.ofHours(1), Duration.ofHours(-1), Duration.ZERO)) {
                child.setClock(ahead);
                long wall = System.currentTimeMillis();
                long nanos = System.nanoTime();
                child.send("clocks");
                String[] clocks = child.awaitLine("clocks .*", SOON).split(" ", -1);
                assertThat(Long.parseLong(clocks[1]) - ahead.toMillis())
                        .isBetween(wall - minute, System.currentTimeMillis() + minute);
                assertThat(Long.parseLong(clocks[2])).isBetween(nanos, System.nanoTime());
            }
        }
        try (JvmProcess child = JvmProcess.of(EchoMain.class).start()) {
            assertThatThrownBy(() -> child.setClock(Duration.ZERO)).hasMessageContaining("without movableClock()");
        }
    }

    private static void awaitGone(long pid) {
        await().atMost(SOON)
                .until(() ->
                        ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
    }
}
