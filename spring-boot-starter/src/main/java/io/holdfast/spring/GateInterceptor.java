package io.holdfast.spring;

import io.holdfast.FencingGate;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Asks the gate, inside of the transaction and before the method reads anything: what was read before could be older than what
 * the last holder wrote. From then on the gate keeps the order of the tokens until the transaction has ended.
 */
final class GateInterceptor implements MethodInterceptor {
    private final LockedMethods methods;
    private final ThreadHolds ofThread;
    private final BeanFactory beans;
    private final Supplier<@Nullable FencingGate> gate;

    GateInterceptor(
            LockedMethods methods, ThreadHolds ofThread, BeanFactory beans, Supplier<@Nullable FencingGate> gate) {
        this.methods = methods;
        this.ofThread = ofThread;
        this.beans = beans;
        this.gate = gate;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        Class<?> type = target == null ? invocation.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
        LockedMethod method = methods.find(invocation.getMethod(), type);
        if (method != null) {
            Object on = target == null ? invocation : target;
            for (LockedMethod.Wanted wanted : method.wanted()) {
                if (wanted.gate() != null) {
                    admit(
                            method,
                            wanted.gate().value(on, invocation.getArguments(), beans),
                            wanted.name().value(on, invocation.getArguments(), beans));
                }
            }
        }
        return invocation.proceed();
    }

    private void admit(LockedMethod method, String resource, String lockName) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException("the @Locked method " + LockedMethod.describe(method.method())
                    + " has a gate and is in no transaction, so the gate would guard nothing: make it @Transactional");
        }
        FencingGate bean = gate.get();
        if (bean == null) {
            throw new IllegalStateException("the @Locked method " + LockedMethod.describe(method.method())
                    + " has a gate, and there is no FencingGate bean, or more than one: add holdfast-jdbc to an application"
                    + " with a DataSource, or declare one");
        }
        Hold hold = ofThread.byName().get(lockName);
        if (hold == null) {
            throw new IllegalStateException("lock '" + lockName + "' is not held where its gate is asked");
        }
        bean.admit(resource, hold.lease().token(lockName));
    }
}
