package io.holdfast.cli;

import static io.holdfast.cli.EmbeddedServerIT.ok;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the user's own server ends, by itself and by force, and what its users see of it. */
class EmbeddedServerEndIT {
    @TempDir
    Path folder;

    private StateHome home;

    @BeforeEach
    void setUp() {
        home = new StateHome(folder, 60);
    }

    @AfterEach
    void leaveNoServer() {
        home.close();
    }

    @Test
    void server_idle_ends_andIsStartedAgain() {
        home = new StateHome(folder, 4);
        home.holdfast("run", "x", "--", "true").run();
        long pid = home.state().pid();
        home.awaitNoServer();
        assertThat(home.own().resolve("server")).doesNotExist();
        assertThat(home.own().resolve("ending")).doesNotExist();
        assertThat(home.holdfast("run", "x", "--", "echo", "again").run()).isEqualTo(ok("again\n"));
        assertThat(home.state().pid()).isNotEqualTo(pid);
    }

    @Test
    void server_inUse_doesNotEnd() {
        home = new StateHome(folder, 1);
        try (Cli cli = home.holdfast("run", "x", "--", "sh", "-c", "echo held; read line")
                .start()) {
            cli.awaitOut("held");
            long pid = home.state().pid();
            await().during(Duration.ofSeconds(3))
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> home.servers().stream().map(ProcessHandle::pid).toList(), List.of(pid)::equals);
            cli.send("go");
            assertThat(cli.result()).isEqualTo(ok("held\n"));
        }
    }

    @Test
    void server_usedWhileItIsAboutToEnd_stays(@TempDir Path tools) throws IOException {
        // Somebody comes at the worst moment, once: right after the supervisor has taken the server's file away.
        Path moves = tools.resolve("moves");
        Path mv = Files.writeString(tools.resolve("mv"), """
                #!/bin/sh
                PATH=/usr/bin:/bin
                [ -e '%1$s' ] || sooner=1
                mv "$@"
                [ -z "$sooner" ] || touch used
                echo "$@" >>'%1$s'
                """.formatted(moves));
        Files.setPosixFilePermissions(mv, PosixFilePermissions.fromString("rwx------"));
        home = new StateHome(folder, 4);
        home.holdfast("run", "x", "--", "true")
                .with("PATH", tools + ":" + System.getenv("PATH"))
                .run();
        long pid = home.state().pid();
        await().until(() -> Files.exists(moves) && Files.readAllLines(moves).size() >= 2);
        assertThat(Files.readAllLines(moves)).startsWith("server ending", "ending server");
        assertThat(Signals.isAlive(pid)).isTrue();
        home.awaitNoServer();
        assertThat(Files.readAllLines(moves)).containsExactly("server ending", "ending server", "server ending");
    }

    @Test
    void server_killed_isStartedAgain() {
        home.holdfast("run", "x", "--", "true").run();
        ServerState killed = home.state();
        Signals.send("KILL", killed.pid());
        assertThat(home.holdfast("run", "x", "--", "echo", "again").run()).isEqualTo(ok("again\n"));
        assertThat(home.state().pid()).isNotEqualTo(killed.pid());
        assertThat(home.state().password()).isNotEqualTo(killed.password());
        assertThat(home.servers()).hasSize(1);
    }

    @Test
    void server_killedWhileALockIsHeld_isALostLease() {
        try (Cli cli = home.holdfast("run", "--lease", "900ms", "x", "--", "sh", "-c", "echo held; exec sleep 100")
                .start()) {
            cli.awaitOut("held");
            Signals.send("KILL", home.state().pid());
            assertThat(cli.result().code()).isEqualTo(76);
        }
    }

    @Test
    void server_thatLostItsSupervisor_getsAnother() {
        home = new StateHome(folder, 5);
        home.holdfast("run", "x", "--", "true").run();
        ServerState before = home.state();
        Signals.send("KILL", before.supervisor());
        await().until(() -> home.supervisors().isEmpty());
        assertThat(home.holdfast("run", "x", "--", "echo", "same").run()).isEqualTo(ok("same\n"));
        assertThat(home.state().pid()).isEqualTo(before.pid());
        assertThat(home.state().supervisor()).isNotEqualTo(before.supervisor());
        home.awaitNoServer();
    }

    @Test
    void server_thatIsAboutToEnd_isNotReplacedBeforeItHasDecided() throws IOException {
        home.holdfast("run", "x", "--", "true").run();
        ServerState state = home.state();
        Signals.send("STOP", state.supervisor());
        Files.move(home.own().resolve("server"), home.own().resolve("ending"));
        try (Cli cli = home.holdfast("run", "x", "--", "echo", "same").start()) {
            // It has said that it is there, and found no server.
            await().until(() -> isStartLocked());
            assertThat(home.servers()).extracting(ProcessHandle::pid).containsExactly(state.pid());
            assertThat(cli.isRunning()).isTrue();
            Files.move(home.own().resolve("ending"), home.own().resolve("server"));
            assertThat(cli.result()).isEqualTo(ok("same\n"));
        }
        assertThat(home.state()).isEqualTo(state);
        Signals.send("CONT", state.supervisor());
    }

    private boolean isStartLocked() throws IOException {
        try (var channel = FileChannel.open(home.own().resolve("lock"), StandardOpenOption.WRITE)) {
            return channel.tryLock() == null;
        }
    }

    @Test
    void server_whoseSupervisorDiedOverItsDecision_isKept() throws IOException {
        home.holdfast("run", "x", "--", "true").run();
        ServerState state = home.state();
        Signals.send("KILL", state.supervisor());
        await().until(() -> home.supervisors().isEmpty());
        Files.move(home.own().resolve("server"), home.own().resolve("ending"));
        assertThat(home.holdfast("run", "x", "--", "echo", "same").run()).isEqualTo(ok("same\n"));
        assertThat(home.state().pid()).isEqualTo(state.pid());
        assertThat(home.servers()).hasSize(1);
    }

    @Test
    void server_thatDoesNotAnswer_isNotReplaced() {
        home.holdfast("run", "x", "--", "true").run();
        ServerState state = home.state();
        Signals.send("STOP", state.pid());
        Cli.Result result = home.holdfast("run", "x", "--", "echo", "never").run();
        assertThat(result.code()).isEqualTo(69);
        assertThat(result.err()).contains("does not answer; holdfast server stop --force ends it");
        assertThat(home.state()).isEqualTo(state);
        assertThat(home.servers()).hasSize(1);
    }

    @Test
    @Tag("slow") // it is given 15 s
    void server_whoseStarterWasKilled_doesNotStayBehind() throws IOException {
        home.holdfast("run", "x", "--", "true").run();
        ServerState first = home.state();
        // As if its starter had died before it could write it down.
        Files.delete(home.own().resolve("server"));
        home.holdfast("run", "x", "--", "true").run();
        assertThat(home.state().pid()).isNotEqualTo(first.pid());
        await().atMost(Duration.ofSeconds(30)).until(() -> !Signals.isAlive(first.pid()));
        assertThat(home.servers())
                .extracting(ProcessHandle::pid)
                .containsExactly(home.state().pid());
    }

    // --- by hand

    @Test
    void status_andStop() {
        assertThat(home.holdfast("server", "status").run()).isEqualTo(new Cli.Result(1, "not running\n", ""));
        assertThat(home.holdfast("server", "stop").run()).isEqualTo(new Cli.Result(0, "not running\n", ""));
        try (Cli holder = home.holdfast("run", "x", "--", "sh", "-c", "echo held; read line")
                .start()) {
            holder.awaitOut("held");
            ServerState state = home.state();
            assertThat(home.holdfast("server", "status").run().out())
                    .matches("redis://127.0.0.1:" + state.port() + ", process " + state.pid()
                            + ", idle for [0-9]+ s, ends after 60 s\n");
            assertThat(home.holdfast("server", "stop").run())
                    .isEqualTo(new Cli.Result(
                            75, "", "holdfast: lock 'x' is in use; --force stops the server all the same\n"));
            holder.send("go");
            assertThat(holder.result().code()).isZero();
        }
        assertThat(home.holdfast("server", "stop").run()).isEqualTo(new Cli.Result(0, "stopped\n", ""));
        assertThat(home.servers()).isEmpty();
        assertThat(home.supervisors()).isEmpty();
        assertThat(home.holdfast("server", "status").run().code()).isEqualTo(1);
    }

    @Test
    void stop_seesTheLocksOfEveryPrefix() {
        try (Cli here = home.holdfast("run", "x", "--", "sh", "-c", "echo held; read line")
                        .start();
                Cli there = home.holdfast("run", "--prefix", "c[i]:", "y", "--", "sh", "-c", "echo held; read line")
                        .start()) {
            here.awaitOut("held");
            there.awaitOut("held");
            assertThat(home.holdfast("server", "stop").run().err()).contains("lock 'y' and 1 more are in use");
            here.send("go");
            assertThat(here.result().code()).isZero();
            assertThat(home.holdfast("server", "stop").run())
                    .isEqualTo(new Cli.Result(
                            75, "", "holdfast: lock 'y' is in use; --force stops the server all the same\n"));
            there.send("go");
            assertThat(there.result().code()).isZero();
        }
        assertThat(home.holdfast("server", "stop").run()).isEqualTo(new Cli.Result(0, "stopped\n", ""));
    }

    @Test
    void idleTime_thatIsNoNumber_isRefused() {
        Cli.Result result = home.holdfast("run", "x", "--", "true")
                .with("HOLDFAST_EMBEDDED_IDLE", "soon")
                .run();
        assertThat(result.code()).isEqualTo(64);
        assertThat(result.err()).contains("HOLDFAST_EMBEDDED_IDLE is 'soon', not a number of seconds");
    }
}
