package io.holdfast.micrometer;

import static java.util.Objects.requireNonNull;

import io.holdfast.HandOver;
import io.holdfast.Hold;
import io.holdfast.LockListener;
import io.holdfast.Loss;
import io.holdfast.Outcome;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.UnaryOperator;

/**
 * Counts and times what happens to the locks of a client, in a registry of Micrometer's. Thread safe; one may listen to several
 * clients.
 *
 * <pre>{@code
 * Holdfast locks = Holdfast.builder().uri(uri).listener(HoldfastMetrics.of(registry)).build();
 * }</pre>
 *
 * <p>Every meter has the tag {@code lock}. It is not the name of the lock, of which there may be millions, but what a function
 * makes of it: {@code order:12345} becomes {@code order:*}. After 200 different tags all others share the tag {@code (others)}.
 *
 * <p>Meters are touched on the client's thread for listeners, never by who takes a lock.
 */
public final class HoldfastMetrics implements LockListener {
    private final MeterRegistry registry;
    private final LockNames names;
    private final ConcurrentMap<String, LockMeters> meters = new ConcurrentHashMap<>();

    private HoldfastMetrics(MeterRegistry registry, UnaryOperator<String> tags) {
        this.registry = requireNonNull(registry, "registry");
        this.names = new LockNames(requireNonNull(tags, "tags"));
    }

    /** Meters in that registry. What stands behind the last colon of a name, and parts with digits, become {@code *}. */
    public static HoldfastMetrics of(MeterRegistry registry) {
        return of(registry, LockNames::pattern);
    }

    /**
     * Meters in that registry.
     *
     * @param tags makes a tag of a lock's name; there should be few different ones
     */
    public static HoldfastMetrics of(MeterRegistry registry, UnaryOperator<String> tags) {
        return new HoldfastMetrics(registry, tags);
    }

    private LockMeters of(String lockName) {
        return meters.computeIfAbsent(names.tag(lockName), tag -> new LockMeters(registry, tag));
    }

    private LockMeters of(Hold hold) {
        return of(hold.lockName());
    }

    @Override
    public void ended(String lockName, Outcome outcome, Duration took) {
        of(lockName).ended(outcome);
    }

    @Override
    public void waiting(String lockName) {
        of(lockName).waiting();
    }

    @Override
    public void waited(String lockName, Duration waited, boolean obtained) {
        of(lockName).waited(waited, obtained);
    }

    @Override
    public void acquired(Hold hold, Duration waited) {
        of(hold).acquired();
    }

    @Override
    public void handedOver(Hold hold, HandOver from) {
        of(hold).handedOver(from);
    }

    @Override
    public void released(Hold hold, Duration held) {
        of(hold).released(held);
    }

    @Override
    public void renewed(Hold hold, Duration lag) {
        of(hold).renewed(lag, hold.lease());
    }

    @Override
    public void renewalFailed(Hold hold, Duration remaining, Throwable reason) {
        of(hold).renewalFailed();
    }

    @Override
    public void lost(Hold hold, Loss loss) {
        of(hold).lost(loss.cause());
    }

    @Override
    public void stalled(Hold hold, String detail) {
        of(hold).stalled();
    }
}
