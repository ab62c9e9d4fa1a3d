package io.holdfast.servers;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PrivateNetworkIT {
    private static final Duration PATIENCE = ofSeconds(30);
    /** For an answer that never comes. */
    private static final Duration SHORT = ofMillis(500);

    @BeforeAll
    static void thereCanBeOne() {
        assumeTrue(PrivateNetwork.whyNot().isEmpty(), PrivateNetwork.whyNot());
    }

    /** What this machine has of the networks of a process. */
    private static List<String> traces(long pid) throws IOException {
        try (Stream<Path> interfaces = Files.list(Path.of("/sys/class/net"));
                Stream<Path> namespaces = Files.list(Path.of("/run/netns"))) {
            return Stream.concat(interfaces, namespaces)
                    .map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> name.startsWith("hf" + pid + "n"))
                    .toList();
        }
    }

    private static String connect(JvmProcess client, RedisServer server, Duration patience) {
        client.send("connect " + server.host() + " " + server.port() + " " + patience.toMillis());
        return client.awaitLine("(connected|nothing).*", PATIENCE);
    }

    private static String ask(JvmProcess client, String command) {
        client.send("ask " + command);
        return client.awaitLine("(answer|nothing).*", PATIENCE);
    }

    /** Counts there, and returns how far it is, or why it does not know. */
    private static String count(JvmProcess client, RedisServer server, Duration patience) {
        String connected = connect(client, server, patience);
        return connected.equals("connected") ? ask(client, "INCR n") : connected;
    }

    @Test
    void messagesAreLost_inBothDirectionsOrOne_orRefused_untilTheNetworkIsHealed() throws IOException {
        PrivateNetwork network = PrivateNetwork.create();
        NetworkHost far = network.add("client");
        NetworkHost other = network.add("server");
        try (network;
                RedisServer server = RedisServer.builder().host(other).start();
                RedisServer near = RedisServer.builder().host(network.here()).start();
                JvmProcess client = JvmProcess.of(EchoMain.class).host(far).start()) {
            client.awaitLine("ready", PATIENCE);
            assertThat(server.uri()).isEqualTo("redis://" + other.address() + ":" + server.port());
            assertThat(count(client, server, PATIENCE)).isEqualTo("answer 1");
            assertThat(count(client, near, PATIENCE)).isEqualTo("answer 1");

            network.separate(far, other);
            assertThat(count(client, server, SHORT)).isEqualTo("nothing SocketTimeoutException");
            assertThat(count(client, near, PATIENCE)).as("others are in reach").isEqualTo("answer 2");
            assertThat(server.command("GET", "n"))
                    .as("and it is in the reach of others")
                    .isEqualTo("1");
            network.heal();
            assertThat(count(client, server, PATIENCE)).isEqualTo("answer 2");

            network.refuse(far, other);
            network.refuse(far, other);
            assertThat(count(client, server, PATIENCE)).isEqualTo("nothing ConnectException");
            network.heal();
            assertThat(count(client, server, PATIENCE)).isEqualTo("answer 3");

            assertThat(connect(client, server, ofSeconds(1))).isEqualTo("connected");
            network.drop(other, far);
            assertThat(ask(client, "INCR n")).isEqualTo("nothing SocketTimeoutException");
            await("the request got through, the reply does not")
                    .atMost(PATIENCE)
                    .until(() -> "4".equals(server.command("GET", "n")));
            network.heal();
            assertThatThrownBy(() -> network.refuse(NetworkHost.LOOPBACK, other))
                    .hasMessage("127.0.0.1 was not added to this network");
            assertThat(traces(ProcessHandle.current().pid())).hasSize(4);
        }
        assertThat(traces(ProcessHandle.current().pid())).isEmpty();
    }

    @Test
    void networkOfAProcessThatWasKilled_isTakenDownByTheNext() throws IOException {
        long pid;
        try (JvmProcess process = JvmProcess.of(EchoMain.class).start()) {
            process.send("network");
            process.awaitLine("network", PATIENCE);
            pid = process.pid();
            assertThat(traces(pid)).hasSize(3);
            try (PrivateNetwork mine = PrivateNetwork.create()) {
                assertThat(mine.here().address()).startsWith("198.1");
                assertThat(traces(pid)).as("it lives").hasSize(3);
            }
        }
        PrivateNetwork.create().close();
        assertThat(traces(pid)).isEmpty();
    }

    @Test
    @Tag("slow")
    void masterWithoutItsFellows_isReplaced_andStillAnswers() {
        try (PrivateNetwork network = PrivateNetwork.create();
                RedisSentinels sentinels = RedisSentinels.start(network)) {
            RedisServer before = sentinels.master();
            sentinels.servers().forEach(each -> separate(network, before, each));
            sentinels.sentinels().forEach(each -> separate(network, before, each));
            RedisServer after = sentinels.awaitFailoverFrom(before);
            assertThat(before.command("SET", "a", "1")).isEqualTo("OK");
            assertThat(after.command("SET", "a", "2")).isEqualTo("OK");
            network.heal();
            sentinels.heal();
            assertThat(before.command("GET", "a")).as("it follows the new one").isEqualTo("2");
        }
    }

    @Test
    @Tag("slow")
    void nodeWithoutItsFellows_isReplaced_andAnswersNoMore() {
        try (PrivateNetwork network = PrivateNetwork.create();
                RedisCluster cluster = RedisCluster.start(network)) {
            int slot = cluster.slot("a");
            RedisServer before = cluster.masterOf(slot);
            cluster.nodes().forEach(each -> separate(network, before, each));
            RedisServer after = cluster.awaitFailoverFrom(before, slot);
            assertThat(after.command("SET", "a", "2")).isEqualTo("OK");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThatThrownBy(() -> before.command("SET", "a", "1"))
                            .hasMessageStartingWith("CLUSTERDOWN"));
            network.heal();
            cluster.heal();
            assertThat(cluster.masterOf(slot)).isSameAs(after);
        }
    }

    private static void separate(PrivateNetwork network, RedisServer one, RedisServer other) {
        if (one != other) {
            network.separate(one.host(), other.host());
        }
    }
}
