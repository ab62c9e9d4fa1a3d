package io.holdfast.testkit.engine;

import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreContext;
import io.holdfast.spi.StoreFactory;
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
        return Intercepted.of(LockStore.class, inner.open(context), "renew", real -> {
            stuck.countDown();
            letGo.await();
            return real.call();
        });
    }
}
