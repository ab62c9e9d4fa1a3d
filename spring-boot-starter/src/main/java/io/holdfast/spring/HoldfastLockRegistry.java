package io.holdfast.spring;

import io.holdfast.Holdfast;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * The locks for Spring Integration. A key's text is the lock's name. The locks have no state of their own, so nothing grows
 * with the number of keys. Thread safe.
 */
final class HoldfastLockRegistry implements LockRegistry {
    private final Holdfast locks;

    HoldfastLockRegistry(Holdfast locks) {
        this.locks = locks;
    }

    @Override
    public Lock obtain(Object lockKey) {
        return locks.lock(String.valueOf(lockKey)).asLock();
    }
}
