package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is promised of {@code holdfast run} on a store that is named. */
class RunIT {
    private static final String PASSWORD = "s3cret-of-the-store";
    private static RedisServer redis;

    @BeforeAll
    static void startRedis() {
        redis = RedisServer.builder().password(PASSWORD).start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    private static Cli.Launch holdfast(String... arguments) {
        return Cli.holdfast(arguments).with("HOLDFAST_STORE", redis.uri());
    }

    /** Runs until it is sent a line. */
    private static Cli holder(String... arguments) {
        String[] whole = Stream.concat(
                        Stream.concat(Stream.of("run"), Stream.of(arguments)),
                        Stream.of("--", "sh", "-c", "echo held; read line"))
                .toArray(String[]::new);
        Cli cli = holdfast(whole).start();
        cli.awaitOut("held");
        return cli;
    }

    private static boolean isLocked(String name) {
        return redis.keys().contains("distributed_lock:" + name);
    }

    // --- the lock

    @Test
    void run_byManyProcesses_oneAtATime(@TempDir Path folder) {
        String overlap = "mkdir '" + folder + "/inside' || exit 9; sleep 0.05; rmdir '" + folder + "/inside'";
        List<Cli> all = IntStream.range(0, 6)
                .mapToObj(
                        i -> holdfast("run", "crowd", "--", "sh", "-c", overlap).start())
                .toList();
        assertThat(all).allSatisfy(cli -> {
            try (cli) {
                assertThat(cli.result()).isEqualTo(new Cli.Result(0, "", ""));
            }
        });
    }

    @Test
    void run_whileAnotherHolds_waitsForIt() {
        try (Cli holder = holder("handed-on");
                Cli next = holdfast("run", "handed-on", "--", "echo", "got it").start()) {
            await().until(() ->
                    redis.keys().stream().anyMatch(key -> key.contains("queue:{distributed_lock:handed-on")));
            assertThat(next.out()).isEmpty();
            holder.send("go");
            assertThat(next.result()).isEqualTo(new Cli.Result(0, "got it\n", ""));
            assertThat(holder.result().code()).isZero();
        }
    }

    /** As an application that sets {@code keyPrefix} does, whose lock this is to be. */
    @Test
    void run_withAPrefix_takesTheLockUnderIt() {
        try (Cli holder = holder("--prefix", "shop:", "stock")) {
            assertThat(redis.keys()).contains("shop:stock").doesNotContain("distributed_lock:stock");

            holder.send("go");
            assertThat(holder.result().code()).isZero();
            assertThat(redis.keys()).doesNotContain("shop:stock");
        }
    }

    @Test
    void run_whenDone_leavesNoLock() {
        assertThat(holdfast("run", "gone", "--", "true").run().code()).isZero();
        assertThat(isLocked("gone")).isFalse();
    }

    @Test
    void run_longerThanTheLease_keepsTheLock() {
        try (Cli holder = holder("--lease", "4s", "long")) {
            String owner = String.valueOf(redis.command("GET", "distributed_lock:long"));
            await().during(Duration.ofSeconds(5))
                    .atMost(Duration.ofSeconds(15))
                    .until(() -> owner.equals(redis.command("GET", "distributed_lock:long")));
            holder.send("go");
            assertThat(holder.result().code()).isZero();
        }
    }

    // --- the program

    @Test
    void run_givesNameAndRisingToken() {
        String show = "echo \"$HOLDFAST_LOCK $HOLDFAST_TOKEN\"";
        Cli.Result first = holdfast("run", "order:12 ä", "--", "sh", "-c", show).run();
        Cli.Result second =
                holdfast("run", "order:12 ä", "--", "sh", "-c", show).run();
        assertThat(first.out()).matches("order:12 ä [0-9]+\n");
        assertThat(token(second)).isGreaterThan(token(first));
    }

    private static long token(Cli.Result result) {
        return Long.parseLong(result.out().strip().replaceFirst(".* ", ""));
    }

    @Test
    void run_passesArgumentsOnAsTheyAre() {
        Cli.Result result = holdfast("run", "args", "--", "printf", "<%s>", "--wait", "@x", "--", "a b", "", "ä€", "-V")
                .run();
        assertThat(result.out()).isEqualTo("<--wait><@x><--><a b><><ä€><-V>");
    }

    @Test
    void run_inTheCLocale_passesArgumentsOnAsTheyAre() {
        Cli.Result result = holdfast("run", "ä", "--", "sh", "-c", "echo \"$1 $HOLDFAST_LOCK $LC_ALL\"", "sh", "ö")
                .with("LC_ALL", "C")
                .run();
        assertThat(result).isEqualTo(new Cli.Result(0, "ö ä C\n", ""));
    }

    @Test
    void run_connectsTheStreams() {
        try (Cli cli = holdfast("run", "streams", "--", "sh", "-c", "read line; echo \"out $line\"; echo err >&2")
                .start()) {
            cli.send("hello");
            assertThat(cli.result()).isEqualTo(new Cli.Result(0, "out hello\n", "err\n"));
        }
    }

    // --- exit codes

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 255})
    void run_passesTheExitCodeOn(int code) {
        assertThat(holdfast("run", "code", "--", "sh", "-c", "exit " + code).run())
                .isEqualTo(new Cli.Result(code, "", ""));
    }

    @Test
    void run_ofAProgramKilledByASignal_is128AndTheSignal() {
        assertThat(holdfast("run", "code", "--", "sh", "-c", "kill -KILL $$")
                        .run()
                        .code())
                .isEqualTo(128 + 9);
    }

    @Test
    void run_ofWhatIsNotThere_is127_andFreesTheLock() {
        assertThat(holdfast("run", "none", "--", "no-such-program").run())
                .isEqualTo(new Cli.Result(127, "", "holdfast: no-such-program: command not found\n"));
        assertThat(isLocked("none")).isFalse();
    }

    @Test
    void run_ofWhatIsNotExecutable_is126(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("plain"), "text");
        assertThat(holdfast("run", "plain", "--", file.toString()).run())
                .isEqualTo(new Cli.Result(126, "", "holdfast: " + file + " cannot be executed: permission denied\n"));
    }

    @Test
    void run_notObtainedInTime_is75() {
        try (Cli holder = holder("busy")) {
            assertThat(holdfast("run", "--wait", "300ms", "busy", "--", "echo", "never")
                            .run())
                    .isEqualTo(new Cli.Result(
                            75, "", "holdfast: lock 'busy' was not obtained within 300ms: another holds it\n"));
            assertThat(holdfast("run", "--wait", "0", "busy", "--", "echo", "never")
                            .run())
                    .isEqualTo(new Cli.Result(
                            75, "", "holdfast: lock 'busy' was not obtained at once: another holds it\n"));
            assertThat(holder.isRunning()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "500ms"})
    void run_withAStoreOutOfReach_is69(String wait) {
        // A port nobody listens on: reserved, and too low for anybody to be given it.
        Cli.Result result = holdfast(
                        "run", "--wait", wait, "--store", "redis://:pass-word@127.0.0.1:1", "x", "--", "echo", "never")
                .run();
        assertThat(result.code()).isEqualTo(69);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .startsWith("holdfast: lock 'x': cannot reach redis://127.0.0.1:1:")
                .doesNotContain("pass-word", "\tat ");
    }

    @Test
    void run_withAStoreThatDoesNotAnswer_is69_notHeldByAnother() {
        try (TcpProxy proxy = TcpProxy.to(redis.port())) {
            proxy.stall();
            String deaf = "redis://127.0.0.1:" + proxy.port();
            Cli.Result result = holdfast("run", "--wait", "200ms", "--store", deaf, "x", "--", "echo", "never")
                    .run();
            assertThat(result.code()).isEqualTo(69);
            assertThat(result.err()).contains(deaf).hasLineCount(1);
        }
    }

    @Test
    void run_withAStoreThatRefuses_is69_andDoesNotShowThePassword() {
        Cli.Result result = holdfast(
                        "run", "--store", "redis://:wr0ng-one@127.0.0.1:" + redis.port(), "x", "--", "echo", "never")
                .run();
        assertThat(result.code()).isEqualTo(69);
        assertThat(result.err())
                .contains("does not accept the user or the password")
                .doesNotContain("wr0ng-one");
    }

    static List<Arguments> wrongUsage() {
        return List.of(
                Arguments.of(List.of(), "say what to do"),
                Arguments.of(List.of("walk"), "walk"),
                Arguments.of(List.of("run"), "NAME"),
                Arguments.of(List.of("run", "x"), "no command"),
                Arguments.of(List.of("run", "x", "--"), "no command"),
                Arguments.of(List.of("run", "x", "true"), "true"),
                Arguments.of(List.of("run", "--", "true"), "NAME"),
                Arguments.of(List.of("run", "--wait", "10", "x", "--", "true"), "has no unit: write 10s"),
                Arguments.of(List.of("run", "--wait", "soon", "x", "--", "true"), "like 10s"),
                Arguments.of(List.of("run", "--lease", "5ms", "x", "--", "true"), "below the minimum of 100 ms"),
                Arguments.of(List.of("run", "--on-loss=cry", "x", "--", "true"), "neither terminate nor warn"),
                Arguments.of(List.of("run", "--frobnicate", "x", "--", "true"), "--frobnicate"),
                Arguments.of(List.of("run", "~x", "--", "true"), "must not start with '~'"),
                Arguments.of(List.of("run", "--prefix", "a{b}", "x", "--", "true"), "must not contain braces"),
                Arguments.of(List.of("run", "--store", "", "x", "--", "true"), "--store is empty"),
                Arguments.of(List.of("run", "--store", "memory:", "x", "--", "true"), "excludes nobody"),
                Arguments.of(List.of("run", "--store", "redis://:pw@:9", "x", "--", "true"), "redis://:***@:9"),
                Arguments.of(List.of("run", "--store", "localhost", "x", "--", "true"), "has no scheme"),
                Arguments.of(List.of("run", "--store", "ftp://h", "x", "--", "true"), "no store for"));
    }

    @ParameterizedTest
    @MethodSource("wrongUsage")
    void wrongUsage_is64_withOneSentence(List<String> arguments, String says) {
        Cli.Result result = holdfast(arguments.toArray(String[]::new)).run();
        assertThat(result.code()).isEqualTo(64);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).startsWith("holdfast: ").contains(says).hasLineCount(1);
    }

    // --- what it says

    @Test
    void help_isShortAndOnStdout() {
        Cli.Result all = Cli.holdfast("--help").run();
        assertThat(all.code()).isZero();
        assertThat(all.out())
                .contains("run", "locks", "release", "doctor", "server", "Example")
                .hasLineCount(15);
        Cli.Result run = Cli.holdfast("run", "--help").run();
        assertThat(run.code()).isZero();
        assertThat(run.out())
                .contains(
                        "--wait",
                        "--lease",
                        "--store",
                        "--prefix",
                        "--on-loss",
                        "--grace",
                        "64",
                        "69",
                        "75",
                        "76",
                        "SIGKILL");
        assertThat(run.out().lines())
                .hasSizeLessThan(50)
                .allSatisfy(line -> assertThat(line.length()).isLessThan(111));
        assertThat(Cli.holdfast("--version").run().out()).matches("holdfast [0-9]+\\.[0-9]+\\.[0-9]+.*\n");
    }

    @Test
    void verbose_showsTheStackTrace() {
        Cli.Result result = holdfast(
                        "run", "--verbose", "--wait", "0", "--store", "redis://127.0.0.1:1", "x", "--", "true")
                .run();
        assertThat(result.code()).isEqualTo(69);
        assertThat(result.err()).contains("StoreUnavailableException", "\tat io.holdfast");
    }
}
