package io.holdfast.redis.api;

import static io.holdfast.redis.Until.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisSentinels;
import io.holdfast.servers.RedisServer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What weakens locks on a cluster and behind Sentinels, each told with its server. */
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
}
