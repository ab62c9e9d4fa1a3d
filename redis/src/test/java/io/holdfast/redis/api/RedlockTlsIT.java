package io.holdfast.redis.api;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.redis.RedlockServers;
import io.holdfast.redis.RedlockStore;
import io.holdfast.servers.JvmProcess;
import io.holdfast.servers.RedisServer;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A quorum over TLS, with a password. */
class RedlockTlsIT {
    private static final String PASSWORD = "changeit";

    /** Takes a lock, hands it over, and tells how it went. */
    static final class User {
        private User() {}

        public static void main(String[] uris) throws Exception {
            RedlockServers servers = RedlockStore.on(uris).nodeTimeout(Duration.ofMillis(500));
            servers.vouch("distributed_lock:");
            try (Holdfast locks = Holdfast.builder().store(servers).build();
                    Holdfast others = Holdfast.builder().store(servers).build()) {
                DistributedLock lock = locks.lock("a");
                lock.lock();
                System.out.println("locked " + lock.isHeldByCurrentThread());
                Future<Boolean> waiter =
                        Crowd.start(() -> others.lock("a").tryLock(20, java.util.concurrent.TimeUnit.SECONDS));
                System.out.println("unlocked " + lock.unlock());
                System.out.println("waiter " + Crowd.get(waiter));
            }
            System.out.println("done");
        }
    }

    @Test
    void trustedServers_makeAQuorum(@TempDir Path folder) throws Exception {
        List<RedisServer> servers = Stream.generate(
                        () -> RedisServer.builder().tls().password("sesame").start())
                .limit(3)
                .toList();
        try (JvmProcess jvm = JvmProcess.of(User.class)
                .options(
                        "-Djavax.net.ssl.trustStore=" + trustOfAll(servers, folder.resolve("trust")),
                        "-Djavax.net.ssl.trustStorePassword=" + PASSWORD)
                .arguments(servers.stream().map(RedisServer::uri).toArray(String[]::new))
                .start()) {
            jvm.awaitLine("done", ofSeconds(40));
            assertThat(jvm.lines()).contains("locked true", "unlocked true", "waiter true");
        } finally {
            servers.forEach(RedisServer::close);
        }
    }

    private static Path trustOfAll(List<RedisServer> servers, Path file) throws Exception {
        KeyStore all = KeyStore.getInstance("PKCS12");
        all.load(null, null);
        for (RedisServer server : servers) {
            KeyStore one = KeyStore.getInstance(
                    server.certificate().trustStore().toFile(),
                    server.certificate().password().toCharArray());
            for (String alias : Collections.list(one.aliases())) {
                all.setCertificateEntry(alias + server.port(), one.getCertificate(alias));
            }
        }
        try (OutputStream out = Files.newOutputStream(file)) {
            all.store(out, PASSWORD.toCharArray());
        }
        return file;
    }
}
