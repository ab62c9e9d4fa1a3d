package io.holdfast.spring;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Scheduled;

/** What the annotations of one method say, understood and checked. Immutable. */
final class LockedMethod {

    /**
     * One annotation.
     *
     * @param waitFor null if not given
     * @param lease null if not given
     * @param atMost null if not given
     * @param gate null if not given
     */
    record Wanted(
            NameExpression name,
            @Nullable Duration waitFor,
            @Nullable Duration lease,
            @Nullable Duration atMost,
            boolean fair,
            Locked.Mode mode,
            int permits,
            @Nullable NameExpression gate) {

        /** How the lock of that name is taken. */
        Share share() {
            return permits > 0 ? new Share(false, permits) : new Share(mode == Locked.Mode.READ, 0);
        }

        DistributedLock lock(Holdfast locks, String lockName) {
            if (permits > 0) {
                return locks.semaphore(lockName, permits, this::change).asLock(1);
            }
            if (mode == Locked.Mode.READ) {
                return locks.readWriteLock(lockName, this::change).readLock();
            }
            return fair ? locks.fairLock(lockName, this::change) : locks.lock(lockName, this::change);
        }

        private void change(LockOptions.Builder options) {
            if (lease != null) {
                options.lease(lease);
            }
            if (atMost != null) {
                limit(options, atMost);
            }
        }

        /** The end of the renewals leaves a lease to run out, so they end a lease before the time is over. */
        private static void limit(LockOptions.Builder options, Duration atMost) {
            Duration lease = options.build().lease();
            Duration renewed = atMost.minus(lease);
            if (renewed.compareTo(LockOptions.MIN_LEASE) < 0) {
                options.renewal(false).lease(lease.compareTo(atMost) < 0 ? lease : atMost);
            } else {
                options.maxHold(renewed);
            }
        }
    }

    /**
     * How a lock is shared.
     *
     * @param reading beside others who read
     * @param permits 0 if it is no semaphore
     */
    record Share(boolean reading, int permits) {
        /** Whether who has it in this way has what another way would give. */
        boolean covers(Share wanted) {
            return permits == wanted.permits && (!reading || wanted.reading);
        }
    }

    private final Method method;
    private final List<Wanted> wanted;
    private final Duration wait;
    private final Duration atLeast;
    private final boolean skip;
    private final int leaseParameter;

    private LockedMethod(
            Method method, List<Wanted> wanted, Duration wait, Duration atLeast, boolean skip, int leaseParameter) {
        this.method = method;
        this.wanted = wanted;
        this.wait = wait;
        this.atLeast = atLeast;
        this.skip = skip;
        this.leaseParameter = leaseParameter;
    }

    Method method() {
        return method;
    }

    List<Wanted> wanted() {
        return wanted;
    }

    Duration longestWait() {
        return wait;
    }

    Duration atLeast() {
        return atLeast;
    }

    /** Whether a call that does not get its lock in time does nothing. */
    boolean skips() {
        return skip;
    }

    /** The arguments, with the lease where one is declared. */
    @Nullable
    Object[] arguments(@Nullable Object[] given, java.util.function.Supplier<Lease> lease) {
        if (leaseParameter < 0) {
            return given;
        }
        @Nullable Object[] arguments = given.clone();
        arguments[leaseParameter] = lease.get();
        return arguments;
    }

    /**
     * Reads the annotations.
     *
     * @param method as the class of the bean has it
     * @return null if there are none
     * @throws HoldfastConfigurationException if they cannot work
     */
    static @Nullable LockedMethod of(Method method, Settings settings) {
        List<Locked> annotations = List.copyOf(
                AnnotatedElementUtils.findMergedRepeatableAnnotations(method, Locked.class, Locked.AllOf.class));
        return annotations.isEmpty() ? null : new Reading(method, settings).read(annotations);
    }

    /** What holds for all methods of an application. */
    interface Settings {
        /** Replaces placeholders. */
        String resolve(String text);

        Duration defaultWait();
    }

    private record Reading(Method method, Settings settings) {

