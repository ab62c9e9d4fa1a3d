package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisSentinels;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is promised of {@code holdfast doctor}. */
class DoctorIT {
    private static final String PASSWORD = "s3cret-of-the-store";
    private static RedisServer sound;

    @BeforeAll
    static void startRedis() {
        sound = RedisServer.builder().password(PASSWORD).persistent().start();
    }

    @AfterAll
    static void stopRedis() {
        sound.close();
    }

    private static Cli.Result doctor(String uri, String... options) {
        String[] whole = new String[options.length + 1];
        whole[0] = "doctor";
        System.arraycopy(options, 0, whole, 1, options.length);
        return Cli.holdfast(whole).with("HOLDFAST_STORE", uri).run();
    }

    @Test
    void soundStore_is0_withAddressRoundTripAndRights_andNoPassword() {
        Cli.Result result = doctor(sound.uri(), "--prefix", "shop:");

        assertThat(result.code()).as(result.toString()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.out())
                .startsWith("store       redis://127.0.0.1:" + sound.port() + "\nround trip  ")
                .containsPattern("round trip  [0-9]+\\.[0-9] ms\n")
                .contains("\nnothing that weakens the locks\n")
                .contains(
                        "\nACL SETUSER <user> on ><password> resetkeys ~shop:* resetchannels &shop:~inbox:* -@all +eval ")
                .doesNotContain(PASSWORD);
        assertThat(sound.keys()).as("left as it was").isEmpty();
    }

    @Test
    void rightsThatItNames_areEnoughForRun() {
        String rule = doctor(sound.uri())
                .out()
                .lines()
                .filter(line -> line.startsWith("ACL SETUSER"))
                .findFirst()
                .orElseThrow();
        sound.command(
                rule.replace("<user>", "app").replace("<password>", "sesame").split(" "));

        Cli.Result result = Cli.holdfast("run", "x", "--", "echo", "held")
                .with("HOLDFAST_STORE", "redis://app:sesame@127.0.0.1:" + sound.port())
                .run();

        assertThat(result).isEqualTo(new Cli.Result(0, "held\n", ""));
        sound.flushAll();
    }

    @Test
    void storeWithWeaknesses_is1_andEachStandsThereWithItsRemedy() {
        try (RedisServer weak = RedisServer.builder()
                .config("maxmemory", "100mb")
                .config("maxmemory-policy", "allkeys-lru")
                .start()) {
            Cli.Result result = doctor(weak.uri());

            assertThat(result.code()).as(result.toString()).isEqualTo(1);
            assertThat(result.out().lines())
                    .containsSubsequence(
                            "- maxmemory-policy is allkeys-lru: when memory runs out the server may evict a lock that is"
                                    + " held, and two may hold it at once",
                            "  > set maxmemory-policy noeviction")
                    .anyMatch(line -> line.startsWith("- appendonly is no: "))
                    .noneMatch(line -> line.contains("nothing that weakens"));
        }
    }

    @Test
    void sentinels_areToldOfWhatWeakensTheLocks_andOfTheRightsOnServersAndSentinels() {
        try (RedisSentinels sentinels = RedisSentinels.start()) {
            Cli.Result result = doctor(sentinels.uri());

            assertThat(result.code()).as(result.toString()).isEqualTo(1);
            assertThat(result.out())
                    .startsWith("store       " + sentinels.uri() + "\nround trip  ")
                    .contains("appendonly is no: ", "min-replicas-to-write is 0: ")
                    .containsPattern("\nACL SETUSER <user> on ><password> resetkeys ~distributed_lock:\\* .*\\+role")
                    .containsPattern("\nACL SETUSER <user> on ><password> resetchannels &\\+switch-master .*"
                            + "\\+sentinel\\|get-master-addr-by-name");
        }
    }

    @Test
    void cluster_isToldOfWhatWeakensTheLocksOfEachMaster_andOfTheRights() {
        try (RedisCluster cluster = RedisCluster.start()) {
            Cli.Result result = doctor(cluster.uri());

            assertThat(result.code()).as(result.toString()).isEqualTo(1);
            assertThat(result.out())
                    .startsWith("store       " + cluster.uri() + "\nround trip  ")
                    .containsPattern("\nACL SETUSER <user> on ><password> resetkeys ~distributed_lock:\\* .*"
                            + "\\+cluster\\|slots \\+asking");
            cluster.masters()
                    .forEach(master -> assertThat(result.out())
                            .contains("127.0.0.1:" + master.port() + ": appendonly is no: ")
                            .contains("127.0.0.1:" + master.port() + ": min-replicas-to-write is 0: "));
        }
    }

