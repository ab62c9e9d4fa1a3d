package io.holdfast.redis.api;

import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.LeastRights;
import io.holdfast.redis.RedisStore;
import io.holdfast.servers.JvmProcess;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisSentinels;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TestCertificate;
import io.holdfast.testkit.Faults;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sentinels and a cluster over TLS, with users, from a JVM that trusts their certificate and from one that does not. */
@Tag("slow")
class ManyServersTlsIT {
    /** The first handshake of a JVM takes its time on a busy machine. */
    private static Holdfast patient(String uri) {
        return Holdfast.builder().uri(uri).commandTimeout(ofSeconds(20)).build();
    }

    /** Hands a lock over at each address, and tells in one line how it went. */
    static final class User {
        private User() {}

        public static void main(String[] uris) throws Exception {
            for (String uri : uris) {
                try (Holdfast locks = patient(uri);
                        Holdfast others = patient(uri)) {
                    DistributedLock lock = locks.lock("a");
                    boolean locked = lock.tryLock();
                    Future<Boolean> waiter = Crowd.start(() -> others.lock("a").tryLock(20, SECONDS));
                    System.out.println("locked " + locked + ", health "
                            + locks.health().reachable() + ", unlocked " + lock.unlock() + ", waiter "
                            + Crowd.get(waiter));
                } catch (LockException e) {
                    System.out.println("failed " + e);
                }
            }
            System.out.println("done");
        }
    }

    private static List<String> run(String... uris) {
        try (JvmProcess jvm = JvmProcess.of(User.class)
                .options(
                        "-Djavax.net.ssl.trustStore=" + TestCertificate.get().trustStore(),
                        "-Djavax.net.ssl.trustStorePassword="
                                + TestCertificate.get().password())
                .arguments(uris)
                .start()) {
            jvm.awaitLine("done", ofSeconds(60));
            return jvm.lines().stream()
                    .filter(line -> line.startsWith("locked") || line.startsWith("failed"))
                    .toList();
        }
    }

    private static void allow(List<RedisServer> servers, String password, LeastRights rights) {
        List<String> command = new ArrayList<>(List.of("ACL", "SETUSER", "app", "reset", "on", ">" + password));
        command.addAll(rights.scope());
        command.addAll(rights.commands());
        servers.forEach(server -> server.command(command.toArray(String[]::new)));
    }

    private static final String GOOD = "locked true, health true, unlocked true, waiter true";

    @Test
    @Faults(21)
    void sentinels() {
        try (RedisSentinels sentinels = RedisSentinels.startSecured("server-word", "sentinel-word")) {
            String uri = sentinels.uri().replace("://", "://app:server-secret@")
                    + "?sentinelUser=app&sentinelPassword=sentinel-secret";
            assertThat(uri).startsWith("rediss-sentinel://");
            allow(sentinels.servers(), "server-secret", LeastRights.of(uri, "distributed_lock:"));
            allow(sentinels.sentinels(), "sentinel-secret", LeastRights.ofSentinels());

            List<String> lines = run(
                    uri,
                    uri.replace("127.0.0.1", "127.0.0.2"),
                    uri.replace("server-secret", "bad-secret"),
                    uri.replace("sentinel-secret", "bad-secret"));

            String sentinel =
                    "rediss://127.0.0.1:" + sentinels.sentinels().get(0).port();
            String master = "rediss://127.0.0.1:" + sentinels.master().port();
            assertThat(lines).hasSize(4).allSatisfy(line -> assertThat(line).doesNotContain("-secret"));
            assertThat(lines.get(0)).isEqualTo(GOOD);
            assertThat(lines.get(1))
                    .as("a Sentinel's certificate is for another host")
                    .startsWith("failed io.holdfast.StoreUnavailableException: lock 'a': cannot reach"
                            + " rediss-sentinel://127.0.0.2:")
                    .contains(sentinel.replace("127.0.0.1", "127.0.0.2"))
                    .contains("No subject alternative names matching IP address 127.0.0.2");
            assertThat(lines.get(2))
                    .as("the server refuses the password")
                    .startsWith("failed io.holdfast.StoreRefusedException: lock 'a': ")
                    .contains(master + " answered 'WRONGPASS")
                    .doesNotContain(sentinel + " answered");
            assertThat(lines.get(3))
                    .as("the Sentinels refuse the password")
                    .startsWith("failed io.holdfast.StoreRefusedException: lock 'a': ")
                    .contains(sentinel + " answered 'WRONGPASS")
                    .doesNotContain(master + " answered");
            assertContextIsUsed(uri);
            assertNobodyVouches(uri, sentinel);
        }
    }

    @Test
    @Faults(21)
    void cluster() {
        try (RedisCluster cluster = RedisCluster.startSecured("server-word")) {
            String uri = cluster.uri().replace("://", "://app:server-secret@");
            assertThat(uri).startsWith("rediss-cluster://");
            allow(cluster.nodes(), "server-secret", LeastRights.of(uri, "distributed_lock:"));

            List<String> lines =
                    run(uri, uri.replace("127.0.0.1", "127.0.0.2"), uri.replace("server-secret", "bad-secret"));

            String node = "rediss://127.0.0.1:" + cluster.nodes().get(0).port();
            assertThat(lines).hasSize(3).allSatisfy(line -> assertThat(line).doesNotContain("-secret"));
            assertThat(lines.get(0)).isEqualTo(GOOD);
            assertThat(lines.get(1))
                    .as("a certificate for another host")
                    .startsWith("failed io.holdfast.StoreUnavailableException: lock 'a': cannot reach"
                            + " rediss-cluster://127.0.0.2:")
                    .contains(node.replace("127.0.0.1", "127.0.0.2"))
                    .contains("No subject alternative names matching IP address 127.0.0.2");
            assertThat(lines.get(2))
                    .as("the password is refused")
                    .startsWith("failed io.holdfast.StoreRefusedException: lock 'a': ")
                    .contains(node + " answered 'WRONGPASS");
            assertContextIsUsed(uri);
            assertNobodyVouches(uri, node);
        }
    }

    /** By this JVM, which does not trust the servers by itself. */
    private static void assertContextIsUsed(String uri) {
        try (Holdfast locks = Holdfast.builder()
                .store(RedisStore.overTls(uri, TestCertificate.get().clientContext(), new SSLParameters()))
                .commandTimeout(ofSeconds(20))
                .build()) {
            assertThat(locks.lock("a").tryLock()).isTrue();
            assertThat(locks.lock("a").unlock()).isTrue();
        }
    }

    private static void assertNobodyVouches(String uri, String asked) {
        try (Holdfast locks = patient(uri)) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> locks.lock("a").tryLock())
                    .withMessageContaining(asked)
                    .withMessageContaining("unable to find valid certification path")
                    .satisfies(e -> assertThat(e.toString()).doesNotContain("-secret"));
        }
    }
}