        LockedMethod read(List<Locked> annotations) {
            boolean scheduled = AnnotatedElementUtils.hasAnnotation(method, Scheduled.class)
                    || AnnotatedElementUtils.hasAnnotation(
                            method, org.springframework.scheduling.annotation.Schedules.class);
            Results.check(method);
            List<Wanted> wanted = new ArrayList<>();
            Duration wait = null;
            Duration atLeast = Duration.ZERO;
            Locked.OnTimeout onTimeout = Locked.OnTimeout.DEFAULT;
            for (Locked annotation : annotations) {
                Wanted one = wanted(annotation);
                wanted.add(one);
                // All are waited for together: the shortest wait counts, and the longest hold.
                if (one.waitFor() != null && (wait == null || one.waitFor().compareTo(wait) < 0)) {
                    wait = one.waitFor();
                }
                Duration least = duration("atLeast", annotation.atLeast(), Duration.ZERO);
                if (least != null && least.compareTo(LockOptions.MAX_LEASE) > 0) {
                    // Kept by a lease of that length, which the end of the method would find refused.
                    throw refused("has atLeast = \"" + annotation.atLeast() + "\"", "A lock is kept for 24 h at most.");
                }
                if (least != null && least.compareTo(atLeast) > 0) {
                    atLeast = least;
                }
                if (annotation.onTimeout() != Locked.OnTimeout.DEFAULT) {
                    if (onTimeout != Locked.OnTimeout.DEFAULT && onTimeout != annotation.onTimeout()) {
                        throw refused(
                                "has two @Locked with different onTimeout",
                                "The locks are taken together or not at all: say the same in both, or in one only.");
                    }
                    onTimeout = annotation.onTimeout();
                }
            }
            if (wait == null) {
                wait = scheduled ? Duration.ZERO : settings.defaultWait();
            }
            boolean skip = onTimeout == Locked.OnTimeout.SKIP || (onTimeout == Locked.OnTimeout.DEFAULT && scheduled);
            if (skip && !canReturnNothing()) {
                throw refused(
                        "returns " + method.getReturnType().getSimpleName()
                                + ", which leaves no way to return nothing when the lock is not to be had",
                        "Return void, Optional, CompletionStage, Mono or Flux, or set onTimeout = THROW.");
            }
            return new LockedMethod(method, List.copyOf(wanted), wait, atLeast, skip, leaseParameter());
        }

        private Wanted wanted(Locked annotation) {
            Duration lease = duration("lease", annotation.lease(), LockOptions.MIN_LEASE);
            Duration atMost = duration("atMost", annotation.atMost(), LockOptions.MIN_LEASE);
            if (annotation.permits() < 0) {
                throw refused("has permits = " + annotation.permits(), "Say how many permits there are in all.");
            }
            if (annotation.permits() > 0 && annotation.mode() == Locked.Mode.READ) {
                throw refused(
                        "has permits and mode = READ", "A semaphore has no readers: leave out the one or the other.");
            }
            if (lease != null && lease.compareTo(LockOptions.MAX_LEASE) > 0) {
                throw refused("has lease = \"" + annotation.lease() + "\"", "A lease is 24 h at most.");
            }
            String gate = annotation.gate();
            if (!gate.isEmpty() && Results.isReactive(method.getReturnType())) {
                throw refused(
                        "has a gate and returns " + method.getReturnType().getSimpleName(),
                        "A gate is asked in the transaction of a thread: call admit(resource, lease.token()) of a gate"
                                + " of your own in the reactive one.");
            }
            return new Wanted(
                    name("name", annotation.name()),
                    duration("waitFor", annotation.waitFor(), Duration.ZERO),
                    lease,
                    atMost,
                    annotation.fair(),
                    annotation.mode(),
                    annotation.permits(),
                    gate.isEmpty() ? null : name("gate", gate));
        }

        private NameExpression name(String attribute, String text) {
            try {
                return NameExpression.of(settings.resolve(text), method);
            } catch (IllegalArgumentException e) {
                throw refused("has " + attribute + " = \"" + text + "\": " + e.getMessage(), NameExpression.HINT);
            }
        }

        private @Nullable Duration duration(String attribute, String text, Duration least) {
            if (text.isEmpty()) {
                return null;
            }
            Duration value;
            try {
                value = DurationStyle.detectAndParse(settings.resolve(text));
            } catch (IllegalArgumentException e) {
                throw refused(
                        "has " + attribute + " = \"" + text + "\", which is no duration",
                        "Write it like 500ms, 5s or 10m.");
            }
            if (value.compareTo(least) < 0) {
                throw refused(
                        "has " + attribute + " = \"" + text + "\"",
                        "The least that works is " + least.toMillis() + "ms.");
            }
            return value;
        }

        private boolean canReturnNothing() {
            Class<?> type = method.getReturnType();
            return type == void.class
                    || type == Void.class
                    || type == Optional.class
                    || CompletionStage.class.isAssignableFrom(type)
                    || Results.isReactive(type);
        }

        private int leaseParameter() {
            int found = -1;
            Class<?>[] types = method.getParameterTypes();
            for (int i = 0; i < types.length; i++) {
                if (types[i] == Lease.class) {
                    if (found >= 0) {
                        throw refused(
                                "declares two parameters of type Lease",
                                "There is one lease for all its locks: declare one, and ask it for token(lockName).");
                    }
                    found = i;
                }
            }
            return found;
        }

        private HoldfastConfigurationException refused(String what, String remedy) {
            return LockedMethod.refused(method, what, remedy);
        }
    }

    static HoldfastConfigurationException refused(Method method, String what, String remedy) {
        return new HoldfastConfigurationException("the @Locked method " + describe(method) + " " + what, remedy);
    }

    static String describe(Method method) {
        StringBuilder text = new StringBuilder(method.getDeclaringClass().getName())
                .append('.')
                .append(method.getName())
                .append('(');
        for (int i = 0; i < method.getParameterCount(); i++) {
            text.append(i == 0 ? "" : ", ").append(method.getParameterTypes()[i].getSimpleName());
        }
        return text.append(')').toString();
    }
}
