package io.holdfast.spring;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** The methods with {@link Locked}, read once each. Thread safe. */
final class LockedMethods {
    private final LockedMethod.Settings settings;
    private final Map<MethodClassKey, Optional<LockedMethod>> found = new ConcurrentHashMap<>();

    LockedMethods(LockedMethod.Settings settings) {
        this.settings = settings;
    }

    /** Whether it has the annotation, itself or by inheritance. */
    static boolean isLocked(Method method) {
        return AnnotatedElementUtils.hasAnnotation(method, Locked.class)
                || AnnotatedElementUtils.hasAnnotation(method, Locked.AllOf.class);
    }

    /** Whether one of its annotations names a gate. */
    static boolean isGated(Method method) {
        return AnnotatedElementUtils.findMergedRepeatableAnnotations(method, Locked.class, Locked.AllOf.class).stream()
                .anyMatch(annotation -> !annotation.gate().isEmpty());
    }

    /** The one that the class of the bean has, if that or the one called has the annotation. */
    @Nullable
    LockedMethod find(Method called, Class<?> type) {
        return found.computeIfAbsent(new MethodClassKey(called, type), key -> {
                    Method own = AopUtils.getMostSpecificMethod(called, type);
                    LockedMethod locked = LockedMethod.of(own, settings);
                    return Optional.ofNullable(
                            locked == null && !own.equals(called) ? LockedMethod.of(called, settings) : locked);
                })
                .orElse(null);
    }
}
