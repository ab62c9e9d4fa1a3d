package io.holdfast.spring;

import io.holdfast.Holdfast;
import io.holdfast.spi.StoreHealth;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the health indicators of both lines of Boot say: what {@code holdfast doctor} would.
 *
 * @param up whether the store answers
 */
record HoldfastHealth(boolean up, Map<String, Object> details) {

    static HoldfastHealth of(Holdfast locks) {
        StoreHealth health = locks.health();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("store", locks.store());
        if (health.reachable()) {
            details.put("roundTripMicros", health.roundTrip().toNanos() / 1_000);
        }
        // A weakness does not take the application out of service: it says what to mend.
        details.put(health.reachable() ? "warnings" : "reasons", health.warnings());
        return new HoldfastHealth(health.reachable(), details);
    }
}
