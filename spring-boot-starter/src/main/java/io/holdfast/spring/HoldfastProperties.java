package io.holdfast.spring;

import io.holdfast.Backoff;
import io.holdfast.LockOptions;
import io.holdfast.OnLoss;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What an application may set under {@code holdfast}. All of it is optional.
 *
 * @param enabled Whether there is a client at all.
 * @param uri Store, such as redis://user:password@host:6379/0. Unless set, the one that spring.data.redis names.
 * @param ssl How TLS is spoken.
 * @param prefix What every key and channel in the store starts with. Unless set, distributed_lock: as without Spring.
 * @param lease How long the store keeps a lock without hearing from its holder. Unless set, 30s.
 * @param renewal Whether a lease is renewed while it is held. Unless set, it is.
 * @param maxHold How long a hold is renewed at most. Unless set, there is no limit.
 * @param handOver How long the threads of this client pass a lock on among themselves before the store decides. Unless set, 25ms.
 * @param minReplicas How many replicas must have a lock before it counts as acquired. Unless set, 0.
 * @param onLoss What happens to the holder when a lease is lost, besides the signal that always goes out. Unless set, notify.
 * @param outageLimit How long the store may be out of reach before a wait without a deadline gives up. Unless set, 30s.
 * @param commandTimeout How long one command to the store may take. Unless set, 2s.
 * @param holderInfo Whether others who look at the locks of this application are told host, process id and
 *     spring.application.name. Unless set, they are.
 * @param backoff Pauses between tries where nobody can notify.
 * @param startupCheck What happens if the store does not answer when the application starts.
 * @param locked Methods with the annotation Locked.
 * @param election Elections that this application stands for.
 * @param metrics Meters and observations of the locks.
 */
@ConfigurationProperties("holdfast")
record HoldfastProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String uri,
        @DefaultValue SslProperties ssl,
        @Nullable String prefix,
        @Nullable Duration lease,
        @Nullable Boolean renewal,
        @Nullable Duration maxHold,
        @Nullable Duration handOver,
        @Nullable Integer minReplicas,
        @Nullable OnLoss onLoss,
        @Nullable Duration outageLimit,
        @Nullable Duration commandTimeout,
        @DefaultValue("true") boolean holderInfo,
        @DefaultValue BackoffProperties backoff,
        @DefaultValue("fail") StartupCheck startupCheck,
        @DefaultValue LockedProperties locked,
        @DefaultValue ElectionProperties election,
        @DefaultValue MetricsProperties metrics) {

    /**
     * TLS.
     *
     * @param bundle SSL bundle for connections to the store. Unless set, the one of spring.data.redis.ssl.bundle if the store is
     * the one of spring.data.redis, and otherwise what the JVM trusts.
     */
    record SslProperties(@Nullable String bundle) {}

    /**
     * Meters and observations of the locks.
     *
     * @param enabled Whether they go to the registries of the application, if holdfast-micrometer is there.
     */
    record MetricsProperties(@DefaultValue("true") boolean enabled) {}

    /** What to do about a store that does not answer when the application starts. */
    enum StartupCheck {
        /** The application does not start, and says why. */
        FAIL,
        /** A warning in the log. */
        WARN,
        /** Nobody asks the store. */
        OFF
    }

    /**
     * The pauses.
     *
     * @param first First pause. Unless set, 100ms.
     * @param longest Longest pause. Unless set, 2s.
     */
    record BackoffProperties(
            @Nullable Duration first, @Nullable Duration longest) {}

    /**
     * Locks by annotation.
     *
     * @param enabled Whether the annotation is obeyed. If not, methods run without their locks.
     * @param waitFor How long a method waits for its lock unless the annotation says so.
     */
    record LockedProperties(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("5s") Duration waitFor) {}

    /**
     * Elections.
     *
     * @param names Elections to stand for from the start; being elected and deposed is published as events.
     */
    record ElectionProperties(@DefaultValue List<String> names) {}

    /** Without the secrets. */
    @Override
    public String toString() {
        return "HoldfastProperties[" + (uri == null ? "" : new RedisAddress(uri, null)) + "]";
    }

    LockOptions options() {
        LockOptions.Builder options = LockOptions.builder();
        if (lease != null) {
            options.lease(lease);
        }
        if (renewal != null) {
            options.renewal(renewal);
        }
        if (maxHold != null) {
            options.maxHold(maxHold);
        }
        if (handOver != null) {
            options.handOver(handOver);
        }
        if (minReplicas != null) {
            options.minReplicas(minReplicas);
        }
        if (onLoss != null) {
            options.onLoss(onLoss);
        }
        if (outageLimit != null) {
            options.outageLimit(outageLimit);
        }
        Duration first = backoff.first() == null ? Backoff.DEFAULT.first() : backoff.first();
        Duration longest = backoff.longest() == null ? Backoff.DEFAULT.longest() : backoff.longest();
        return options.backoff(new Backoff(first, longest)).build();
    }
}
