package io.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.DistributedLock;
import io.holdfast.Hold;
import io.holdfast.Holdfast;
import io.holdfast.LockListener;
import io.holdfast.servers.RedisServer;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** The client in an application. */
class HoldfastAutoConfigurationIT {
    @SuppressWarnings("NullAway.Init")
    private static RedisServer redis;

    @BeforeAll
    static void start() {
        redis = RedisServer.builder().password("secret").start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HoldfastAutoConfiguration.class)
    static class Plain {}

    /** With all that the class path of the tests brings. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Everything {}

    private static ConfigurableApplicationContext app(String... more) {
        List<String> all = new CopyOnWriteArrayList<>(List.of("spring.data.redis.password=secret"));
        all.addAll(List.of(more));
        return Apps.start(redis, Plain.class, all.toArray(String[]::new));
    }

    @Test
    void runsOnTheBootThatTheBuildMeans() {
        String line = System.getProperty("holdfast.test.boot");
        if (line != null) {
            assertThat(SpringBootVersion.getVersion()).isEqualTo(line);
        }
        assertThat(SpringBootVersion.getVersion()).matches("[34]\\..*");
    }

    @Test
    void theApplicationsRedis_isTheStore() {
        try (ConfigurableApplicationContext app =
                Apps.start(redis, Everything.class, "spring.data.redis.password=secret")) {
            DistributedLock lock = app.getBean(Holdfast.class).lock("boot");
            assertThat(lock.tryLock()).isTrue();
            assertThat(redis.keys()).contains("distributed_lock:boot");
            assertThat(lock.unlock()).isTrue();
        }
    }

    @Test
    void properties_override() {
        try (ConfigurableApplicationContext app = app(
                "holdfast.uri=redis://:secret@localhost:" + redis.port() + "/5",
                "holdfast.prefix=shop:",
                "holdfast.lease=7s",
                "holdfast.renewal=false",
                "holdfast.max-hold=1m",
                "holdfast.backoff.first=50ms",
                "holdfast.hand-over=0",
                "holdfast.on-loss=interrupt",
                "holdfast.command-timeout=1s")) {
            DistributedLock lock = app.getBean(Holdfast.class).lock("boot");
            assertThat(lock.tryLock()).isTrue();
            Object ttl = redis.command("EVAL", "redis.call('SELECT', 5) return redis.call('PTTL', 'shop:boot')", "0");
            assertThat((Long) ttl).isBetween(1L, 7_000L);
            assertThat(lock.unlock()).isTrue();
            HoldfastProperties properties = app.getBean(HoldfastProperties.class);
            assertThat(properties.options().renewal()).isFalse();
            assertThat(properties.options().maxHold()).contains(Duration.ofMinutes(1));
            assertThat(properties.options().backoff().first()).isEqualTo(Duration.ofMillis(50));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HoldfastAutoConfiguration.class)
    static class Own {
        @Bean(destroyMethod = "close")
        Holdfast mine() {
            return Holdfast.connect("memory:");
        }
    }

    @Test
    void aClientOfTheApplicationsOwn_comesFirst() {
        try (ConfigurableApplicationContext app = Apps.start(Own.class)) {
            assertThat(app.getBean(Holdfast.class).store()).startsWith("memory");
        }
    }

    @Test
    void switchedOff_thereIsNoClient() {
        try (ConfigurableApplicationContext app = Apps.start(Plain.class, "holdfast.enabled=false")) {
            assertThat(app.getBeanProvider(Holdfast.class).getIfAvailable()).isNull();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HoldfastAutoConfiguration.class)
    static class Listening {
        static final List<String> HEARD = new CopyOnWriteArrayList<>();

        @Bean
        LockListener listener() {
            return new LockListener() {
                @Override
                public void acquired(Hold hold, Duration waited) {
                    HEARD.add(hold.lockName());
                }
            };
        }
    }

    @Test
    void listenerBeans_hearOfTheLocks() {
        try (ConfigurableApplicationContext app =
                Apps.start(redis, Listening.class, "spring.data.redis.password=secret")) {
            DistributedLock lock = app.getBean(Holdfast.class).lock("heard");
            assertThat(lock.tryLock()).isTrue();
            assertThat(lock.unlock()).isTrue();
            Awaitility.await().untilAsserted(() -> assertThat(Listening.HEARD).contains("heard"));
        }
    }

    private static FailureAnalysis analysis(Throwable failure) {
        // Those of others want arguments, and are left out.
        return SpringFactoriesLoader.forDefaultResourceLocation(HoldfastAutoConfigurationIT.class.getClassLoader())
                .load(FailureAnalyzer.class, (type, implementation, problem) -> {})
                .stream()
                .filter(analyzer -> analyzer instanceof HoldfastFailureAnalyzer)
                .map(analyzer -> analyzer.analyze(failure))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aServerThatDoesNotAnswer_isAFailureWithARemedy() {
        Throwable failure = catchThrowable(
                () -> Apps.start(Plain.class, "spring.data.redis.port=1").close());
        FailureAnalysis analysis = analysis(failure);
        assertThat(analysis.getDescription()).contains("redis://localhost:1").contains("does not answer");
        assertThat(analysis.getAction()).contains("spring.data.redis").contains("holdfast.startup-check=warn");
    }

    @Test
    void aWrongPassword_isAFailureWithARemedy() {
        Throwable failure =
                catchThrowable(() -> app("spring.data.redis.password=wrong").close());
        assertThat(analysis(failure).getDescription()).contains("WRONGPASS").doesNotContain("wrong@");
    }

    @Test
    void startupCheck_warn_letsTheApplicationStart() {
        try (ConfigurableApplicationContext app =
                Apps.start(Plain.class, "spring.data.redis.port=1", "holdfast.startup-check=warn")) {
            assertThatThrownBy(() -> app.getBean(Holdfast.class).lock("nobody").tryLock())
                    .isInstanceOf(io.holdfast.StoreUnavailableException.class);
        }
    }

    @Test
    void aSettingThatIsOutOfBounds_isAFailureWithItsValue() {
        Throwable failure = catchThrowable(() -> app("holdfast.lease=5ms").close());
        assertThat(analysis(failure).getDescription()).contains("lease 5 ms is below the minimum of 100 ms");
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(HoldfastAutoConfiguration.class)
    static class Ending {
        static final AtomicBoolean HELD_WHILE_DRAINING = new AtomicBoolean();
        static final AtomicBoolean FREE_WHEN_DESTROYED = new AtomicBoolean();

        /** Where the web server drains, and lower down, where schedulers end. */
        @Bean
        SmartLifecycle draining() {
            return new SmartLifecycle() {
                private boolean running;

                @Override
                public void start() {
                    running = true;
                }

                @Override
                public void stop() {
                    running = false;
                    HELD_WHILE_DRAINING.set(redis.keys().contains("distributed_lock:draining"));
                }

                @Override
                public boolean isRunning() {
                    return running;
                }

                @Override
                public int getPhase() {
                    return Integer.MAX_VALUE / 2;
                }
            };
        }

