package io.holdfast.spring;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/** What methods return whose work goes on after they have returned. */
final class Results {
    private static final ClassLoader LOADER = Results.class.getClassLoader();
    private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Flux", LOADER);

    /** By name, since an application may lack them. */
    private static final List<Class<?>> UNSEEN = Stream.of(
                    "java.util.concurrent.Callable",
                    "java.util.concurrent.Flow$Publisher",
                    "java.util.concurrent.Future",
                    "org.reactivestreams.Publisher",
                    "org.springframework.web.context.request.async.DeferredResult",
                    "org.springframework.web.context.request.async.WebAsyncTask",
                    "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
                    "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody")
            .filter(name -> ClassUtils.isPresent(name, LOADER))
            .<Class<?>>map(name -> ClassUtils.resolveClassName(name, LOADER))
            .toList();

    private static final String SEEN = "CompletableFuture, Mono or Flux: the lock is then held until it has ended.";

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
        if (isSuspending(method)) {
            throw LockedMethod.refused(
                    method, "is a suspending function, which goes on after it has returned", "Return " + SEEN);
        }
        if (!isReactive(type) && isUnseen(type)) {
            throw LockedMethod.refused(
                    method, "returns " + type.getSimpleName() + ", whose end cannot be seen", "Return " + SEEN);
        }
    }

    /**
     * Refuses what {@link #check} could not see, since the method declares something more general.
     *
     * @return the result
     */
    static @Nullable Object checked(Method method, @Nullable Object result) {
        if (result != null && isUnseen(result.getClass())) {
            throw new IllegalStateException("the @Locked method " + LockedMethod.describe(method) + " has returned a "
                    + result.getClass().getName() + ", whose end cannot be seen: return and declare " + SEEN);
        }
        return result;
    }

    private static boolean isUnseen(Class<?> type) {
        return !CompletionStage.class.isAssignableFrom(type)
                && (UNSEEN.stream().anyMatch(unseen -> unseen.isAssignableFrom(type))
                        || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null);
    }

    /** Kotlin's, which are called with what is to run afterwards. */
    private static boolean isSuspending(Method method) {
        Class<?>[] types = method.getParameterTypes();
        return types.length > 0 && types[types.length - 1].getName().equals("kotlin.coroutines.Continuation");
    }
}
