package io.holdfast.redis.api;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.redis.FiveServers;
import io.holdfast.redis.LeastRights;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisSentinels;
import io.holdfast.servers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The least rights are enough on a cluster and behind Sentinels too. */
class ManyServersAccessIT {
    private static void allow(List<RedisServer> servers, LeastRights rights) {
        List<String> command = new ArrayList<>(List.of("ACL", "SETUSER", "app", "reset", "on", ">sesame"));
        command.addAll(rights.scope());
        command.addAll(rights.commands());
        servers.forEach(server -> {
            server.command(command.toArray(String[]::new));
            server.command("ACL", "LOG", "RESET");
        });
    }

    /** Which life of a server this is, is asked in vain, and not needed. */
    private static void assertNothingElseWasDenied(List<RedisServer> servers) {
        assertThat(servers)
                .allSatisfy(server -> assertThat(AccessList.denied(server))
                        .as("denied at port " + server.port())
                        .isSubsetOf("info"));
    }

    private static void handOn(String uri, String name) throws Exception {
        try (Holdfast one = Holdfast.connect(uri);
                Holdfast two = Holdfast.connect(uri)) {
            Lease lease = one.lock(name).acquire(ZERO);
            Future<Lease> waiter = Crowd.start(() -> two.lock(name).acquire(ofSeconds(20)));
            lease.extend(ofSeconds(60));
            assertThat(one.inspect("*")).hasSize(1);
            assertThat(lease.release()).isTrue();
            assertThat(Crowd.get(waiter).release()).isTrue();
        }
    }

    @Test
    void cluster_alsoWhileASlotIsMoved() throws Exception {
        try (RedisCluster cluster = RedisCluster.start()) {
            String uri = cluster.uri().replace("://", "://app:sesame@");
            allow(cluster.nodes(), LeastRights.of(uri, "distributed_lock:"));

            handOn(uri, "a");
            int slot = cluster.slot("distributed_lock:a");
            RedisServer from = cluster.masterOf(slot);
            RedisServer to = cluster.masters().stream()
                    .filter(master -> master != from)
                    .findFirst()
                    .orElseThrow();
            try (Holdfast locks = Holdfast.connect(uri)) {
                Lease lease = locks.lock("a").acquire(ZERO);
                RedisCluster.SlotMove move = cluster.beginMove(slot, to).moveKeys();
                lease.extend(ofSeconds(60));
                move.finish();
                assertThat(lease.release()).isTrue();
            }

            assertThat(to.commandStats()).containsKey("asking");
            assertNothingElseWasDenied(cluster.nodes());
        }
    }

    @Test
    void sentinel_onTheServersAndOnTheSentinels() throws Exception {
        try (RedisSentinels sentinels = RedisSentinels.start()) {
            String uri = sentinels.uri().replace("://", "://app:sesame@") + "?sentinelUser=app&sentinelPassword=sesame";
            allow(sentinels.servers(), LeastRights.of(uri, "distributed_lock:"));
            allow(sentinels.sentinels(), LeastRights.ofSentinels());

            handOn(uri, "a");

            assertThat(sentinels.master().commandStats()).containsKey("role");
            assertNothingElseWasDenied(sentinels.servers());
            assertThat(sentinels.sentinels())
                    .allSatisfy(
                            sentinel -> assertThat(AccessList.denied(sentinel)).isEmpty());
        }
    }

    @Test
    void quorum_onEveryServer() throws Exception {
        try (FiveServers five = new FiveServers()) {
            five.vouched(ofSeconds(60));
            String uri = five.uri("?maxLease=60s&nodeTimeout=400ms").replace("://", "://app:sesame@");
            allow(five.servers(), LeastRights.of(uri, "distributed_lock:"));

            handOn(uri, "a");

            assertThat(five.servers())
                    .allSatisfy(server -> assertThat(AccessList.denied(server)).isEmpty());
        }
    }
}
