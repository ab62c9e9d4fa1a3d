package io.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HoldfastObservationsTest {
    private final ObservationRegistry registry = ObservationRegistry.create();
    private final List<Observation.Context> stopped = new CopyOnWriteArrayList<>();
    private final List<Observation.Context> started = new CopyOnWriteArrayList<>();
    private final Holdfast locks = Holdfast.builder()
            .uri("memory:observed")
            .listener(HoldfastObservations.of(registry))
            .build();
    private final Holdfast other = Holdfast.connect("memory:observed");

    @BeforeEach
    void listen() {
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStart(Observation.Context context) {
                started.add(context);
            }

            @Override
            public void onStop(Observation.Context context) {
                stopped.add(context);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
    }

    @AfterEach
    void close() {
        locks.close();
        other.close();
    }

    private Observation.Context stopped(String name) {
        await().atMost(Duration.ofSeconds(10))
                .until(() -> stopped.stream().anyMatch(context -> name.equals(context.getName())));
        return stopped.stream()
                .filter(context -> name.equals(context.getName()))
                .findFirst()
                .orElseThrow();
    }

    private static @Nullable String value(Observation.Context context, String key) {
        KeyValue low = context.getLowCardinalityKeyValue(key);
        KeyValue high = context.getHighCardinalityKeyValue(key);
        return low != null ? low.getValue() : high == null ? null : high.getValue();
    }

    @Test
    void hold_isAnObservation_underTheOneOfTheCaller() throws Exception {
        Observation request = Observation.start("request", registry);
        long token;
        try (Observation.Scope scope = request.openScope()) {
            assertThat(scope).isNotNull();
            try (Lease lease = locks.lock("order:12345").acquire(Duration.ZERO)) {
                token = lease.token();
            }
        }

        Observation.Context hold = stopped("holdfast.lock.hold");
        assertThat(hold.getParentObservation()).isSameAs(request);
        assertThat(value(hold, "lock")).isEqualTo("order:*");
        assertThat(value(hold, "lock.name")).isEqualTo("order:12345");
        assertThat(value(hold, "token")).isEqualTo(Long.toString(token));
        assertThat(value(hold, "end")).isEqualTo("released");
        assertThat(hold.getError()).isNull();
        assertThat(started).as("nobody waited").noneMatch(context -> "holdfast.lock.wait".equals(context.getName()));
    }

    @Test
    void wait_isAnObservation_withItsOutcome() throws Exception {
        try (Lease theirs = other.lock("order:1").acquire(Duration.ZERO)) {
            assertThat(locks.lock("order:1").tryLock(Duration.ofMillis(50))).isFalse();
            assertThat(theirs.isValid()).isTrue();
        }

        Observation.Context wait = stopped("holdfast.lock.wait");
        assertThat(value(wait, "lock")).isEqualTo("order:*");
        assertThat(value(wait, "outcome")).isEqualTo("timed_out");
    }

    @Test
    void lostLease_endsItsObservationWithAnError() throws Exception {
        Lease lease = locks.lock("order:1", o -> o.lease(Duration.ofMillis(100)).renewal(false))
                .acquire(Duration.ZERO);

        Observation.Context hold = stopped("holdfast.lock.hold");
        assertThat(value(hold, "end")).isEqualTo("expired");
        assertThat(hold.getError()).isInstanceOf(io.holdfast.LeaseLostException.class);
        assertThat(lease.isValid()).isFalse();
    }
}
