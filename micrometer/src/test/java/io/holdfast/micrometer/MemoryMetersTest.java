package io.holdfast.micrometer;

import io.holdfast.Holdfast;
import org.junit.jupiter.api.AfterEach;

class MemoryMetersTest extends MetersScene {
    private static final String STORE = "memory:meters";

    private final Holdfast locks =
            Holdfast.builder().uri(STORE).listener(HoldfastMetrics.of(registry)).build();
    private final Holdfast other = Holdfast.connect(STORE);

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
}
