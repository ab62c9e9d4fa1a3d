package io.holdfast.redis.api;

import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.RedisStore;
import io.holdfast.redis.SharedRedis;
import io.holdfast.servers.JvmProcess;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Future;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code rediss://}, from JVMs that trust the server's certificate and from one that does not. */
class TlsIT {
    private static RedisServer secured;

    @BeforeAll
    static void start() {
        secured = RedisServer.builder()
                .tls()
                .password("sesame")
                .config("bind", "127.0.0.1 127.0.0.2")
                .start();
    }

    @AfterAll
    static void stop() {
        secured.close();
    }

    /** The first handshake of a JVM takes its time on a busy machine. */
    private static Holdfast patient(String uri) {
        return Holdfast.builder()
                .uri(uri)
                .commandTimeout(Duration.ofSeconds(20))
                .build();
    }

    /** Takes a lock, hands it over, and tells how it went. */
    static final class User {
        private User() {}

        public static void main(String[] args) throws Exception {
            try (Holdfast locks = patient(args[0]);
                    Holdfast others = patient(args[0])) {
                DistributedLock lock = locks.lock("a");
                System.out.println("locked " + lock.tryLock());
                Future<Boolean> waiter = Crowd.start(() -> others.lock("a").tryLock(20, SECONDS));
                System.out.println("health " + locks.health().reachable());
                System.out.println("unlocked " + lock.unlock());
                System.out.println("waiter " + Crowd.get(waiter));
            } catch (LockException e) {
                System.out.println("failed " + e);
            }
            System.out.println("done");
        }
    }

    private static JvmProcess trusting(String uri, String... options) {
        return JvmProcess.of(User.class)
                .options(options)
                .options(
                        "-Djavax.net.ssl.trustStore=" + secured.certificate().trustStore(),
                        "-Djavax.net.ssl.trustStorePassword="
                                + secured.certificate().password())
                .arguments(uri)
                .start();
    }

    @Test
    void trustedServer_isUsed() {
        assertThat(secured.uri()).startsWith("rediss://:sesame@127.0.0.1:");
        try (JvmProcess jvm = trusting(secured.uri())) {
            jvm.awaitLine("done", ofSeconds(30));
            assertThat(jvm.lines()).contains("health true", "unlocked true", "waiter true");
        }
    }

    @Test
    void certificateForAnotherHost_isATypedError() {
        try (JvmProcess jvm = trusting("rediss://:sesame@127.0.0.2:" + secured.port())) {
            jvm.awaitLine("done", ofSeconds(30));
            assertThat(jvm.lines())
                    .anySatisfy(line -> assertThat(line)
                            .startsWith(
                                    "failed io.holdfast.StoreUnavailableException: lock 'a': cannot reach rediss://127.0.0.2:")
                            .contains("No subject alternative names matching IP address 127.0.0.2")
                            .doesNotContain("sesame"));
        }
    }

    /** It is for a name and for 127.0.0.1, but not for this address. */
    @Test
    void certificateForTheName_isGood_whereverTheNameLeads(@TempDir Path folder) throws IOException {
        Path hosts = Files.writeString(folder.resolve("hosts"), "127.0.0.2 localhost\n");
        try (JvmProcess jvm =
                trusting("rediss://:sesame@localhost:" + secured.port(), "-Djdk.net.hosts.file=" + hosts)) {
            jvm.awaitLine("done", ofSeconds(30));
            assertThat(jvm.lines()).contains("health true", "unlocked true", "waiter true");
        }
    }

    @Test
    void certificateThatNobodyVouchesFor_isATypedError() {
        try (Holdfast locks = patient(secured.uri())) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> locks.lock("a").tryLock())
                    .withMessageStartingWith("lock 'a': cannot reach rediss://127.0.0.1:" + secured.port())
                    .withMessageContaining("unable to find valid certification path")
                    .satisfies(e -> assertThat(e.toString()).doesNotContain("sesame"));
        }
    }

    /** In this JVM, which does not trust the server. */
    private static Holdfast withContext(String uri, SSLContext context, SSLParameters parameters) {
        return Holdfast.builder()
                .store(RedisStore.overTls(uri, context, parameters))
                .commandTimeout(Duration.ofSeconds(20))
                .build();
    }

    @Test
    void contextOfTheApplicationsOwn_isUsed() {
        SSLParameters newest = new SSLParameters();
        newest.setProtocols(new String[] {"TLSv1.3"});
        try (Holdfast locks = withContext(secured.uri(), secured.certificate().clientContext(), newest)) {
            assertThat(locks.lock("own").tryLock()).isTrue();
            assertThat(locks.lock("own").unlock()).isTrue();
        }
    }

    @Test
    void contextOfTheApplicationsOwn_doesNotTurnOffTheCheckOfTheHost() {
        SSLParameters unchecked = new SSLParameters();
        unchecked.setEndpointIdentificationAlgorithm("");
        String elsewhere = "rediss://:sesame@127.0.0.2:" + secured.port();
        try (Holdfast locks = withContext(elsewhere, secured.certificate().clientContext(), unchecked)) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> locks.lock("own").tryLock())
                    .withMessageContaining("No subject alternative names matching IP address 127.0.0.2");
        }
    }

    @Test
    void contextOfTheApplicationsOwn_forAnAddressWithoutTls_isRefused() {
        SSLContext context = secured.certificate().clientContext();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisStore.overTls("redis://:sesame@h", context, new SSLParameters()))
                .withMessageContaining("redis://:***@h")
                .withMessageContaining("rediss-cluster");
    }

    @Test
    @Faults(21)
    void plainClient_onATlsPort_isATypedErrorInTime() {
        String plain = secured.uri().replace("rediss://", "redis://");
        try (Holdfast locks = Holdfast.builder()
                .uri(plain)
                .commandTimeout(Duration.ofSeconds(1))
                .build()) {
            long start = System.nanoTime();
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> locks.lock("a").tryLock());
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
        }
    }

    @Test
    @Faults(21)
    void tlsClient_onAPlainPort_isATypedErrorInTime() {
        RedisServer plain = SharedRedis.empty();
        try (Holdfast locks = Holdfast.builder()
                .uri("rediss://127.0.0.1:" + plain.port())
                .commandTimeout(Duration.ofSeconds(1))
                .build()) {
            long start = System.nanoTime();
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> locks.lock("a").tryLock());
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
        }
    }
}
