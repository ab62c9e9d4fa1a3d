package io.holdfast.servers;

import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.servers.RedisServer.Version;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedisServerIT {
    private final RedisServer shared = RedisServer.start();

    @BeforeEach
    void sharedServerIsEmpty() {
        shared.flushAll();
        assertThat(shared.keys()).isEmpty();
    }

    @AfterAll
    void stopShared() {
        shared.close();
        assertThat(shared.isRunning()).isFalse();
        assertThat(shared.dir()).doesNotExist();
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void start_ofAVersion_answersAsThatVersion(Version version) {
        try (RedisServer redis = RedisServer.start(version)) {
            String prefix = version == Version.V7_0 ? "7.0.15" : "6.2.";
            assertThat(redis.info("server").get("redis_version")).startsWith(prefix);
            assertThat(redis.info("server")).containsEntry("process_id", Long.toString(redis.pid()));
            assertThat(redis.uri()).isEqualTo("redis://127.0.0.1:" + redis.port());
            assertThat(redis.port()).isLessThan(32768);
            redis.command("DEBUG", "SLEEP", "0");
        }
    }

    @Test
    void start_ofManyAtOnce_givesEachItsOwnPort() {
        List<RedisServer> servers = IntStream.range(0, 8)
                .parallel()
                .mapToObj(i -> RedisServer.start())
                .toList();
        try {
            assertThat(servers.stream().map(RedisServer::port).distinct()).hasSize(8);
            assertThat(servers).allMatch(RedisServer::isRunning);
        } finally {
            servers.forEach(RedisServer::close);
        }
    }

    @Test
    void start_ofAProgramOfOnesOwn_runsThatOne(@TempDir Path folder) throws Exception {
        Path own = Files.copy(RedisBinary.of(Version.V7_0), folder.resolve("my-redis"), COPY_ATTRIBUTES);

        try (RedisServer redis = RedisServer.builder().program(own).start()) {
            assertThat(redis.info("server")).containsEntry("executable", own.toString());
        }
    }

    @Test
    void start_withABadConfiguration_failsWithTheLog() {
        assertThatThrownBy(() -> RedisServer.builder().config("nonsense", "1").start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("before it was ready")
                .hasMessageContaining("nonsense 1");
    }

    @Test
    void start_onATakenPort_failsWithTheLog() throws Exception {
        try (ServerSocket taken = FreePort.listen()) {
            assertThatThrownBy(() ->
                            RedisServer.builder().port(taken.getLocalPort()).start())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(" in use");
        }
    }

    @Test
    void start_onThePortOfAnotherServer_doesNotTakeItForItself() {
        assertThatThrownBy(() -> RedisServer.builder().port(shared.port()).start())
                .isInstanceOf(IllegalStateException.class);
        assertThat(shared.isRunning()).isTrue();
    }

    @Test
    void start_inAThreadThatEnds_leavesTheServerRunning() throws Exception {
        RedisServer[] started = new RedisServer[1];
        Thread thread = new Thread(() -> started[0] = RedisServer.start());
        thread.start();
        thread.join();
        try (RedisServer redis = Objects.requireNonNull(started[0])) {
            assertThat(redis.command("PING")).isEqualTo("PONG");
            assertThat(redis.isRunning()).isTrue();
        }
    }

    @Test
    void command_ofEachKind_returnsItsType() {
        assertThat(shared.command("SET", "a", "grün")).isEqualTo("OK");
        assertThat(shared.command("GET", "a")).isEqualTo("grün");
        assertThat(shared.command("GET", "missing")).isNull();
        assertThat(shared.command("INCR", "n")).isEqualTo(1L);
        assertThat(shared.command("MGET", "a", "missing")).isEqualTo(Arrays.asList("grün", null));
        assertThat(shared.command("EVAL", "return {1,{2,'x'}}", "0")).isEqualTo(List.of(1L, List.of(2L, "x")));
        assertThat(shared.keys()).containsExactly("a", "n");
    }

    @Test
    void command_refusedByTheServer_throwsItsMessage() {
        shared.command("SET", "a", "1");
        assertThatThrownBy(() -> shared.command("LPUSH", "a", "x"))
                .isInstanceOfSatisfying(
                        RespError.class, error -> assertThat(error.code()).isEqualTo("WRONGTYPE"))
                .hasMessageContaining("wrong kind of value");
        assertThat(shared.command("GET", "a")).isEqualTo("1");
    }

    @Test
    void command_afterItsConnectionWasKilled_usesANewOne() {
        shared.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        try (Resp killer = Resp.connect("127.0.0.1", shared.port())) {
            killer.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        }
        assertThat(shared.command("PING")).isEqualTo("PONG");
        assertThat(shared.command("CLIENT", "GETNAME")).isEqualTo(RedisServer.ADMIN_NAME);
    }

    @Test
    void config_maxmemory_refusesWritesWhenFull() {
        try (RedisServer redis =
                RedisServer.builder().config("maxmemory", "2mb").start()) {
            assertThatThrownBy(() -> IntStream.range(0, 10_000)
                            .forEach(i -> redis.command("SET", "key" + i, "x".repeat(10_000))))
                    .isInstanceOfSatisfying(
                            RespError.class, e -> assertThat(e.code()).isEqualTo("OOM"));
            assertThat(redis.usedMemory()).isGreaterThan(1_000_000);
        }
    }

    @Test
    void password_isAskedForAndStandsInTheUri() {
        try (RedisServer redis = RedisServer.builder().password("s3cret").start();
                Resp stranger = Resp.connect("127.0.0.1", redis.port())) {
            assertThat(redis.uri()).isEqualTo("redis://:s3cret@127.0.0.1:" + redis.port());
            assertThat(redis.command("PING")).isEqualTo("PONG");
            assertThatThrownBy(() -> stranger.call("GET", "a")).hasMessageStartingWith("NOAUTH");
        }
    }

    @Test
    void port_andDir_areKept(@TempDir Path dir) {
        int port = FreePort.find();
        try (RedisServer redis = RedisServer.builder().port(port).dir(dir).start()) {
            assertThat(redis.port()).isEqualTo(port);
            redis.command("SAVE");
        }
        assertThat(dir.resolve("dump.rdb")).exists();
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void tls_isSpokenWithTheTestCertificate(Version version) {
        try (RedisServer redis =
                RedisServer.builder().version(version).tls().password("s3cret").start()) {
            assertThat(redis.uri()).isEqualTo("rediss://:s3cret@127.0.0.1:" + redis.port());
            assertThat(redis.command("SET", "a", "1")).isEqualTo("OK");
            assertThat(redis.command("GET", "a")).isEqualTo("1");
            assertThat(redis.certificate().trustStore()).exists();
            assertThat(redis.certificate().keyStore()).exists();
            assertThatThrownBy(() -> {
                        try (Resp plain = Resp.connect("127.0.0.1", redis.port())) {
                            plain.call("PING");
                        }
                    })
                    .isInstanceOf(UncheckedIOException.class);
        }
    }

    @Test
    void certificate_ofAPlainServer_isRefused() {
        assertThatThrownBy(() -> shared.certificate()).hasMessageContaining("without tls()");
    }

    @Test
    void restart_losesMemory() {
        try (RedisServer redis = RedisServer.start()) {
            redis.command("SET", "a", "1");
            long before = redis.pid();
            redis.restart();
            assertThat(redis.keys()).isEmpty();
            assertThat(redis.pid()).isNotEqualTo(before);
            assertThat(redis.info("server")).containsEntry("tcp_port", Integer.toString(redis.port()));
        }
    }

    @Test
    void restart_afterKill9OfAPersistentServer_hasEveryWrite() {
        try (RedisServer redis = RedisServer.builder().persistent().start()) {
            redis.command("SET", "a", "1");
            redis.kill9();
            assertThat(redis.isRunning()).isFalse();
            redis.restart();
            assertThat(redis.command("GET", "a")).isEqualTo("1");
        }
    }

    @Test
    void restart_afterSave_comesFromTheOldSnapshot() {
        try (RedisServer redis = RedisServer.start()) {
            redis.command("SET", "a", "old");
            redis.command("SAVE");
            redis.command("SET", "a", "new");
            redis.restart();
            assertThat(redis.command("GET", "a")).isEqualTo("old");
        }
    }

    @Test
    void kill9_refusesCommandsWithTheServersName() {
        try (RedisServer redis = RedisServer.start()) {
            redis.command("PING");
            redis.kill9();
            assertThatThrownBy(() -> redis.command("PING"))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining(Integer.toString(redis.port()));
        }
    }

    @Test
    void stop_isGraceful() throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            redis.stop();
            assertThat(redis.isRunning()).isFalse();
            assertThat(Files.readString(redis.dir().resolve("redis.log"))).contains("bye bye");
            redis.stop();
            redis.restart();
            assertThat(redis.isRunning()).isTrue();
        }
    }

    @Test
    void stop_ofAPausedServer_endsIt() {
        try (RedisServer redis = RedisServer.start()) {
            redis.pause();
            redis.stop();
            assertThat(redis.isRunning()).isFalse();
        }
    }

    @Test
    void pause_keepsConnectionsOpenAndSilentUntilResume() {
        try (RedisServer redis = RedisServer.start();
                Resp client = Resp.connect("127.0.0.1", redis.port(), Duration.ofMillis(200), null)) {
            client.call("PING");
            redis.pause();
            client.send("INCR", "a");
            assertThatThrownBy(client::read)
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("no reply in time");
            redis.resume();
            redis.waitUntilReady();
            assertThat(client.read()).isEqualTo(1L);
        }
    }

    @Test
    void pause_ofAnEndedServer_isRefused() {
        try (RedisServer redis = RedisServer.start()) {
            redis.kill9();
            assertThatThrownBy(redis::pause).hasMessageContaining("has ended");
        }
    }

    @Test
    void killClients_closesCommandAndSubscriberConnections() {
        try (Resp normal = Resp.connect("127.0.0.1", shared.port());
                Resp subscriber = Resp.connect("127.0.0.1", shared.port())) {
            normal.call("PING");
            subscriber.call("SUBSCRIBE", "news");
            assertThat(shared.killClients()).isEqualTo(2);
            assertThatThrownBy(normal::read).isInstanceOf(UncheckedIOException.class);
            assertThatThrownBy(subscriber::read).isInstanceOf(UncheckedIOException.class);
        }
        assertThat(shared.command("PING")).isEqualTo("PONG");
    }

    @Test
    void commandStats_countCalls() {
        shared.command("CONFIG", "RESETSTAT");
        shared.command("SET", "a", "1");
        shared.command("SET", "a", "2");
        assertThat(shared.commandStats()).containsEntry("set", 2L);
    }

    @Test
    void waitUntilReady_whileLoading_waitsForTheData() {
        try (RedisServer redis =
                RedisServer.builder().config("key-load-delay", "100").start()) {
            redis.command("DEBUG", "POPULATE", "2000");
            redis.command("SAVE");
            redis.restart();
            assertThat(redis.command("DBSIZE")).isEqualTo(2000L);
        }
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, disabledReason = "asks the dynamic linker of Linux")
    void environment_reachesTheServer() throws Exception {
        try (RedisServer redis = RedisServer.builder()
                .version(Version.V6_2)
                .environment("LD_DEBUG", "files")
                .start()) {
            assertThat(Files.readString(redis.dir().resolve("redis.log")))
                    .containsPattern("transferring control: .*redis-server");
        }
    }

    @Test
    void close_endsTheProcess() {
        RedisServer redis = RedisServer.start();
        long pid = redis.pid();
        redis.close();
        redis.close();
        await().atMost(ofSeconds(5))
                .until(() ->
                        ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
        assertThat(redis.dir()).doesNotExist();
    }
}
