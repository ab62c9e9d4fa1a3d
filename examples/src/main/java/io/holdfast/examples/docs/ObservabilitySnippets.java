package io.holdfast.examples.docs;

import io.holdfast.Hold;
import io.holdfast.Holdfast;
import io.holdfast.LockListener;
import io.holdfast.Loss;
import io.holdfast.micrometer.HoldfastMetrics;
import io.holdfast.micrometer.HoldfastObservations;
import io.holdfast.spi.LockInfo;
import io.holdfast.spi.Origin;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.Consumer;

/** What {@code docs/observability.md} shows. */
public final class ObservabilitySnippets {
    private ObservabilitySnippets() {}

    /** Meters and spans. */
    public static Holdfast measured(String uri, MeterRegistry meters, ObservationRegistry observations) {
        return Holdfast.builder()
                .uri(uri)
                .listener(HoldfastMetrics.of(meters))
                .listener(HoldfastObservations.of(observations))
                .build();
    }

    /** Tags of one's own. */
    public static HoldfastMetrics tagged(MeterRegistry meters) {
        return HoldfastMetrics.of(meters, name -> name.startsWith("tenant:") ? "tenant" : name);
    }

    /** Who holds and who waits. */
    public static void show(Holdfast locks, Consumer<String> print) {
        for (LockInfo lock : locks.inspect("order:*")) {
            for (LockInfo.Party holder : lock.holders()) {
                print.accept(lock.name() + " is held by " + holder.owner() + " of "
                        + holder.origin().map(Origin::toString).orElse("an unknown client") + ", "
                        + lock.remaining() + " left");
            }
            for (LockInfo.Party waiter : lock.line()) {
                waiter.age().ifPresent(age -> print.accept("  " + waiter.owner() + " has waited for " + age));
            }
        }
    }

    /** Takes a lock from a holder that is known to be stuck. */
    public static boolean takeAway(Holdfast locks, LockInfo.Party stuck) {
        return locks.forceRelease("order:12345", stuck.owner());
    }

    /** An alarm of one's own. */
    public static Holdfast alarmed(String uri, Consumer<String> pager) {
        return Holdfast.builder()
                .uri(uri)
                .listener(new LockListener() {
                    @Override
                    public void lost(Hold hold, Loss loss) {
                        pager.accept(hold.lockName() + " with token " + hold.token() + ": " + loss.detail());
                    }
                })
                .build();
    }

    /** Where it was acquired. */
    public static Holdfast withPlaces(String uri) {
        return Holdfast.builder().uri(uri).recordPlaces(true).build();
    }
}
