package io.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.Holdfast;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.RedisServer;
import java.time.Duration;
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
}
