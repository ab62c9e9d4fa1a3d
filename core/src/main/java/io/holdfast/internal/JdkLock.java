package io.holdfast.internal;

import io.holdfast.LeaseLostException;
import io.holdfast.Loss;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** A lock as the JDK knows it. */
final class JdkLock implements Lock {
    private final LockForms<?> lock;

    JdkLock(LockForms<?> lock) {
        this.lock = lock;
    }

    @Override
    public void lock() {
        lock.lock();
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        lock.lockInterruptibly();
    }

    @Override
    public boolean tryLock() {
        return lock.tryLock();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return lock.tryLock(time, unit);
    }

    /** The JDK's unlock cannot answer, so a lost lease is thrown where {@link LockForms#unlock} says false. */
    @Override
    public void unlock() {
        List<HeldLease> held = lock.heldByThisThread();
        if (held.isEmpty()) {
            throw new IllegalMonitorStateException("lock '" + lock.getLockName() + "' is not held by thread "
                    + Thread.currentThread().getName());
        }
        if (!lock.unlock()) {
            HeldLease lease = held.stream()
                    .filter(each -> each.loss() != null)
                    .findFirst()
                    .orElse(held.get(0));
            Loss loss = lease.loss();
            throw new LeaseLostException(
                    lease.name(), lease.token(), loss != null ? loss : Losses.expired(lease, lease.acquiredNanos));
        }
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a distributed lock has no conditions: wait for the state you need by"
                + " polling it under the lock, or use a message queue");
    }

    @Override
    public String toString() {
        return lock.toString();
    }
}
