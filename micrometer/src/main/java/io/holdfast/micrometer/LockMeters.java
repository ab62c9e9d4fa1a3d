package io.holdfast.micrometer;

import io.holdfast.HandOver;
import io.holdfast.Loss;
import io.holdfast.Outcome;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** The meters of one tag. All are there from the first event on, at zero, so that a rate over them has a beginning. */
final class LockMeters {
    private final Map<Outcome, Counter> attempts = new EnumMap<>(Outcome.class);
    private final Map<Loss.Cause, Counter> losses = new EnumMap<>(Loss.Cause.class);
    private final Map<HandOver, Counter> handOvers = new EnumMap<>(HandOver.class);
    private final Timer waitObtained;
    private final Timer waitInVain;
    private final Timer holdTime;
    private final Counter renewed;
    private final Counter renewalFailed;
    private final Timer lag;
    private final DistributionSummary lagRatio;
    private final Counter stalled;
    private final AtomicInteger waiters = new AtomicInteger();
    private final AtomicInteger held = new AtomicInteger();

    LockMeters(MeterRegistry registry, String lock) {
        for (Outcome outcome : Outcome.values()) {
            attempts.put(
                    outcome,
                    Counter.builder("holdfast.acquisitions")
                            .description("Attempts to get a lock, by how they ended")
                            .tag("lock", lock)
                            .tag("outcome", text(outcome))
                            .register(registry));
        }
        for (Loss.Cause cause : Loss.Cause.values()) {
            losses.put(
                    cause,
                    Counter.builder("holdfast.lost")
                            .description("Leases that were lost while they were held, by cause")
                            .tag("lock", lock)
                            .tag("cause", text(cause))
                            .register(registry));
        }
        for (HandOver from : HandOver.values()) {
            handOvers.put(
                    from,
                    Counter.builder("holdfast.handovers")
                            .description("Locks that were waited for, by where they came from")
                            .tag("lock", lock)
                            .tag("from", text(from))
                            .register(registry));
        }
        this.waitObtained = wait(registry, lock, true);
        this.waitInVain = wait(registry, lock, false);
        this.holdTime = Timer.builder("holdfast.hold")
                .description("How long locks were held that were given back")
                .tag("lock", lock)
                .register(registry);
        this.renewed = renewals(registry, lock, "confirmed");
        this.renewalFailed = renewals(registry, lock, "failed");
        this.lag = Timer.builder("holdfast.renewal.lag")
                .description("How much later than due renewals were sent that were confirmed")
                .tag("lock", lock)
                .register(registry);
        this.lagRatio = DistributionSummary.builder("holdfast.renewal.lag.ratio")
                .description("The same as a part of the lease: at two thirds it is lost")
                .tag("lock", lock)
                .register(registry);
        this.stalled = Counter.builder("holdfast.stalled")
                .description("Threads that wait for a lock they have taken themselves")
                .tag("lock", lock)
                .register(registry);
        Gauge.builder("holdfast.waiters", waiters, AtomicInteger::get)
                .description("Those who wait for a lock now")
                .tag("lock", lock)
                .register(registry);
        Gauge.builder("holdfast.held", held, AtomicInteger::get)
                .description("Leases that are held now")
                .tag("lock", lock)
                .register(registry);
    }

    private static Timer wait(MeterRegistry registry, String lock, boolean obtained) {
        return Timer.builder("holdfast.wait")
                .description("How long those waited who had to")
                .tag("lock", lock)
                .tag("obtained", String.valueOf(obtained))
                .register(registry);
    }

    private static Counter renewals(MeterRegistry registry, String lock, String outcome) {
        return Counter.builder("holdfast.renewals")
                .description("Renewals, by whether the store confirmed them")
                .tag("lock", lock)
                .tag("outcome", outcome)
                .register(registry);
    }

    private static String text(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static <K extends Enum<K>> void count(Map<K, Counter> counters, K which) {
        Counter counter = counters.get(which);
        if (counter != null) {
            counter.increment();
        }
    }

    void ended(Outcome outcome) {
        count(attempts, outcome);
    }

    void waiting() {
        waiters.incrementAndGet();
    }

    void waited(Duration waited, boolean obtained) {
        waiters.decrementAndGet();
        (obtained ? waitObtained : waitInVain).record(waited);
    }

    void acquired() {
        held.incrementAndGet();
    }

    void handedOver(HandOver from) {
        count(handOvers, from);
    }

    void released(Duration time) {
        held.decrementAndGet();
        holdTime.record(time);
    }

    void renewed(Duration late, Duration lease) {
        renewed.increment();
        lag.record(late);
        lagRatio.record((double) late.toNanos() / lease.toNanos());
    }

    void renewalFailed() {
        renewalFailed.increment();
    }

    void lost(Loss.Cause cause) {
        held.decrementAndGet();
        count(losses, cause);
    }

    void stalled() {
        stalled.increment();
    }
}
