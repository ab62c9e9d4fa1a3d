package io.holdfast;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a lock behaves. Immutable; checked when built, never repaired.
 *
 * <pre>{@code
 * DistributedLock lock = locks.lock("invoice:42", o -> o.lease(ofSeconds(10)).onLoss(OnLoss.INTERRUPT));
 * }</pre>
 */
public final class LockOptions {

    /** The shortest lease. */
    public static final Duration MIN_LEASE = Duration.ofMillis(100);
    /** The longest lease. */
    public static final Duration MAX_LEASE = Duration.ofHours(24);
    /** The longest {@link #handOver}. */
    public static final Duration MAX_HAND_OVER = Duration.ofSeconds(1);
    /** The most {@link #minReplicas}. */
    public static final int MAX_REPLICAS = 100;

    /** A lease of 30 s, renewed while it is held, with no limit to the hold. */
    public static final LockOptions DEFAULT = new Builder().build();

    private final Duration lease;
    private final boolean renewal;
    private final @Nullable Duration maxHold;
    private final Backoff backoff;
    private final OnLoss onLoss;
    private final Duration outageLimit;
    private final Duration handOver;
    private final int minReplicas;

    private LockOptions(Builder builder) {
        this.lease = builder.lease;
        this.renewal = builder.renewal;
        this.maxHold = builder.maxHold;
        this.backoff = builder.backoff;
        this.onLoss = builder.onLoss;
        this.outageLimit = builder.outageLimit;
        this.handOver = builder.handOver;
        this.minReplicas = builder.minReplicas;
    }

    /** How long the store keeps the lock without hearing from its holder. */
    public Duration lease() {
        return lease;
    }

    /** Whether the lease is renewed, every third of it, until it is released. */
    public boolean renewal() {
        return renewal;
    }

    /** After this time a hold is no longer renewed. */
    public Optional<Duration> maxHold() {
        return Optional.ofNullable(maxHold);
    }

    /** The pauses between tries where nobody can notify. */
    public Backoff backoff() {
        return backoff;
    }

    /** What happens to the holder when the lease is lost. */
    public OnLoss onLoss() {
        return onLoss;
    }

    /** How long the store may be out of reach without a break before a wait without a deadline gives up. */
    public Duration outageLimit() {
        return outageLimit;
    }

    /**
     * How long the threads of one client may pass the lock among themselves before the store decides who is next. For
     * that long the clients that wait elsewhere wait longer; in return a lock passed on in this way costs no round trip.
     */
    public Duration handOver() {
        return handOver;
    }

    /**
     * How many replicas must have the lock before it counts as acquired. A failover to one of those does not lose it. Asked for
     * only when it is acquired, never when it is renewed or released.
     */
    public int minReplicas() {
        return minReplicas;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts from these options. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.lease = lease;
        builder.renewal = renewal;
        builder.maxHold = maxHold;
        builder.backoff = backoff;
        builder.onLoss = onLoss;
        builder.outageLimit = outageLimit;
        builder.handOver = handOver;
        builder.minReplicas = minReplicas;
        return builder;
    }

    /** Refuses a lease outside the limits; {@code what} names the setting in the message. */
    static Duration checkLease(String what, Duration lease) {
        requireNonNull(lease, what);
        if (lease.compareTo(MIN_LEASE) < 0) {
            throw new IllegalArgumentException(
                    what + " " + text(lease) + " is below the minimum of " + text(MIN_LEASE));
        }
        if (lease.compareTo(MAX_LEASE) > 0) {
            throw new IllegalArgumentException(what + " " + text(lease) + " is above the maximum of 24 h");
        }
        return lease;
    }

    private static String text(Duration duration) {
        // A huge Duration has no milliseconds that fit a long.
        return duration.compareTo(Duration.ofDays(36_500)) > 0 || duration.compareTo(Duration.ofDays(-36_500)) < 0
                ? duration.toString()
                : duration.toMillis() + " ms";
    }

    /** Collects options; each setter refuses what is out of bounds. Not thread safe. */
    public static final class Builder {
        private Duration lease = Duration.ofSeconds(30);
        private boolean renewal = true;
        private @Nullable Duration maxHold;
        private Backoff backoff = Backoff.DEFAULT;
        private OnLoss onLoss = OnLoss.NOTIFY;
        private Duration outageLimit = Duration.ofSeconds(30);
        private Duration handOver = Duration.ofMillis(25);
        private int minReplicas;

        private Builder() {}

        /** From 100 ms to 24 h; 30 s by default. */
        public Builder lease(Duration lease) {
            this.lease = checkLease("lease", lease);
            return this;
        }

        /** On by default. Without it a hold ends with its lease. */
        public Builder renewal(boolean renewal) {
            this.renewal = renewal;
            return this;
        }

        /** At least 100 ms; no limit by default. It ends renewal, so a hold can last this long and one lease more. */
        public Builder maxHold(Duration maxHold) {
            requireNonNull(maxHold, "maxHold");
            if (maxHold.compareTo(MIN_LEASE) < 0) {
                throw new IllegalArgumentException(
                        "maxHold " + text(maxHold) + " is below the minimum of " + text(MIN_LEASE));
            }
            this.maxHold = maxHold;
            return this;
        }

        /** How long to pause before asking again where nobody will tell; from 100 ms, doubling, to 2 s by default. */
        public Builder backoff(Backoff backoff) {
            this.backoff = requireNonNull(backoff, "backoff");
            return this;
        }

        /** What happens to the thread that took the lock when its lease is lost; by default it is only told. */
        public Builder onLoss(OnLoss onLoss) {
            this.onLoss = requireNonNull(onLoss, "onLoss");
            return this;
        }

        /** From 100 ms to 24 h; 30 s by default. */
        public Builder outageLimit(Duration outageLimit) {
            this.outageLimit = checkLease("outageLimit", outageLimit);
            return this;
        }

        /** From 0, which has the store decide every time, to 1 s, but no more than a quarter of a lease; 25 ms by default. */
        public Builder handOver(Duration handOver) {
            requireNonNull(handOver, "handOver");
            if (handOver.isNegative() || handOver.compareTo(MAX_HAND_OVER) > 0) {
                throw new IllegalArgumentException(
                        "handOver " + text(handOver) + " is not from 0 to " + text(MAX_HAND_OVER));
            }
            this.handOver = handOver;
            return this;
        }

        /**
         * From 0, which is the default, to 100. Only a store with replicas takes more than 0. The wait for them is a tenth of
         * the lease at most. Taking a lock throws {@link UnsupportedOperationException} where a store has no replicas.
         */
        public Builder minReplicas(int minReplicas) {
            if (minReplicas < 0 || minReplicas > MAX_REPLICAS) {
                throw new IllegalArgumentException("minReplicas " + minReplicas + " is not from 0 to " + MAX_REPLICAS);
            }
            this.minReplicas = minReplicas;
            return this;
        }

        public LockOptions build() {
            return new LockOptions(this);
        }
    }
}
