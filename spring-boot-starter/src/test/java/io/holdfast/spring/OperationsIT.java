package io.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockListener;
import io.holdfast.micrometer.HoldfastObservations;
import io.holdfast.servers.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.MissingParametersException;
import org.springframework.boot.actuate.endpoint.jmx.JmxEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.jmx.JmxOperation;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.util.ReflectionUtils;

/** Health, the endpoint, the registry, elections. */
class OperationsIT {
    @SuppressWarnings("NullAway.Init")
    private static RedisServer redis;

    @SuppressWarnings("NullAway.Init")
    private static ConfigurableApplicationContext app;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
        app = Apps.start(
                redis,
                Application.class,
                "spring.jmx.enabled=true",
                "management.endpoints.jmx.exposure.include=*",
                "holdfast.election.names=scheduler");
    }

    @AfterAll
    static void stop() {
        app.close();
        redis.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        static final List<String> EVENTS = new CopyOnWriteArrayList<>();

        @EventListener
        void elected(ElectedEvent event) {
            EVENTS.add("elected " + event.election() + " " + event.lease().isValid());
        }

        @EventListener
        void deposed(DeposedEvent event) {
            EVENTS.add("deposed " + event.election() + " " + event.lost());
        }
    }

    /** Both lines of Boot have an indicator of that name, of different types. */
    private static String health(ConfigurableApplicationContext of) throws Exception {
        Object indicator = of.getBean("holdfastHealthIndicator");
        for (Class<?> type : indicator.getClass().getInterfaces()) {
            if (type.getSimpleName().equals("HealthIndicator")) {
                return String.valueOf(type.getMethod("health").invoke(indicator));
            }
        }
        throw new AssertionError(indicator.getClass() + " is no health indicator");
    }

    @Test
    void health_saysWhatTheDoctorWould() throws Exception {
        assertThat(health(app))
                .startsWith("UP")
                .contains("redis://localhost:" + redis.port())
                .contains("appendonly");
        try (ConfigurableApplicationContext other =
                Apps.start(Application.class, "spring.data.redis.port=1", "holdfast.startup-check=warn")) {
            assertThat(health(other)).startsWith("DOWN").contains("Connection refused");
        }
        try (ConfigurableApplicationContext other =
                Apps.start(redis, Application.class, "management.health.holdfast.enabled=false")) {
            assertThat(other.containsBean("holdfastHealthIndicator")).isFalse();
        }
    }

    /** Over the endpoint machinery itself, which decides what may be called. */
    private static List<String> operations(ConfigurableApplicationContext of) {
        return of.getBean(JmxEndpointsSupplier.class).getEndpoints().stream()
                .filter(endpoint -> endpoint.getEndpointId().toLowerCaseString().equals("locks"))
                .flatMap(endpoint -> endpoint.getOperations().stream())
                .map(JmxOperation::getName)
                .toList();
    }

    @Test
    void theEndpoint_onlyReads_unlessTheApplicationOpensIt() throws Exception {
        assertThat(operations(app)).containsExactlyInAnyOrder("locks", "lock");
        try (ConfigurableApplicationContext open = Apps.start(
                redis,
                Application.class,
                "spring.jmx.enabled=true",
                "spring.jmx.unique-names=true",
                "spring.application.name=order service",
                "management.endpoints.jmx.exposure.include=*",
                "management.endpoint.locks.access=unrestricted")) {
            assertThat(operations(open)).containsExactlyInAnyOrder("locks", "lock", "release");
            Holdfast locks = open.getBean(Holdfast.class);
            LocksEndpoint endpoint = open.getBean(LocksEndpoint.class);
            Lease lease = locks.lock("forced").acquire(Duration.ofSeconds(1));
            LocksEndpoint.Party holder =
                    endpoint.lock("forced").locks().get(0).holders().get(0);
            assertThat(holder.application()).isEqualTo("order service");
            assertThat(holder.processId()).isEqualTo(ProcessHandle.current().pid());
            assertThat(holder.host()).isNotBlank();
            assertThat(holder.thread()).isPositive();

            assertThat(endpoint.release("forced", "a:1:b").released()).isFalse();
            assertThat(lease.isValid()).isTrue();
            assertThat(endpoint.release("forced", holder.owner()).released()).isTrue();

            assertThat(endpoint.lock("forced").locks()).isEmpty();
            assertThat(lease.release()).isFalse();
        }
        try (ConfigurableApplicationContext silent =
                Apps.start(redis, Application.class, "holdfast.holder-info=false", "spring.jmx.enabled=false")) {
            Holdfast locks = silent.getBean(Holdfast.class);
            try (Lease lease = locks.lock("silent").acquire(Duration.ofSeconds(1))) {
                assertThat(locks.inspect("silent").get(0).holders().get(0).origin())
                        .isEmpty();
                assertThat(lease.isValid()).isTrue();
            }
        }
    }

    @Test
    void theEndpoint_listsWhoHoldsAndWhoWaits() throws Exception {
        Holdfast locks = app.getBean(Holdfast.class);
        LocksEndpoint endpoint = app.getBean(LocksEndpoint.class);
        try (Lease lease = locks.lock("listed").acquire(Duration.ofSeconds(1))) {
            var waiter =
                    locks.lock("listed").acquireAsync(Duration.ofSeconds(30)).toCompletableFuture();
            try (Holdfast other = Holdfast.connect(redis.uri())) {
                var stranger = other.lock("listed")
                        .acquireAsync(Duration.ofSeconds(30))
                        .toCompletableFuture();
                Awaitility.await()
                        .until(() -> !endpoint.locks("list*")
                                .locks()
                                .get(0)
                                .waiters()
                                .isEmpty());
                LocksEndpoint.Lock found = endpoint.lock("listed").locks().get(0);
                LocksEndpoint.Party holder = found.holders().get(0);
                assertThat(holder.token()).isEqualTo(lease.token());
                assertThat(holder.age()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
                assertThat(found.waiters().get(0).since()).isAfterOrEqualTo(holder.since());
                assertThat(found.waiters().get(0).token()).isNull();
                assertThat(found.remaining()).isPositive();
                assertThat(endpoint.locks(null).locks())
                        .extracting(LocksEndpoint.Lock::name)
                        .contains("listed");
                stranger.cancel(true);
            }
            waiter.cancel(true);
        }
    }

    @Test
    void theEndpoint_isThereOnlyWhenItIsExposed() {
        try (ConfigurableApplicationContext other = Apps.start(redis, Application.class)) {
            assertThat(other.getBeansOfType(LocksEndpoint.class)).isEqualTo(Map.of());
        }
    }

    @Test
    void metersAndObservations_areWiredToTheApplicationsRegistries() throws Exception {
        Holdfast locks = app.getBean(Holdfast.class);
        MeterRegistry meters = app.getBean(MeterRegistry.class);
        try (Lease lease = locks.lock("metered:1").acquire(Duration.ofSeconds(1))) {
            assertThat(lease.isValid()).isTrue();
        }
        Awaitility.await()
                .untilAsserted(() -> assertThat(meters.get("holdfast.acquisitions")
                                .tags("lock", "metered:*", "outcome", "obtained")
                                .counter()
                                .count())
                        .isEqualTo(1));
        assertThat(app.getBeansOfType(HoldfastObservations.class)).hasSize(1);
        try (ConfigurableApplicationContext other =
                Apps.start(redis, Application.class, "holdfast.metrics.enabled=false")) {
            assertThat(other.getBeansOfType(LockListener.class)).isEqualTo(Map.of());
        }
    }

    /** Whatever an operator may ask an application, with all of it exposed. */
    @Test
    void passwordOfTheStore_isToldByNoEndpointAndNoMeter() throws Exception {
        try (RedisServer secured = RedisServer.builder().password("S3same-W0rd").start();
                ConfigurableApplicationContext own = Apps.start(
                        Application.class,
                        "holdfast.uri=redis://:S3same-W0rd@127.0.0.1:" + secured.port(),
                        "spring.jmx.enabled=true",
                        "spring.jmx.unique-names=true",
                        "management.endpoints.jmx.exposure.include=*")) {
            Holdfast locks = own.getBean(Holdfast.class);
            try (Lease lease = locks.lock("secret").acquire(Duration.ofSeconds(1))) {
                assertThat(lease.isValid()).isTrue();
                StringBuilder told = new StringBuilder(health(own));
                own.getBean(JmxEndpointsSupplier.class).getEndpoints().stream()
                        .flatMap(endpoint -> endpoint.getOperations().stream())
                        .filter(operation -> !operation.getName().matches("shutdown|heapDump|threadDump"))
                        .forEach(operation -> told.append('\n')
                                .append(operation.getName())
                                .append(' ')
                                .append(answer(operation)));
                own.getBean(MeterRegistry.class)
                        .forEachMeter(meter -> told.append('\n').append(meter.getId()));
                own.getBeansOfType(Object.class).values().stream()
                        .filter(bean -> bean.getClass().getName().startsWith("io.holdfast."))
                        .forEach(bean -> told.append('\n').append(bean));

                assertThat(told.toString())
                        .contains("\nlocks Locks[store=redis://127.0.0.1:", "name=secret", "\nbeans ", "\nenvironment ")
                        .contains("holdfast.uri", "******", "holdfast.acquisitions", "HoldfastProperties[redis://***@")
                        .doesNotContain("S3same", "W0rd");
            }
        }
    }

    private static String answer(JmxOperation operation) {
        try {
            StringBuilder text = new StringBuilder();
            spell(operation.invoke(new InvocationContext(SecurityContext.NONE, Map.of())), text, 0);
            return text.toString();
        } catch (MissingParametersException e) {
            return "wants to be told something";
        }
    }

    /** All that can be got out of an answer, as it would be sent. */
    private static void spell(@Nullable Object value, StringBuilder text, int depth) {
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, each) -> {
                text.append(key).append('=');
                spell(each, text, depth + 1);
            });
        } else if (value instanceof Iterable<?> all) {
            all.forEach(each -> spell(each, text, depth + 1));
        } else {
            text.append(value).append(' ');
            if (value != null && depth < 15 && value.getClass().getName().startsWith("org.springframework.boot.")) {
                for (Method method : value.getClass().getMethods()) {
                    if (method.getName().startsWith("get")
                            && method.getParameterCount() == 0
                            && method.getDeclaringClass() != Object.class) {
                        text.append(method.getName()).append(' ');
                        ReflectionUtils.makeAccessible(method); // of classes that are not public
                        spell(ReflectionUtils.invokeMethod(method, value), text, depth + 1);
                    }
                }
            }
        }
    }

    @Test
    void springIntegration_hasARegistry() {
        Lock lock = app.getBean(LockRegistry.class).obtain("integration");
        assertThat(lock.tryLock()).isTrue();
        assertThat(redis.keys()).contains("distributed_lock:integration");
        lock.unlock();
        assertThat(redis.keys()).doesNotContain("distributed_lock:integration");
    }

    @Test
    void anElection_isToldByEvents() {
        Awaitility.await().until(() -> Application.EVENTS.contains("elected scheduler true"));
        redis.command("DEL", "distributed_lock:scheduler");
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> Application.EVENTS.contains("deposed scheduler true"));
    }
}