    @Test
    void roundTripThatIsLongForTheLease_is1() {
        try (TcpProxy proxy = TcpProxy.to(sound.port())) {
            proxy.delayReplies(Duration.ofMillis(60));
            Cli.Result result = doctor("redis://:" + PASSWORD + "@127.0.0.1:" + proxy.port(), "--lease", "1s");

            assertThat(result.code()).as(result.toString()).isEqualTo(1);
            assertThat(result.out()).contains("- a round trip to the store takes ");
        }
    }

    @Test
    void storeOutOfReach_orThatRefuses_is69_andDoesNotShowThePassword() {
        Cli.Result nobody = doctor("redis://:pass-word@127.0.0.1:1");
        assertThat(nobody.code()).isEqualTo(69);
        assertThat(nobody.out()).isEmpty();
        assertThat(nobody.err())
                .startsWith("holdfast: cannot reach redis://127.0.0.1:1:")
                .hasLineCount(1)
                .doesNotContain("pass-word");

        Cli.Result stranger = doctor("redis://:wr0ng-one@127.0.0.1:" + sound.port());
        assertThat(stranger.code()).isEqualTo(69);
        assertThat(stranger.err())
                .contains("does not accept the user or the password")
                .doesNotContain("wr0ng-one");
    }

    /** Three servers that have just been started, of which one is not there: what a user of a quorum sees first. */
    @Test
    void quorum_isLookedAtServerByServer() {
        try (RedisServer one = RedisServer.builder().persistent().start();
                RedisServer two = RedisServer.builder().persistent().start()) {
            String addresses = "127.0.0.1:" + one.port() + ",127.0.0.1:" + two.port() + ",127.0.0.1:1";

            Cli.Result young = doctor("redlock://" + addresses);

            assertThat(young.code()).as(young.toString()).isEqualTo(1);
            assertThat(young.err()).isEmpty();
            assertThat(young.out())
                    .startsWith("store       redlock://" + addresses + "\nround trip  ")
                    .contains("\n- redis://127.0.0.1:1: cannot reach redis://127.0.0.1:1")
                    .containsPattern("\n- redis://127.0.0.1:" + one.port()
                            + ": the server has been up for less than maxLease, 60000 ms, and may have forgotten locks"
                            + " that are still held; it counts in [0-9]+ s, and until then")
                    .contains("\n  > who knows that no lock of before is held may vouch for it\n");

            for (RedisServer server : List.of(one, two)) {
                server.command(
                        "SET",
                        "distributed_lock:~vouched",
                        server.info("server").getOrDefault("run_id", "none"));
            }
            Cli.Result vouched = doctor("redlock://" + addresses);

            assertThat(vouched.code()).as(vouched.toString()).isEqualTo(1);
            assertThat(vouched.out())
                    .contains("cannot reach redis://127.0.0.1:1")
                    .doesNotContain("has been up for");

            two.kill9();
            Cli.Result gone = doctor("redlock://" + addresses);
            assertThat(gone.code()).as(gone.toString()).isEqualTo(69);
            assertThat(gone.err()).contains("127.0.0.1:" + two.port()).hasLineCount(1);
        }
    }

    static List<Arguments> wrongUsage() {
        return List.of(
                Arguments.of(List.of("doctor", "--lease", "10"), "has no unit"),
                Arguments.of(List.of("doctor", "--lease", "5ms"), "below the minimum of 100 ms"),
                Arguments.of(List.of("doctor", "--prefix", "a{b}"), "must not contain braces"),
                Arguments.of(List.of("doctor", "--store", "memory:"), "excludes nobody"),
                Arguments.of(List.of("doctor", "--store", "redis://:pw@:9"), "redis://:***@:9"),
                Arguments.of(List.of("doctor", "redis://:pass-word@h"), "redis://:***@h"),
                Arguments.of(List.of("locks", "--sotre=redis://u:pass-word@h/0"), "--sotre=redis://u:***@h/0"),
                Arguments.of(List.of("doctor", "x"), "x"));
    }

    @ParameterizedTest
    @MethodSource("wrongUsage")
    void wrongUsage_is64_withOneSentence(List<String> arguments, String says) {
        Cli.Result result = Cli.holdfast(arguments.toArray(String[]::new)).run();
        assertThat(result.code()).isEqualTo(64);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .startsWith("holdfast: ")
                .contains(says)
                .hasLineCount(1)
                .doesNotContain("pass-word");
    }

    @Test
    void password_isNotTold_whateverIsLogged() {
        for (List<String> command : List.of(
                List.of("run", "--verbose", "--wait", "0", "x", "--", "true"), List.of("doctor", "--verbose"))) {
            Cli.Result result = Cli.holdfast(command.toArray(String[]::new))
                    .with("HOLDFAST_STORE", "redis://app:wr0ng-one@127.0.0.1:" + sound.port())
                    .run();

            assertThat(result.code()).as(result.toString()).isEqualTo(69);
            assertThat(result.out() + result.err())
                    .contains("does not accept the user or the password")
                    .doesNotContain("wr0ng-one");
        }
    }
}
