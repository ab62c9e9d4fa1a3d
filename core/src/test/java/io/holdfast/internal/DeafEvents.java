package io.holdfast.internal;

import io.holdfast.spi.StoreEvents;

/** For a client of a store that wants no news. */
final class DeafEvents implements StoreEvents {
    @Override
    public void wake(String name, String owner) {}

    @Override
    public void wakeAll() {}

    @Override
    public void gone(String name, String owner, String detail) {}
}
