package io.holdfast.spring;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

/**
 * Sections of {@code Mono} and {@code Flux}: entered when somebody subscribes, each time anew, without blocking a thread, and
 * left when it has ended or was cancelled. What a subscriber has stands in its context, so calls inside go on with it; what its
 * transaction keeps for it is told by {@link ReactiveTie}.
 */
final class ReactiveSections {
    private static final Object KEY = ReactiveSections.class;

    private static final boolean TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.reactive.TransactionSynchronizationManager",
            ReactiveSections.class.getClassLoader());

    private ReactiveSections() {}

    static boolean isSupported(Class<?> type) {
        return type == Mono.class || type == Flux.class || type == Publisher.class;
    }

    static Publisher<?> run(LockedMethod method, Sections sections, Object target, ProxyMethodInvocation invocation) {
        if (method.method().getReturnType() == Mono.class) {
            return Mono.deferContextual(around -> Mono.usingWhen(
                    enter(method, sections, target, invocation, around),
                    section -> Mono.from(body(method, section, invocation))
                            .contextWrite(context -> context.put(KEY, held(context, section))),
                    ReactiveSections::leave,
                    (section, failure) -> leaveAfter(section, failure),
                    ReactiveSections::leave));
        }
        return Flux.deferContextual(around -> Flux.usingWhen(
                enter(method, sections, target, invocation, around),
                section -> Flux.from(body(method, section, invocation))
                        .contextWrite(context -> context.put(KEY, held(context, section))),
                ReactiveSections::leave,
                (section, failure) -> leaveAfter(section, failure),
                ReactiveSections::leave));
    }

    private static Mono<Section> enter(
            LockedMethod method,
            Sections sections,
            Object target,
            ProxyMethodInvocation invocation,
            ContextView around) {
        if (!TRANSACTIONS) {
            return enter(method, sections, target, invocation, live(around));
        }
        return ReactiveTie.begin().singleOptional().flatMap(tie -> {
            Map<String, Hold> held = live(around);
            tie.ifPresent(it -> it.held().forEach(held::putIfAbsent));
            return enter(method, sections, target, invocation, held)
                    .doOnNext(section -> tie.ifPresent(it -> it.keep(section)));
        });
    }

    private static Mono<Section> enter(
            LockedMethod method,
            Sections sections,
            Object target,
            ProxyMethodInvocation invocation,
            Map<String, Hold> held) {
        Sections.Plan plan = sections.plan(method, target, invocation.getArguments(), held);
        plan.around().forEach(hold -> hold.lease().ensureValid());
        DistributedLock lock = plan.lock();
        if (lock == null) {
            return Mono.just(Sections.section(plan, null));
        }
        return acquire(method, lock).map(lease -> Sections.section(plan, Sections.hold(plan, lease, left -> {})));
    }

    private static Mono<Lease> acquire(LockedMethod method, DistributedLock lock) {
        if (!method.skips()) {
            CompletionStage<Lease> lease = lock.acquireAsync(method.longestWait());
            // Who cancels the subscription gives up the wait.
            return Mono.fromFuture(lease.toCompletableFuture());
        }
        CompletionStage<Optional<Lease>> lease = lock.tryAcquireAsync(method.longestWait());
        return Mono.fromFuture(lease.toCompletableFuture()).flatMap(Mono::justOrEmpty);
    }

    private static Publisher<?> body(LockedMethod method, Section section, ProxyMethodInvocation invocation) {
        // Each subscriber calls the method anew.
        ProxyMethodInvocation call = (ProxyMethodInvocation) invocation.invocableClone();
        call.setArguments(method.arguments(invocation.getArguments(), section::lease));
        try {
            Object result = call.proceed();
            return result == null ? Mono.empty() : (Publisher<?>) result;
        } catch (Throwable failure) {
            return Mono.error(failure);
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Hold> held(ContextView context) {
        Object held = context.getOrDefault(KEY, null);
        return held == null ? Map.of() : (Map<String, Hold>) held;
    }

    /** Without those that have ended: who was called by them may subscribe later. */
    private static Map<String, Hold> live(ContextView context) {
        Map<String, Hold> live = new LinkedHashMap<>(held(context));
        live.values().removeIf(hold -> !hold.isAtHome());
        return live;
    }

    private static Map<String, Hold> held(ContextView context, Section section) {
        Hold own = section.own();
        return own == null ? held(context) : Sections.with(held(context), own);
    }

    /** On a thread that may wait for the store. */
    private static Mono<Void> leave(Section section) {
        return Mono.<Void>fromRunnable(section::end).subscribeOn(Schedulers.boundedElastic());
    }

    private static Mono<Void> leaveAfter(Section section, Throwable failure) {
        return Mono.<Void>fromRunnable(() -> section.endAfter(failure)).subscribeOn(Schedulers.boundedElastic());
    }
}
