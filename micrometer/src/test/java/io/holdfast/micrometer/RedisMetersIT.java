package io.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.Holdfast;
import io.holdfast.StoreRefusedException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.RedisServer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RedisMetersIT extends MetersScene {
    private static final RedisServer redis = RedisServer.start();

    private final Holdfast locks = Holdfast.builder()
            .uri(redis.uri())
            .commandTimeout(Duration.ofSeconds(10))
            .listener(HoldfastMetrics.of(registry))
            .build();
    private final Holdfast other = Holdfast.builder()
            .uri(redis.uri())
            .commandTimeout(Duration.ofSeconds(10))
            .build();

    @AfterAll
    static void stop() {
        redis.close();
    }

    @AfterEach
    void close() {
        locks.close();
        other.close();
    }

    @Override
    Holdfast locks() {
        return locks;
    }

    @Override
    Holdfast other() {
        return other;
    }

    @Test
    void storeThatIsNotThere_isCountedAsSuch() {
        try (Holdfast nowhere = Holdfast.builder()
                .uri("redis://127.0.0.1:1")
                .listener(HoldfastMetrics.of(registry))
                .build()) {
            assertThatThrownBy(() -> nowhere.lock("order:1").tryLock()).isInstanceOf(StoreUnavailableException.class);

            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThat(count("holdfast.acquisitions", "outcome", "unavailable"))
                            .isEqualTo(1));
        }
    }

    @Test
    void password_isInNoMeterAndNoSpan() {
        List<String> told = new CopyOnWriteArrayList<>();
        ObservationRegistry spans = ObservationRegistry.create();
        spans.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                told.add(context + " " + context.getAllKeyValues() + " " + trace(context.getError()));
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        redis.command("ACL", "SETUSER", "app", "reset", "on", ">S3same-W0rd", "~*", "&*", "+@all");
        for (String password : List.of("S3same-W0rd", "Wr0ng-W0rd")) {
            try (Holdfast one = Holdfast.builder()
                    .uri("redis://app:" + password + "@127.0.0.1:" + redis.port())
                    .commandTimeout(Duration.ofSeconds(10))
                    .listener(HoldfastMetrics.of(registry))
                    .listener(HoldfastObservations.of(spans))
                    .build()) {
                assertThat(one.lock("order:secret").tryLock()
                                && one.lock("order:secret").unlock())
                        .isEqualTo(password.startsWith("S3same"));
            } catch (StoreRefusedException e) {
                assertThat(password).startsWith("Wr0ng");
            }
        }
        await().atMost(Duration.ofSeconds(10)).until(() -> !told.isEmpty());
        registry.forEachMeter(meter -> told.add(meter.getId().toString()));

        assertThat(told)
                .anyMatch(line -> line.contains("holdfast.lock.hold"))
                .anyMatch(line -> line.contains("holdfast.acquisitions"))
                .allSatisfy(line -> assertThat(line).doesNotContain("W0rd"));
    }

    private static String trace(@Nullable Throwable error) {
        StringWriter text = new StringWriter();
        if (error != null) {
            error.printStackTrace(new PrintWriter(text, true));
        }
        return text.toString();
    }
}
