package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.redis.FiveServers;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisSentinels;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What weakens locks on a cluster, behind Sentinels and in a quorum, each told with its server. */
class ManyServersHealthIT {
    private static void makeSound(List<RedisServer> servers) {
        for (RedisServer server : servers) {
            server.command("CONFIG", "SET", "appendonly", "yes");
            server.command("CONFIG", "SET", "min-replicas-to-write", "1");
        }
    }

    @Test
    void cluster_isLookedAtNodeByNode() {
        try (RedisCluster cluster = RedisCluster.start();
                Holdfast locks = Holdfast.connect(cluster.uri())) {
            assertThat(locks.health().reachable()).isTrue();
            makeSound(cluster.nodes());
            until(() -> locks.health().warnings().isEmpty());

            RedisServer master = cluster.masters().get(0);
            master.command("CONFIG", "SET", "appendfsync", "everysec");
            assertThat(locks.health().warnings())
                    .singleElement()
                    .asString()
                    .startsWith("127.0.0.1:" + master.port() + ": appendfsync is everysec: ");

            master.command("CONFIG", "SET", "appendfsync", "always");
            cluster.replicaOf(master).kill9();
            String alone = "127.0.0.1:" + master.port() + ": this master has no replica: ";
            until(() -> locks.health().warnings().stream().anyMatch(warning -> warning.startsWith(alone)));
        }
    }

    @Test
    void sentinels_thatAreTooFewForAFailover_areWarnedAbout() {
        try (RedisSentinels sentinels = RedisSentinels.start();
                Holdfast locks = Holdfast.connect(sentinels.uri())) {
            makeSound(sentinels.servers());
            until(() -> locks.health().warnings().isEmpty());

            sentinels.sentinels().get(0).kill9();
            sentinels.sentinels().get(1).kill9();

            until(() -> locks.health().warnings().stream()
                    .anyMatch(warning ->
                            warning.contains("answered 'NOQUORUM") && warning.endsWith("; start the other Sentinels")));
            assertThat(locks.health().reachable()).isTrue();
        }
    }

    /** One that was restarted does not count for a while: which, and for how long. */
    @Test
    @Faults(29)
    void quorum_isLookedAtServerByServer_andThoseThatDoNotCountYetAreNamed() {
        try (FiveServers three = new FiveServers(3, RedisServer.Version.V7_0);
                Holdfast locks = Holdfast.connect(three.uri("?maxLease=60s"))) {
            for (RedisServer server : three.servers()) {
                server.command("CONFIG", "SET", "appendonly", "yes");
            }
            assertThat(locks.health().warnings())
                    .hasSize(3)
                    .allMatch(warning -> warning.contains("has been up for less than maxLease, 60000 ms"))
                    .allMatch(warning -> warning.matches(".*; it counts in ([1-9]|[1-5][0-9]|6[01]) s, .*"));

            three.vouched(ofSeconds(60));
            assertThat(locks.health().warnings()).isEmpty();

            RedisServer second = three.server(1);
            second.kill9();
            until(() -> !locks.health().warnings().isEmpty());
            second.restart();
            second.command("CONFIG", "SET", "appendonly", "yes");
            until(() -> locks.health().warnings().stream()
                    .anyMatch(warning -> warning.startsWith(
                            "redis://127.0.0.1:" + second.port() + ": the server has been up for less than maxLease")));
            assertThat(locks.health().reachable()).isTrue();
            assertThat(locks.health().warnings()).singleElement().asString().endsWith("may vouch for it");
        }
    }
}
