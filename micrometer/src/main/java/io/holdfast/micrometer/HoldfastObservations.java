package io.holdfast.micrometer;

import static java.util.Objects.requireNonNull;

import io.holdfast.LockListener;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.UnaryOperator;

/**
 * Shows waits and holds as observations, which a tracer makes spans of: {@code holdfast.lock.wait} from where somebody was told to
 * wait to the end of that, and {@code holdfast.lock.hold} from the acquisition to its release or loss. Both belong to the
 * observation that was current on the thread that asked. Thread safe.
 *
 * <pre>{@code
 * Holdfast locks = Holdfast.builder().uri(uri).listener(HoldfastObservations.of(registry)).build();
 * }</pre>
 *
 * <p>Of low cardinality are {@code lock}, as in {@link HoldfastMetrics}, and the outcome; the lock's name and the fencing token
 * are of high cardinality, for spans only. Neither is current while it lasts: what is done with the lock in hand belongs to the
 * caller's own span, and starts and ends are told after they have happened, a moment later than they were.
 */
public final class HoldfastObservations implements LockListener {
    private final ObservationRegistry registry;
    private final LockNames names;

    private HoldfastObservations(ObservationRegistry registry, UnaryOperator<String> tags) {
        this.registry = requireNonNull(registry, "registry");
        this.names = new LockNames(requireNonNull(tags, "tags"));
    }

    /** Observations in that registry, tagged as {@link HoldfastMetrics#of(io.micrometer.core.instrument.MeterRegistry)} does. */
    public static HoldfastObservations of(ObservationRegistry registry) {
        return of(registry, LockNames::pattern);
    }

    /**
     * Observations in that registry.
     *
     * @param tags makes a tag of a lock's name; there should be few different ones
     */
    public static HoldfastObservations of(ObservationRegistry registry, UnaryOperator<String> tags) {
        return new HoldfastObservations(registry, tags);
    }

    @Override
    public LockListener asked(String lockName) {
        return registry.isNoop()
                ? this
                : new AttemptObservations(registry, registry.getCurrentObservation(), names.tag(lockName));
    }
}
