package io.holdfast.spring;

import io.holdfast.LockException;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;

/** Stands before methods with {@link Locked}. */
final class LockedInterceptor implements MethodInterceptor {
    private final LockedMethods methods;
    private final Supplier<Sections> sections;

    LockedInterceptor(LockedMethods methods, Supplier<Sections> sections) {
        this.methods = methods;
        this.sections = sections;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        Class<?> type = target == null ? invocation.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
        LockedMethod method = methods.find(invocation.getMethod(), type);
        if (method == null) {
            return invocation.proceed();
        }
        Object on = target == null ? invocation : target;
        if (Results.isReactive(method.method().getReturnType())) {
            return ReactiveSections.run(method, sections.get(), on, (ProxyMethodInvocation) invocation);
        }
        Optional<Section> entered = enter(method, on, invocation);
        if (entered.isEmpty()) {
            return nothing(method);
        }
        Section section = entered.get();
        return run(method, section, invocation);
    }

    private Optional<Section> enter(LockedMethod method, Object target, MethodInvocation invocation)
            throws InterruptedException {
        try {
            return sections.get().enter(method, target, invocation.getArguments());
        } catch (InterruptedException e) {
            if (Arrays.stream(method.method().getExceptionTypes())
                    .anyMatch(declared -> declared.isAssignableFrom(InterruptedException.class))) {
                throw e;
            }
            Thread.currentThread().interrupt();
            throw new LockException(
                    String.valueOf(method.wanted().get(0).name()),
                    "interrupted while " + LockedMethod.describe(method.method()) + " waited for it",
                    e);
        }
    }

    private static @Nullable Object nothing(LockedMethod method) {
        Class<?> type = method.method().getReturnType();
        if (type == Optional.class) {
            return Optional.empty();
        }
        return CompletionStage.class.isAssignableFrom(type) ? CompletableFuture.completedFuture(null) : null;
    }

    private @Nullable Object run(LockedMethod method, Section section, MethodInvocation invocation) throws Throwable {
        Object result;
        try {
            ((ProxyMethodInvocation) invocation)
                    .setArguments(method.arguments(invocation.getArguments(), section::lease));
            result = Results.checked(method.method(), invocation.proceed());
        } catch (Throwable failure) {
            stopInterrupts(section);
            section.endAfter(failure);
            throw failure;
        }
        stopInterrupts(section);
        if (result instanceof CompletionStage<?> stage) {
            section.leaveThread();
            return following(stage, section);
        }
        section.end();
        return result;
    }

    private static void stopInterrupts(Section section) {
        Hold own = section.own();
        if (own != null) {
            own.runsNoMore();
        }
    }

    /**
     * Ends when the stage has ended and the lock is given back. Who cancels it gives up the result and no more: a stage that is
     * cancelled looks ended while its work goes on, which would then run without the lock.
     */
    private static CompletableFuture<@Nullable Object> following(CompletionStage<?> stage, Section section) {
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        // On another thread: who ends the stage may be one that must not wait for the store.
        stage.whenCompleteAsync((value, failure) -> {
            if (failure != null) {
                Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure;
                section.endAfter(cause);
                result.completeExceptionally(cause);
                return;
            }
            try {
                section.end();
                result.complete(value);
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }
}
