package io.holdfast.spring;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.springframework.util.ClassUtils;

/** What methods return whose work goes on after they have returned. */
final class Results {
    private static final ClassLoader LOADER = Results.class.getClassLoader();
    private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Flux", LOADER);
    private static final boolean STREAMS = ClassUtils.isPresent("org.reactivestreams.Publisher", LOADER);

    private Results() {}

    /** Whether it is a {@code Mono}, a {@code Flux} or the interface of both. */
    static boolean isReactive(Class<?> type) {
        return REACTOR && ReactiveSections.isSupported(type);
    }

    /** Refuses what returns before its work is done and does not tell when that is. */
    static void check(Method method) {
        Class<?> type = method.getReturnType();
        boolean stage = CompletionStage.class.isAssignableFrom(type);
        if (stage && !type.isAssignableFrom(CompletableFuture.class)) {
            throw LockedMethod.refused(
                    method,
                    "returns " + type.getSimpleName() + ", which cannot be replaced by one that ends with the lock",
                    "Return CompletableFuture or CompletionStage.");
        }
        if (!stage && Future.class.isAssignableFrom(type)) {
            throw LockedMethod.refused(
                    method,
                    "returns " + type.getSimpleName() + ", which does not tell when its work is done",
                    "Return CompletableFuture: the lock is then held until it has ended.");
        }
        if (STREAMS && isPublisher(type) && !isReactive(type)) {
            throw LockedMethod.refused(
                    method,
                    "returns " + type.getSimpleName() + ", which goes on after the method has returned",
                    "Return Mono or Flux: the lock is then held until it has ended.");
        }
    }

    private static boolean isPublisher(Class<?> type) {
        for (Class<?> at : ClassUtils.getAllInterfacesForClassAsSet(type)) {
            if (at.getName().equals("org.reactivestreams.Publisher")) {
                return true;
            }
        }
        return false;
    }
}