        /** As a connection factory is. */
        @Bean
        DisposableBean connections() {
            return () -> FREE_WHEN_DESTROYED.set(!redis.keys().contains("distributed_lock:draining"));
        }
    }

    @Test
    void shutdown_releasesAfterTheWorkHasEndedAndBeforeConnectionsGo() {
        ConfigurableApplicationContext app = Apps.start(redis, Ending.class, "spring.data.redis.password=secret");
        assertThat(app.getBean(Holdfast.class).lock("draining").tryLock()).isTrue();
        app.close();
        assertThat(Ending.HELD_WHILE_DRAINING).isTrue();
        assertThat(Ending.FREE_WHEN_DESTROYED).isTrue();
    }

    @Test
    void aContextThatIsStoppedAndStartedAgain_keepsItsClient() {
        try (ConfigurableApplicationContext app = app()) {
            DistributedLock lock = app.getBean(Holdfast.class).lock("kept");
            assertThat(lock.tryLock()).isTrue();
            app.stop();
            app.start();
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            assertThat(lock.unlock()).isTrue();
        }
    }

    @Test
    void metadataForEditors_namesTheProperties() throws Exception {
        String metadata = "";
        for (URL url : Collections.list(HoldfastProperties.class
                .getClassLoader()
                .getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream in = url.openStream()) {
                metadata += new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        }
        for (String name : Set.of(
                "uri",
                "prefix",
                "lease",
                "renewal",
                "max-hold",
                "backoff.first",
                "hand-over",
                "min-replicas",
                "on-loss",
                "startup-check",
                "locked.wait-for")) {
            assertThat(metadata)
                    .as("written by the annotation processor of the build")
                    .contains("\"holdfast." + name + "\"");
        }
    }
}
