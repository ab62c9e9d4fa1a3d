package io.holdfast.spi;

/** Opens a store for one client. */
@FunctionalInterface
public interface StoreFactory {

    /** Opens the store; a store that connects lazily does not have to be reachable. */
    LockStore open(StoreContext context);
}
