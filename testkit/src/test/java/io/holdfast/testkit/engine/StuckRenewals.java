package io.holdfast.testkit.engine;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;

/** A store whose renewals block the thread that sends them, beyond any time-out. */
final class StuckRenewals implements StoreFactory {
    private final StoreFactory inner;
    private final CountDownLatch stuck = new CountDownLatch(1);
    private final CountDownLatch letGo = new CountDownLatch(1);

    StuckRenewals(StoreFactory inner) {
        this.inner = inner;
    }

    boolean isStuck() {
        return stuck.getCount() == 0;
    }

    void letGo() {
        letGo.countDown();
    }

    @Override
    public LockStore open(StoreContext context) {
        LockStore store = inner.open(context);
        return (LockStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, args) -> {
                    if (method.getName().equals("renew")) {
                        stuck.countDown();
                        letGo.await();
                    }
                    try {
                        return method.invoke(store, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    }
                });
    }
}
