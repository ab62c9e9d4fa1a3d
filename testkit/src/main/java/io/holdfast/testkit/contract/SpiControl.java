package io.holdfast.testkit.contract;

import io.holdfast.spi.LockInfo;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Looks with {@code inspect} and takes away with {@code release}, which nobody but the store can tell from an expiry. */
final class SpiControl implements StoreControl {
    private final StoreFactory factory;

    SpiControl(StoreFactory factory) {
        this.factory = factory;
    }

    @Override
    public void expire(String lockName) {
        with(store -> {
            for (LockInfo lock : find(store, "*")) {
                if (lock.name().equals(lockName)) {
                    holders(lock).forEach(owner -> take(store, lockName, owner));
                }
            }
            return null;
        });
    }

    @Override
    public void loseEverything() {
        with(store -> {
            for (LockInfo lock : find(store, "*")) {
                // Waiters first, or the lock would be handed to them.
                lock.waiters().forEach(waiter -> take(store, lock.name(), waiter));
                holders(lock).forEach(owner -> take(store, lock.name(), owner));
            }
            return null;
        });
    }

    @Override
    public List<String> leftovers() {
        return with(store -> find(store, "*").stream().map(LockInfo::toString).toList());
    }

    private static List<String> holders(LockInfo lock) {
        List<String> holders = new ArrayList<>(lock.sharedBy());
        lock.owner().ifPresent(holders::add);
        return holders;
    }

    private static List<LockInfo> find(LockStore store, String pattern) {
        return store.inspect(pattern).toCompletableFuture().join();
    }

    private static void take(LockStore store, String name, String owner) {
        store.release(name, owner).toCompletableFuture().join();
    }

    private <T> T with(Function<LockStore, T> use) {
        try (DirectStore direct = DirectStore.open(factory)) {
            return use.apply(direct.store());
        }
    }
}
