package io.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TestCertificate;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** SSL bundles, with a server that speaks TLS and nothing else. */
class SslBundleIT {
    @SuppressWarnings("NullAway.Init")
    private static RedisServer redis;

    @BeforeAll
    static void start() {
        redis = RedisServer.builder()
                .tls()
                .password("sesame")
                .config("bind", "127.0.0.1 127.0.0.2")
                .start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({SslAutoConfiguration.class, HoldfastAutoConfiguration.class})
    static class Application {}

    private static ConfigurableApplicationContext app(String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "spring.data.redis.port=" + redis.port(),
                "spring.data.redis.password=sesame",
                "spring.ssl.bundle.pem.cache.truststore.certificate=file:"
                        + TestCertificate.get().certificateFile(),
                // Trusts, but not this one.
                "spring.ssl.bundle.pem.others.truststore.certificate=" + STRANGER,
                // The first handshake of a JVM takes its time on a busy machine.
                "holdfast.command-timeout=20s"));
        all.addAll(List.of(properties));
        return Apps.start(Application.class, all.toArray(String[]::new));
    }

    private static FailureAnalysis failure(String... properties) {
        Throwable failure = catchThrowable(() -> app(properties).close());
        FailureAnalysis analysis = new HoldfastFailureAnalyzer().analyze(failure);
        assertThat(analysis).as(String.valueOf(failure)).isNotNull();
        assertThat(analysis.getDescription()).doesNotContain("sesame");
        return analysis;
    }

    private static void assertLocks(ConfigurableApplicationContext app) {
        DistributedLock lock = app.getBean(Holdfast.class).lock("secured");
        assertThat(lock.tryLock()).isTrue();
        assertThat(redis.keys()).contains("distributed_lock:secured");
        assertThat(lock.unlock()).isTrue();
    }

    @Test
    void theBundleOfTheApplicationsRedis_isUsed() {
        try (ConfigurableApplicationContext app =
                app("spring.data.redis.host=127.0.0.1", "spring.data.redis.ssl.bundle=cache")) {
            assertThat(app.getBean(Holdfast.class).store()).startsWith("rediss://127.0.0.1:");
            assertLocks(app);
        }
    }

    @Test
    void aBundleForAStoreOfOnesOwn_withProtocols_isUsed() {
        try (ConfigurableApplicationContext app = app(
                "holdfast.uri=" + redis.uri(),
                "holdfast.ssl.bundle=cache",
                "spring.ssl.bundle.pem.cache.options.enabled-protocols=TLSv1.3")) {
            assertLocks(app);
        }
    }

    @Test
    void aCertificateThatTheBundleDoesNotTrust_isAFailureWithARemedy() {
        FailureAnalysis failure = failure("spring.data.redis.host=127.0.0.1", "spring.data.redis.ssl.bundle=others");
        assertThat(failure.getDescription())
                .contains("rediss://127.0.0.1:" + redis.port())
                .contains("certification path");
        assertThat(failure.getAction()).contains("spring.data.redis.ssl.bundle").contains("authority of the server");
    }

    @Test
    void aCertificateForAnotherHost_isAFailureWithARemedy() {
        FailureAnalysis failure = failure("spring.data.redis.host=127.0.0.2", "spring.data.redis.ssl.bundle=cache");
        assertThat(failure.getDescription()).contains("127.0.0.2").contains("No subject alternative names");
        assertThat(failure.getAction()).contains("a name that the certificate has");
    }

    @Test
    void aBundleThatThereIsNot_isAFailureWithItsName() {
        FailureAnalysis failure = failure("spring.data.redis.ssl.bundle=chache");
        assertThat(failure.getDescription()).contains("'chache'");
        assertThat(failure.getAction()).contains("spring.ssl.bundle.pem.chache");
    }

    @Test
    void aBundleThatCannotBeRead_isAFailureWithItsName() {
        FailureAnalysis failure = failure(
                "spring.data.redis.ssl.bundle=broken",
                "spring.ssl.bundle.pem.broken.truststore.certificate=file:/nowhere/ca.pem");
        assertThat(failure.getDescription()).contains("broken");
    }

    @Test
    void aBundleForAStoreWithoutTls_isAFailureThatSaysSo() {
        FailureAnalysis failure =
                failure("holdfast.uri=redis://:sesame@127.0.0.1:" + redis.port(), "holdfast.ssl.bundle=cache");
        assertThat(failure.getDescription()).contains("over TLS").contains("rediss");
    }

    /** Signed by itself, for nobody. */
    private static final String STRANGER = """
            -----BEGIN CERTIFICATE-----
            MIIBPzCB5qADAgECAgkA2ZSGnXbGHmYwCgYIKoZIzj0EAwIwEzERMA8GA1UEAxMI
            c3RyYW5nZXIwIBcNMjYxMTE2MDQyMDU1WhgPMjEyNjEwMjMwNDIwNTVaMBMxETAP
            BgNVBAMTCHN0cmFuZ2VyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAExqG2x/2e
            I2QtPBPfx5nAu/rhpLmswflF6eZ5SuCrsLHr9LUpPrZoDAHchCr0GiGXFaio8KI2
            kzG1td1EwOVHs6MhMB8wHQYDVR0OBBYEFEMmhry1VLfgY15eCP2TwizBJe6nMAoG
            CCqGSM49BAMCA0gAMEUCIGnUEhah++KQNDylgdJxC4sg/QeKwUVEc2JVdsy9yvOM
            AiEAnLNwUfzRUtpx3EbuPxtUcHuUzQkjpkmtOhVykw7P8LA=
            -----END CERTIFICATE-----
            """;
}
