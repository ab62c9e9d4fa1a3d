package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.servers.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Signals to the command: the program is stopped, the lock released. */
class SignalIT {
    private static RedisServer redis;

    @BeforeAll
    static void startRedis() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    private static Cli start(String lock, String script, String... options) {
        String[] arguments = new String[options.length + 6];
        arguments[0] = "run";
        System.arraycopy(options, 0, arguments, 1, options.length);
        String[] rest = {lock, "--", "sh", "-c", script};
        System.arraycopy(rest, 0, arguments, options.length + 1, rest.length);
        return Cli.holdfast(arguments).with("HOLDFAST_STORE", redis.uri()).start();
    }

    @ParameterizedTest
    @CsvSource({"TERM,143", "INT,130", "HUP,129"})
    void signal_stopsTheProgram_andReleases(String signal, int code) {
        try (Cli cli = start("signal", "trap 'echo stopped; exit 0' TERM; echo held; read line")) {
            cli.awaitOut("held");
            cli.signal(signal);
            assertThat(cli.result()).isEqualTo(new Cli.Result(code, "held\nstopped\n", ""));
            assertThat(redis.keys()).doesNotContain("distributed_lock:signal");
        }
    }

    @Test
    void signal_toAProgramThatIgnoresIt_killsItAfterTheGraceTime() {
        try (Cli cli = start("stubborn", "trap '' TERM; echo pid $$.; read line", "--grace", "400ms")) {
            long pid = Long.parseLong(cli.awaitOut("pid ([0-9]+)\\."));
            long sent = System.nanoTime();
            cli.signal("TERM");
            assertThat(cli.result().code()).isEqualTo(143);
            assertThat(Duration.ofNanos(System.nanoTime() - sent)).isGreaterThan(Duration.ofMillis(400));
            assertThat(Signals.isAlive(pid)).isFalse();
            assertThat(redis.keys()).doesNotContain("distributed_lock:stubborn");
        }
    }

    @Test
    void signal_stopsDescendantsToo() {
        try (Cli cli = start("family", "sh -c 'sleep 100 & echo pid $!.; wait' & wait")) {
            long grandchild = Long.parseLong(cli.awaitOut("pid ([0-9]+)\\."));
            cli.signal("TERM");
            assertThat(cli.result().code()).isEqualTo(143);
            assertThat(Signals.isAlive(grandchild)).isFalse();
        }
    }

    @Test
    void signal_whileWaiting_leavesTheQueue() {
        try (Cli holder = start("queue", "echo held; read line");
                Cli waiter = startWaiter(holder)) {
            waiter.signal("TERM");
            assertThat(waiter.result()).isEqualTo(new Cli.Result(143, "", ""));
            assertThat(redis.keys()).noneMatch(SignalIT::isQueue);
            holder.send("go");
            assertThat(holder.result().code()).isZero();
        }
    }

    private static Cli startWaiter(Cli holder) {
        holder.awaitOut("held");
        Cli waiter = start("queue", "echo never");
        await().until(() -> redis.keys().stream().anyMatch(SignalIT::isQueue));
        return waiter;
    }

    private static boolean isQueue(String key) {
        return key.contains("~queue:{distributed_lock:queue}");
    }

    @Test
    void sigkill_leavesTheProgramRunning_andTheLockFreeAfterTheLease() {
        try (Cli cli = start("orphan", "echo pid $$.; exec sleep 100", "--lease", "4s")) {
            long pid = Long.parseLong(cli.awaitOut("pid ([0-9]+)\\."));
            cli.signal("KILL");
            assertThat(cli.result().code()).isEqualTo(137);
            try (Cli next = start("orphan", "echo next", "--wait", "15s")) {
                assertThat(next.result()).isEqualTo(new Cli.Result(0, "next\n", ""));
            }
            assertThat(Signals.isAlive(pid)).isTrue();
            Signals.send("KILL", pid);
        }
    }
}
