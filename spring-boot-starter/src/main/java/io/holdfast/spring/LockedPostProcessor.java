package io.holdfast.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Puts locks around beans, after the proxies of others have been made: in front of the transaction, wherever that stands, and
 * behind what has an order of its own, such as security. Refuses what cannot work, while the application starts.
 */
final class LockedPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {
    /** Inside of everything that was given an order, outside of everything that was not. */
    static final int ADVICE_ORDER = Ordered.LOWEST_PRECEDENCE - 1_000;

    private static final @Nullable Class<?> TRANSACTION = transactionAdvice();

    private final LockedMethods methods;
    private final @Nullable Advisor gates;

    /** @param gates null if there are no transactions */
    LockedPostProcessor(
            LockedMethods methods,
            MethodInterceptor interceptor,
            @Nullable MethodInterceptor gates,
            boolean proxyTargetClass) {
        this.methods = methods;
        this.advisor = advisor(interceptor, LockedPostProcessor::isLocked);
        this.gates = gates == null ? null : advisor(gates, LockedPostProcessor::isGated);
        setProxyTargetClass(proxyTargetClass);
        setBeforeExistingAdvisors(true);
    }

    private static Advisor advisor(MethodInterceptor interceptor, BiPredicate<Method, Class<?>> matches) {
        DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                new StaticMethodMatcherPointcut() {
                    @Override
                    public boolean matches(Method method, Class<?> type) {
                        return matches.test(method, type);
                    }
                },
                interceptor);
        advisor.setOrder(ADVICE_ORDER);
        return advisor;
    }

    private static boolean isLocked(Method method, Class<?> type) {
        return AnnotationUtils.isCandidateClass(method.getDeclaringClass(), Locked.class)
                && (LockedMethods.isLocked(method)
                        || LockedMethods.isLocked(AopUtils.getMostSpecificMethod(method, type)));
    }

    private static boolean isGated(Method method, Class<?> type) {
        return isLocked(method, type)
                && (LockedMethods.isGated(method)
                        || LockedMethods.isGated(AopUtils.getMostSpecificMethod(method, type)));
    }

    private static @Nullable Class<?> transactionAdvice() {
        try {
            return ClassUtils.forName(
                    "org.springframework.transaction.interceptor.TransactionAspectSupport",
                    LockedPostProcessor.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            return null; // no transactions
        }
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof AopInfrastructureBean) {
            return bean;
        }
        Class<?> type = AopUtils.getTargetClass(bean);
        boolean proxied = bean instanceof Advised advised && !advised.isFrozen();
        List<Method> ofInterfaces = proxied ? ofInterfaces((Advised) bean) : List.of();
        if (!isEligible(type) && ofInterfaces.isEmpty()) {
            return bean;
        }
        checkAll(ClassUtils.getUserClass(type));
        ofInterfaces.forEach(method -> checkAnnotations(method, type));
        if (!proxied) {
            Object proxy = super.postProcessAfterInitialization(bean, beanName);
            addGates(proxy);
            checkReached(proxy, type);
            return proxy;
        }
        Advised existing = (Advised) bean;
        existing.addAdvisor(position(existing.getAdvisors()), Objects.requireNonNull(advisor));
        addGates(bean);
        checkReached(bean, type);
        return bean;
    }

    private void addGates(Object proxy) {
        if (gates != null && proxy instanceof Advised advised) {
            advised.addAdvisor(gatePosition(advised.getAdvisors()), gates);
        }
    }

    /**
     * Directly behind the last transaction, or else behind the lock. Not further back: what stands there may answer the call
     * itself, as repositories do, and would leave the gate unasked.
     */
    private int gatePosition(Advisor[] advisors) {
        int position = 0;
        for (int i = 0; i < advisors.length; i++) {
            if (advisors[i] == advisor || isTransaction(advisors[i])) {
                position = i + 1;
            }
        }
        return position;
    }

    private static boolean isTransaction(Advisor advisor) {
        return TRANSACTION != null && TRANSACTION.isInstance(advisor.getAdvice());
    }

    /** Which methods of its interfaces have locks: the bean behind the proxy need not have them. */
    private static List<Method> ofInterfaces(Advised proxy) {
        return Stream.of(proxy.getProxiedInterfaces())
                .flatMap(type -> Stream.of(type.getMethods()))
                .filter(LockedMethods::isLocked)
                .toList();
    }

    /** In front of the first that is a transaction or comes later than we do. */
    private static int position(Advisor[] advisors) {
        for (int i = 0; i < advisors.length; i++) {
            int order = advisors[i] instanceof Ordered ordered ? ordered.getOrder() : Ordered.LOWEST_PRECEDENCE;
            if (order > ADVICE_ORDER || isTransaction(advisors[i])) {
                return i;
            }
        }
        return advisors.length;
    }

    // --- what cannot work

    private void checkAll(Class<?> type) {
        for (Method method : ReflectionUtils.getAllDeclaredMethods(type)) {
            if (!method.isBridge() && LockedMethods.isLocked(method)) {
                check(method, type);
            }
        }
        SelfInvocations.report(type);
    }

    private void check(Method method, Class<?> type) {
        if (Modifier.isPrivate(method.getModifiers())) {
            throw refuse(method, "is private", "Make it public: Spring's proxies do not see private methods.");
        }
        if (Modifier.isStatic(method.getModifiers())) {
            throw refuse(
                    method, "is static", "Make it a method of the bean: Spring's proxies do not see static methods.");
        }
        if (Modifier.isFinal(method.getModifiers())) {
            throw refuse(method, "is final", "Remove final: Spring's proxies cannot override it.");
        }
        if (Modifier.isFinal(type.getModifiers()) && isProxyTargetClass()) {
            throw refuse(method, "is in a final class", "Remove final from the class: Spring's proxies extend it.");
        }
        checkAnnotations(method, type);
    }

    private void checkAnnotations(Method method, Class<?> type) {
        if (isAsync(method, type)) {
            throw refuse(
                    method,
                    "is @Async as well",
                    "Which of the two comes first is not defined. Put @Locked on a method of another bean that the"
                            + " @Async method calls, or return a CompletableFuture without @Async.");
        }
        if (gates == null && LockedMethods.isGated(method)) {
            throw LockedMethod.refused(
                    method,
                    "has a gate, and there are no transactions here, so nobody would ask it",
                    "Add spring-tx and make the method @Transactional: a gate is asked in a transaction.");
        }
        // Reads the annotation, and refuses what it says.
        methods.find(method, type);
    }

    private static boolean isAsync(Method method, Class<?> type) {
        return AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(type, Async.class)
                || AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Async.class);
    }

    /** A proxy by interfaces sees only their methods. */
    private static void checkReached(Object proxy, Class<?> type) {
        if (!AopUtils.isJdkDynamicProxy(proxy)) {
            return;
        }
        Set<Class<?>> interfaces = ClassUtils.getAllInterfacesAsSet(proxy);
        for (Method method : ReflectionUtils.getAllDeclaredMethods(type)) {
            boolean seen = method.isBridge()
                    || !LockedMethods.isLocked(method)
                    || interfaces.stream()
                            .anyMatch(at -> ClassUtils.hasMethod(at, method.getName(), method.getParameterTypes()));
            if (!seen) {
                throw refuse(
                        method,
                        "is in none of the interfaces of its bean, which is proxied by these",
                        "Add it to an interface, or set spring.aop.proxy-target-class=true, which is the default.");
            }
        }
    }

    private static HoldfastConfigurationException refuse(Method method, String what, String remedy) {
        return LockedMethod.refused(method, what + ", and would run without its lock", remedy);
    }
}
